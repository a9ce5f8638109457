// SPDX-License-Identifier: GPL-2.0

//! Bringing a table of rows up to date, at the cost of what changed.
//!
//! A watchdog may change a server a thousand times a second, and a table built anew costs up to 67
//! million hashes. Two observations make a change cheap, and exactly as good as a new table:
//!
//! - a server that left, or lost weight, can lose only rows it holds. Those are ranked anew;
//! - a server that joined, or gained weight, can gain any row, but only from the present holder:
//!   all others lose to the holder as before.
//!
//! A row whose named owner is live is that server's, and was won by nobody: if the server leaves, it
//! is one of those that are ranked anew.

use super::bitmap::Bitmap;
use super::hash::{self, Score, NONE};
use super::server::{Server, ServerId, Serving};
use super::siphash::Keyed;

/// The way from one list of servers to another.
pub struct Revision<'a> {
    new: &'a [Server],
    serving: Serving,
    // Ids of those that are live now.
    live: Bitmap,
    // Ids whose rows stand but for the challengers: live on both sides, weight not less.
    keepers: Bitmap,
    // Positions in `new` of those who may gain any row: live now; not live before, or lighter.
    challengers: Bitmap,
    lost: bool,
}

impl<'a> Revision<'a> {
    /// Compares two lists, each by ascending id.
    pub fn new(old: &[Server], new: &'a [Server]) -> Self {
        let (before, serving) = (Serving::of(old), Serving::of(new));
        let mut revision = Self {
            new,
            serving,
            live: Bitmap::EMPTY,
            keepers: Bitmap::EMPTY,
            challengers: Bitmap::EMPTY,
            lost: false,
        };
        for (position, server) in (0..=u16::MAX).zip(new) {
            if !serving.admits(server.state) {
                continue;
            }
            revision.live.insert(server.id.get());
            match find(old, server.id).filter(|past| before.admits(past.state)) {
                Some(past) => {
                    if server.weight >= past.weight {
                        revision.keepers.insert(server.id.get());
                    }
                    if server.weight > past.weight {
                        revision.challengers.insert(position);
                    }
                }
                None => revision.challengers.insert(position),
            }
        }
        revision.lost = old
            .iter()
            .any(|past| before.admits(past.state) && !revision.keepers.contains(past.id.get()));
        revision
    }

    /// Whether no row can have changed.
    pub fn is_idle(&self) -> bool {
        !self.lost && self.challengers.is_empty()
    }

    /// Turns `rows`, filled for the old servers and beginning with row `first`, into what
    /// [`hash::fill`] makes of the new ones. Returns how many changed. Both with the same `table`.
    pub fn apply(&self, keyed: &Keyed, table: &[u16], first: u32, rows: &mut [u16]) -> u32 {
        if self.is_idle() {
            return 0;
        }
        let mut changed = 0;
        for (row, slot) in (first..=u32::MAX).zip(rows) {
            let owner = match hash::named(table, row, &self.live) {
                Some(id) => id,
                None => self.winner(keyed, row, *slot).map_or(NONE, ServerId::get),
            };
            if *slot != owner {
                *slot = owner;
                changed += 1;
            }
        }
        changed
    }

    #[inline]
    fn winner(&self, keyed: &Keyed, row: u32, holder: u16) -> Option<ServerId> {
        if !self.keepers.contains(holder) {
            return hash::winner(keyed, row, self.new, self.serving);
        }
        let holder = ServerId::from_row(holder)?;
        if self.challengers.is_empty() {
            return Some(holder);
        }
        let mut best = Score::new(keyed, row, find(self.new, holder)?);
        for position in self.challengers.iter() {
            if let Some(challenger) = self.new.get(usize::from(position)) {
                best.yield_to(keyed, row, challenger);
            }
        }
        Some(best.id())
    }
}

/// The server of that id, in a list by ascending id.
#[inline]
fn find(servers: &[Server], id: ServerId) -> Option<&Server> {
    let position = servers.binary_search_by_key(&id, |server| server.id).ok()?;
    servers.get(position)
}
