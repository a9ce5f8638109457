// SPDX-License-Identifier: GPL-2.0

//! Kinds `hash` and `table`: rows, each won by weighted rendezvous hashing; with kind `table`, where no
//! live owner is named.
//!
//! A key names a row. Each row ranks all servers by a score of (row, server id, weight), and the
//! first live one wins it. A server's score depends on no other server, so when one leaves only
//! its rows move, and when one joins only the rows it wins (law 3). Only winners are stored: 2
//! bytes a row, and one load a packet.

use super::addr::{Address, Key};
use super::bitmap::Bitmap;
use super::log2;
use super::refusal::Refusal;
use super::server::{Server, ServerId, Serving, State, Weight};
use super::siphash::Keyed;

/// What a row holds where nobody is live.
pub const NONE: u16 = 0xffff;

/// How many rows a table has.
///
/// # Invariants
///
/// A power of two in 256..=65536.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowCount(u32);

impl RowCount {
    /// The greatest count, and the default: 128 KiB, and shares even to about 2 % over 8 servers.
    pub const MAX: Self = Self(65536);

    /// Checks a count.
    ///
    /// # Errors
    ///
    /// The count is no power of two, or outside 256..=65536.
    pub const fn new(rows: u32) -> Result<Self, Refusal> {
        if rows.is_power_of_two() && 256 <= rows && rows <= Self::MAX.0 {
            Ok(Self(rows))
        } else {
            Err(Refusal::RowCount(rows))
        }
    }

    /// The count as a number.
    #[inline]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The row of a key.
    #[inline(always)]
    pub fn row_of(self, keyed: &Keyed, key: Key) -> u32 {
        let hash = match key.address() {
            Address::V4(bytes) => keyed.v4(bytes),
            Address::V6(bytes) => keyed.v6(bytes),
        };
        hash as u32 & self.0.wrapping_sub(1)
    }
}

/// A server's claim to a row.
#[derive(Clone, Copy)]
pub(super) struct Score {
    id: ServerId,
    weight: Weight,
    hash: u64,
    cost: u64,
}

impl Score {
    /// The score of `server` in `row`.
    #[inline]
    pub(super) fn new(keyed: &Keyed, row: u32, server: &Server) -> Self {
        let hash = keyed.pair(row, server.id.get());
        Self {
            id: server.id,
            weight: server.weight,
            hash,
            cost: log2::cost(hash),
        }
    }

    /// The server.
    #[inline]
    pub(super) fn id(self) -> ServerId {
        self.id
    }

    /// Puts `server` in this one's place where its cost by weight is less, or the same and its id
    /// lower.
    ///
    /// As cost never rises with the hash, most comparisons are over before a logarithm is taken. A long
    /// build does nothing else: out of line, as the kernel had it, one takes a seventh longer.
    #[inline(always)]
    pub(super) fn yield_to(&mut self, keyed: &Keyed, row: u32, server: &Server) {
        let hash = keyed.pair(row, server.id.get());
        if hash <= self.hash && server.weight <= self.weight && server.id > self.id {
            return;
        }
        let cost = log2::cost(hash);
        let theirs = cost * u64::from(self.weight.get());
        let ours = self.cost * u64::from(server.weight.get());
        if theirs < ours || (theirs == ours && server.id < self.id) {
            *self = Self {
                id: server.id,
                weight: server.weight,
                hash,
                cost,
            };
        }
    }
}

/// The winner of `row` among those of `servers` that `eligible` admits.
#[inline]
pub(super) fn best(
    keyed: &Keyed,
    row: u32,
    servers: &[Server],
    eligible: impl Fn(&Server) -> bool,
) -> Option<ServerId> {
    let mut servers = servers.iter().filter(|server| eligible(server));
    let mut best = Score::new(keyed, row, servers.next()?);
    for server in servers {
        best.yield_to(keyed, row, server);
    }
    Some(best.id)
}

/// The winner of `row`: the first live server in its ranking.
#[inline]
pub fn winner(keyed: &Keyed, row: u32, servers: &[Server], serving: Serving) -> Option<ServerId> {
    best(keyed, row, servers, |server| serving.admits(server.state))
}

/// Fills `rows`, which begin with row `first`, with their owners: whom `table` names for a row (by
/// its number; nobody behind its end, so kind `hash` gives none), if that server is live, else the
/// winner.
///
/// A whole table takes up to 67 million hashes: the kernel calls this chunk by chunk and yields in
/// between.
pub fn fill(keyed: &Keyed, servers: &[Server], table: &[u16], first: u32, rows: &mut [u16]) {
    let serving = Serving::of(servers);
    let live = servers.iter().filter(|it| serving.admits(it.state));
    let live: Bitmap = live.map(|server| server.id.get()).collect();
    for (row, slot) in (first..=u32::MAX).zip(rows) {
        *slot = match named(table, row, &live) {
            Some(id) => id,
            None => winner(keyed, row, servers, serving).map_or(NONE, ServerId::get),
        };
    }
}

/// The owner that `table` names for a row, if it is one of those that are live.
#[inline]
pub(super) fn named(table: &[u16], row: u32, live: &Bitmap) -> Option<u16> {
    let id = *table.get(row as usize)?;
    live.contains(id).then_some(id)
}

/// Writes the order in which servers would own `row`, were each to fail in turn, as far as `out`
/// reaches: those up by rank, then those that drain; of both, the `first` ones come first. Returns
/// how many there are.
pub fn succession(
    keyed: &Keyed,
    row: u32,
    servers: &[Server],
    first: [Option<ServerId>; 2],
    out: &mut [ServerId],
) -> usize {
    let mut length = 0;
    for state in [State::Up, State::Drain] {
        while let Some((found, rest)) = out.split_at_mut_checked(length) {
            let is_next = |it: &Server| it.state == state && !found.contains(&it.id);
            let is_there = |id: &ServerId| servers.iter().any(|it| it.id == *id && is_next(it));
            let next = first.into_iter().flatten().find(is_there);
            let next = next.or_else(|| best(keyed, row, servers, is_next));
            let (Some(next), Some(slot)) = (next, rest.first_mut()) else {
                break;
            };
            *slot = next;
            length += 1;
        }
    }
    length
}
