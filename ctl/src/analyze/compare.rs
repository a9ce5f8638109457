// SPDX-License-Identifier: GPL-2.0
//! What a change of functions does to the requests of a log.

use super::load::Loads;
use super::log::{self, How, Reading};
use crate::offline::Dispatch;
use crate::{Context, Error};

/// A pool's function before and after a change; none where there is no pool.
pub type Pair<'a> = [Option<&'a Dispatch>; 2];

/// What moves from one function to another, and what servers get by each.
#[derive(Default)]
pub struct Compared {
    /// Requests that have another server afterwards.
    pub moved: u64,
    pub before: Loads,
    pub after: Loads,
}

/// Puts logs to pairs of functions.
pub fn compare(
    context: &mut Context<'_>,
    logs: &[String],
    pairs: &[Pair<'_>],
) -> Result<(Vec<Compared>, Reading), Error> {
    let mut results: Vec<_> = pairs.iter().map(|_| Compared::default()).collect();
    let reading = log::read(context, logs, How::default(), |client, weight| {
        for (pair, it) in pairs.iter().zip(&mut results) {
            let [old, new] = pair.map(|function| function?.function().owner(client).server());
            it.moved += if old == new { 0 } else { weight };
            it.before.add(old, weight);
            it.after.add(new, weight);
        }
    })?;
    Ok((results, reading))
}
