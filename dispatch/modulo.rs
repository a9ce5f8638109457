// SPDX-License-Identifier: GPL-2.0

//! Kind `mod`: the paper's function, bit for bit.
//!
//! n servers by ascending id, whatever their state: the client's number mod n names one. If it is
//! not live, the number mod (n - 1) names one of the others, then mod (n - 2) one of those not yet
//! tried, and so on until a live one comes up. What is tried next does not depend on who is live,
//! so each client has one fixed order of all servers, and failures commute (law 2).
//!
//! A try costs a division and a walk over 128 bytes. The tries are few unless most servers are
//! down: n / (live + 1) of them at a client's average.

use super::addr::Number;
use super::bitmap::Bitmap;
use super::server::{Server, ServerId, Serving, State};

/// The order in which a client tries the positions 0..n.
pub struct Tries {
    number: Number,
    left: u32,
    tried: Bitmap,
}

impl Tries {
    /// The tries of a client's number over `n` servers.
    #[inline]
    pub fn new(number: Number, n: usize) -> Self {
        Self {
            number,
            left: u32::try_from(n).unwrap_or(0),
            tried: Bitmap::EMPTY,
        }
    }
}

impl Iterator for Tries {
    type Item = u16;

    #[inline]
    fn next(&mut self) -> Option<u16> {
        let position = self.tried.absent(self.number.remainder(self.left)?)?;
        self.tried.insert(position);
        self.left = self.left.saturating_sub(1);
        Some(position)
    }
}

/// The owner of a client's number, and how many tries found it.
#[inline]
pub fn owner(number: Number, servers: &[Server], serving: Serving) -> Option<(ServerId, u16)> {
    (1..=u16::MAX)
        .zip(Tries::new(number, servers.len()))
        .find_map(|(tries, position)| {
            let server = servers.get(usize::from(position))?;
            serving.admits(server.state).then_some((server.id, tries))
        })
}

/// Writes the order in which servers would own the client, were each to fail in turn, as far as
/// `out` reaches: those up as they are tried, then those that drain; of both, `first` comes first.
/// Returns how many there are.
pub fn succession(
    number: Number,
    servers: &[Server],
    first: Option<ServerId>,
    out: &mut [ServerId],
) -> usize {
    let order = |state| {
        let is_first = move |server: &&Server| Some(server.id) == first;
        let others = Tries::new(number, servers.len())
            .filter_map(|position| servers.get(usize::from(position)))
            .filter(move |server| !is_first(server));
        let order = servers.iter().filter(is_first).chain(others);
        order.filter(move |server| server.state == state)
    };
    let successors = order(State::Up).chain(order(State::Drain));
    let mut length = 0;
    for (slot, server) in out.iter_mut().zip(successors) {
        *slot = server.id;
        length += 1;
    }
    length
}
