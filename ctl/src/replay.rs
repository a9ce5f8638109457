// SPDX-License-Identifier: GPL-2.0
//! A forecast by the requests of logs, besides the one by clients.

use serde::Serialize;

use crate::analyze::compare::{compare, Compared};
use crate::analyze::load::ppm;
use crate::forecast::{Forecast, Load, Prospect};
use crate::state::State;
use crate::{Context, Error};

/// What a change does to the requests of logs.
#[derive(Serialize)]
pub struct Replay {
    pub requests: u64,
    /// Of a pool that was there before, and stays.
    pub moved_ppm: Option<u32>,
}

/// A server's part of the requests.
#[derive(Default, Serialize)]
pub struct Part {
    pub before_ppm: Option<u32>,
    pub after_ppm: Option<u32>,
}

/// Puts the logs of the context to each pool that would be otherwise.
pub fn replay(
    context: &mut Context<'_>,
    state: &State,
    after: &Prospect,
    forecast: &mut Forecast,
) -> Result<(), Error> {
    if context.logs.is_empty() || forecast.0.is_empty() {
        return Ok(());
    }
    let before = Prospect::of(state, &state.model());
    let mut functions = Vec::new();
    for it in &forecast.0 {
        functions.push([before.dispatch(&it.pool)?, after.dispatch(&it.pool)?]);
    }
    let pairs: Vec<_> = functions
        .iter()
        .map(|it| it.each_ref().map(Option::as_ref))
        .collect();
    let logs = context.logs.clone();
    let (compared, reading) = compare(context, &logs, &pairs)?;
    for ((it, pair), compared) in forecast.0.iter_mut().zip(&pairs).zip(&compared) {
        it.log = Some(Replay {
            requests: reading.requests,
            moved_ppm: pair
                .iter()
                .all(Option::is_some)
                .then(|| ppm(compared.moved, reading.requests)),
        });
        for load in &mut it.servers {
            load.log = Some(part(load, compared, reading.requests));
        }
    }
    if let Some(garbage) = reading.garbage.text() {
        context.note(&format!("of the log, left out: lines {garbage}"))?;
    }
    for broken in &reading.broken {
        context.note(broken)?;
    }
    Ok(())
}

fn part(load: &Load, compared: &Compared, requests: u64) -> Part {
    let of = |there: Option<u32>, loads: &crate::analyze::load::Loads| {
        there.map(|_| ppm(loads.of(load.id), requests))
    };
    Part {
        before_ppm: of(load.before_ppm, &compared.before),
        after_ppm: of(load.after_ppm, &compared.after),
    }
}
