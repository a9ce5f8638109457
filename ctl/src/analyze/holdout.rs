// SPDX-License-Identifier: GPL-2.0
//! What a table that was fitted to the first part of a log makes of the rest.

use serde::Serialize;

use super::column::columns;
use super::fit::fit;
use super::load::ppm;
use super::seeds::{seeds, Spread};
use super::subject::Subject;
use super::tally::Tally;

/// How much of the log is learnt from.
const PERCENT: u64 = 70;

/// Both parts of a log, and how even each kind is in them.
#[derive(Serialize)]
pub struct Holdout {
    pub fitted_requests: u64,
    pub judged_requests: u64,
    /// The part of the later load that is of clients from before.
    pub known_ppm: u32,
    pub kinds: Vec<Judged>,
}

/// max/mean of a kind.
#[derive(Serialize)]
pub struct Judged {
    pub kind: &'static str,
    pub in_sample: f64,
    pub held_out: f64,
    /// Held out, by seeds that the pool could have instead.
    pub seeds: Option<Spread>,
}

/// Judges; none if there are too few requests for two parts.
pub fn holdout(subject: &Subject, tally: &Tally<'_>) -> Option<Holdout> {
    let cut = tally.slices.cut(PERCENT)?;
    let (before, after) = (tally.slices.before(cut), tally.slices.from(cut));
    let table = fit(&before.rows, &before.fixed, &subject.parts);
    let [learnt, judged] = [&before, &after].map(|slice| columns(subject, slice, &table));
    let kinds = learnt.iter().zip(&judged);
    let (known, all) = tally.seen.known(cut);
    let [hash, fitted] = seeds(subject, tally, cut);
    Some(Holdout {
        fitted_requests: before.requests,
        judged_requests: after.requests,
        known_ppm: ppm(known, all),
        kinds: kinds
            .map(|(learnt, judged)| Judged {
                kind: learnt.kind,
                in_sample: learnt.balance.max_mean,
                held_out: judged.balance.max_mean,
                seeds: match learnt.kind {
                    "hash" => Some(hash),
                    "fitted" => Some(fitted),
                    _ => None,
                },
            })
            .collect(),
    })
}
