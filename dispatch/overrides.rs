// SPDX-License-Identifier: GPL-2.0

//! Overrides: clients whose server is named, whatever the kind would say.
//!
//! Of the prefixes that contain a client the longest counts. Prefixes never overlap but for one
//! within the other, so they cut the line of all addresses into ranges with one server each: a
//! packet takes one binary search over one flat array. A trie would need as many loads, and an
//! allocation for each of its nodes.

use core::iter;

use super::addr::Address;
use super::hash::NONE;
use super::prefix::{position, rest, Prefix, MAPPED, MAPPED_BITS};
use super::server::ServerId;

/// The server of a network's clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Override {
    /// The clients.
    pub prefix: Prefix,
    /// Their server.
    pub server: ServerId,
}

/// The line from some point on until the next range begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    // In halves: the alignment of a u128 would make it a third longer.
    start: [u64; 2],
    server: u16,
}

impl Range {
    const fn new(start: u128, server: u16) -> Self {
        Self {
            start: [(start >> 64) as u64, start as u64],
            server,
        }
    }

    #[inline(always)]
    fn start(&self) -> u128 {
        let [high, low] = self.start;
        (u128::from(high) << 64) | u128::from(low)
    }

    /// Whose its clients are, if they are overridden.
    #[inline]
    pub const fn server(&self) -> Option<ServerId> {
        ServerId::from_row(self.server)
    }
}

/// How many ranges [`flatten`] makes of so many overrides at most: each begins one and ends one, and
/// so does IPv4.
pub const fn most_ranges(overrides: usize) -> usize {
    match overrides {
        0 => 0,
        _ => overrides.saturating_mul(2).saturating_add(2),
    }
}

/// Makes ranges of overrides, which come in the order of [`Prefix`], each prefix once. In another
/// order they give wrong servers, and nothing worse.
///
/// # Errors
///
/// The first one of `emit`.
pub fn flatten<E>(
    overrides: &[Override],
    emit: impl FnMut(Range) -> Result<(), E>,
) -> Result<(), E> {
    let is_v4 = |it: &Override| matches!(it.prefix.address(), Address::V4(_));
    let (v4, v6) = overrides.split_at(overrides.partition_point(is_v4));
    let (below, above) = v6.split_at(v6.partition_point(|it| it.prefix.start() < MAPPED));
    // A network of IPv6 that has all of IPv4 within itself does not mean IPv4's clients.
    let all_v4 = Network {
        start: MAPPED,
        depth: MAPPED_BITS,
        server: NONE,
    };
    let mut line = Line::new(emit);
    for network in networks(below)
        .chain(iter::once(all_v4))
        .chain(networks(v4))
        .chain(networks(above))
    {
        line.leave(|end| end < network.start)?;
        line.enter(network)?;
    }
    line.leave(|_| true)?;
    line.flush()
}

/// Whose a client is by the ranges of [`flatten`], be it live or not.
#[inline]
pub fn find(ranges: &[Range], client: Address) -> Option<ServerId> {
    let point = position(client);
    let behind = ranges.partition_point(|range| range.start() <= point);
    ranges.get(behind.checked_sub(1)?)?.server()
}

/// The override that counts for a client, by asking each: for explanations, as ranges have forgotten
/// which prefix they came from.
pub fn longest(overrides: &[Override], client: Address) -> Option<&Override> {
    let contains = |it: &&Override| it.prefix.contains(client);
    let matching = overrides.iter().filter(contains);
    matching.max_by_key(|it| it.prefix.depth())
}

/// A prefix as it lies on the line.
struct Network {
    start: u128,
    depth: u8,
    server: u16,
}

fn networks(overrides: &[Override]) -> impl Iterator<Item = Network> + '_ {
    overrides.iter().map(|it| Network {
        start: it.prefix.start(),
        depth: it.prefix.depth(),
        server: it.server.get(),
    })
}

/// A walk along the line.
struct Line<F> {
    /// The depths and servers of the networks around `point`, each within the one before: so there is
    /// one of each depth at most.
    around: [(u8, u16); 128],
    count: usize,
    point: u128,
    /// What has begun, but not been emitted: another may begin at the same point.
    begun: Range,
    /// Of the range emitted last.
    server: u16,
    emit: F,
}

impl<E, F: FnMut(Range) -> Result<(), E>> Line<F> {
    fn new(emit: F) -> Self {
        Self {
            around: [(0, NONE); 128],
            count: 0,
            point: 0,
            begun: Range::new(0, NONE),
            server: NONE,
            emit,
        }
    }

    /// Leaves networks, the innermost first, as long as `is_over` says so of their ends.
    fn leave(&mut self, is_over: impl Fn(u128) -> bool) -> Result<(), E> {
        while let Some((depth, _)) = self.innermost() {
            let end = self.point | rest(depth);
            if !is_over(end) {
                break;
            }
            self.count = self.count.saturating_sub(1);
            if let Some(next) = end.checked_add(1) {
                let server = self.innermost().map_or(NONE, |(_, server)| server);
                self.turn(next, server)?;
            }
        }
        Ok(())
    }

    fn enter(&mut self, network: Network) -> Result<(), E> {
        if let Some(slot) = self.around.get_mut(self.count) {
            *slot = (network.depth, network.server);
            self.count = self.count.saturating_add(1);
        }
        self.point = network.start;
        self.turn(network.start, network.server)
    }

    fn innermost(&self) -> Option<(u8, u16)> {
        self.around.get(self.count.checked_sub(1)?).copied()
    }

    /// From `start` on it is `server`.
    fn turn(&mut self, start: u128, server: u16) -> Result<(), E> {
        if self.begun.start() != start {
            self.flush()?;
        }
        self.begun = Range::new(start, server);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), E> {
        if self.begun.server != self.server {
            (self.emit)(self.begun)?;
            self.server = self.begun.server;
        }
        Ok(())
    }
}
