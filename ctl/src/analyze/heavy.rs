// SPDX-License-Identifier: GPL-2.0
//! Who is heavy, and which override would help.

use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::prefix::Prefix;
use serde::Serialize;

use super::load::{ppm, Balance, Loads};
use super::subject::Subject;
use super::tally::Tally;

/// A client or a prefix with much of the load.
#[derive(Serialize)]
pub struct Heavy {
    pub prefix: String,
    /// Its part of the load: no less, and no more.
    pub ppm: u32,
    pub most_ppm: u32,
    /// The servers that have it now.
    pub servers: Vec<String>,
    /// The server that an override would give it to; none if no override would help.
    pub r#override: Option<String>,
    /// Of the pool with this override and those before.
    pub max_mean: f64,
}

/// A candidate, with what each server has of it.
struct Candidate {
    prefix: Prefix,
    least: u64,
    most: u64,
    split: Vec<(u16, u64)>,
}

/// Who has less than this part of what is due to a server is not heavy, whatever its rank.
const TENTH: u128 = 10;

/// The heaviest clients.
pub fn clients(subject: &Subject, tally: &Tally<'_>, loads: &Loads, top: usize) -> Vec<Heavy> {
    let counters = tally.clients.heaviest().into_iter();
    let candidates = counters.filter_map(|(_, it)| {
        let owner = subject.owner(it.key)?.get();
        Some(Candidate {
            prefix: prefix(it.key, subject.prefixes)?,
            least: it.least(),
            most: it.count,
            split: vec![(owner, it.least())],
        })
    });
    tamed(subject, loads, candidates, top)
}

/// The heaviest prefixes, but for those that hardly are more than one heavy client.
pub fn prefixes(subject: &Subject, tally: &Tally<'_>, loads: &Loads, top: usize) -> Vec<Heavy> {
    let clients = tally.clients.heaviest();
    let counters = tally.prefixes.heaviest().into_iter();
    let candidates = counters.filter_map(|(index, it)| {
        let longer = match it.key {
            Address::V4(_) => subject.prefixes.v4() > tally.coarse.v4(),
            Address::V6(_) => subject.prefixes.v6() > tally.coarse.v6(),
        };
        let prefix = prefix(it.key, tally.coarse).filter(|_| longer)?;
        let mut inside = clients.iter().filter(|(_, it)| prefix.contains(it.key));
        // They are sorted: the first is the heaviest.
        let one = inside.next().map_or(0, |(_, client)| client.least());
        (one < it.least() / 10 * 9).then(|| Candidate {
            prefix,
            least: it.least(),
            most: it.count,
            split: tally.split(index),
        })
    });
    tamed(subject, loads, candidates, top)
}

fn prefix(key: Address, prefixes: Prefixes) -> Option<Prefix> {
    let bits = match key {
        Address::V4(_) => prefixes.v4(),
        Address::V6(_) => prefixes.v6(),
    };
    Prefix::new(key, bits.into()).ok()
}

/// Gives each in turn to who would be least loaded with it, where that takes from the fullest of
/// those concerned.
fn tamed(
    subject: &Subject,
    loads: &Loads,
    candidates: impl Iterator<Item = Candidate>,
    top: usize,
) -> Vec<Heavy> {
    let parts = &subject.parts;
    let total = loads.total();
    let tenths = parts.len() as u128 * TENTH;
    let heavy = |it: &Candidate| it.least > 0 && u128::from(it.least) * tenths >= total.into();
    let mut loads = loads.clone();
    let mut all = Vec::new();
    for it in candidates.take_while(heavy).take(top) {
        let weight: u64 = it.split.iter().map(|(_, weight)| weight).sum();
        let without = |id| {
            let mine = it.split.iter().filter(|(other, _)| *other == id);
            let mine: u64 = mine.map(|(_, weight)| weight).sum();
            loads.of(id).saturating_sub(mine)
        };
        let target = parts.iter().reduce(|best, part| {
            let [mine, theirs] = [part, best].map(|it| without(it.id) + weight);
            match part.lighter(mine, best, theirs) {
                true => part,
                false => best,
            }
        });
        let fullest_before = |target| {
            let concerned = it.split.iter().map(|(id, _)| *id).chain([target]);
            let parts = parts
                .iter()
                .filter(|part| concerned.clone().any(|id| id == part.id));
            let ratios = parts.map(|part| loads.of(part.id) as f64 / f64::from(part.weight));
            ratios.fold(0.0, f64::max)
        };
        let target = target.filter(|part| {
            let after = (without(part.id) + weight) as f64 / f64::from(part.weight);
            after < fullest_before(part.id)
        });
        let target = target.map(|part| part.id);
        if let Some(to) = target {
            for (from, weight) in &it.split {
                loads.shift(*from, to, *weight);
            }
        }
        all.push(Heavy {
            prefix: it.prefix.to_string(),
            ppm: ppm(it.least, total),
            most_ppm: ppm(it.most, total),
            servers: it.split.iter().map(|(id, _)| subject.name(*id)).collect(),
            r#override: target.map(|id| subject.name(id)),
            max_mean: Balance::of(&loads, parts).max_mean,
        });
    }
    all
}

/// No max/mean below this can be had while the heaviest client has one server.
pub fn floor(subject: &Subject, tally: &Tally<'_>, total: u64) -> f64 {
    let heaviest = tally.clients.heaviest();
    let heaviest = heaviest.first().map_or(0, |(_, client)| client.least());
    let weights = || subject.parts.iter().map(|part| f64::from(part.weight));
    let largest = weights().fold(1.0, f64::max);
    heaviest as f64 / total.max(1) as f64 * weights().sum::<f64>() / largest
}
