// SPDX-License-Identifier: GPL-2.0
//! What other seeds would have made of it.
//!
//! Where the heaviest clients meet is chance, and one seed says more about its luck than about a
//! kind. With the clients that have counters, another seed's loads can be told after the fact; the
//! rest is many clients with little, which any seed spreads evenly.

use onehop_dispatch::addr::Address;
use onehop_dispatch::hash::{self, RowCount};
use onehop_dispatch::server::{Server, ServerId, Serving, State, Weight};
use onehop_dispatch::siphash::Keyed;
use serde::Serialize;

use super::fit::fit;
use super::load::{Balance, Loads};
use super::subject::Subject;
use super::tally::Tally;

/// How many seeds are tried: as many as take a moment, by what one costs.
const SEEDS: std::ops::RangeInclusive<usize> = 50..=500;
const HASHES: usize = 20_000_000;

/// max/mean over seeds.
#[derive(Clone, Copy, Serialize)]
pub struct Spread {
    pub seeds: usize,
    pub mean: f64,
    pub least: f64,
    pub most: f64,
}

/// Of kind `hash`, and of a table that is fitted to what comes before slice `cut`: how even each
/// is in the rest.
pub fn seeds(subject: &Subject, tally: &Tally<'_>, cut: usize) -> [Spread; 2] {
    let trial = Trial::new(subject, tally, cut);
    let seeds = HASHES / (trial.known.len() * trial.servers.len()).max(1);
    let seeds = seeds.clamp(*SEEDS.start(), *SEEDS.end());
    let found: Vec<_> = (1..=seeds as u128)
        .map(|number| {
            let seed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
            trial.judge(&Keyed::new(seed.to_be_bytes()))
        })
        .collect();
    [0, 1].map(|kind| {
        let ratios = found.iter().map(|both: &[f64; 2]| both[kind]);
        Spread {
            seeds,
            mean: ratios.clone().sum::<f64>() / seeds as f64,
            least: ratios.clone().fold(f64::INFINITY, f64::min),
            most: ratios.fold(0.0, f64::max),
        }
    })
}

/// A client, and what came of it in the first part and in the rest.
struct Known {
    key: Address,
    parts: [u64; 2],
}

/// What all seeds are tried with.
struct Trial<'a> {
    subject: &'a Subject,
    servers: Vec<Server>,
    known: Vec<Known>,
    /// What servers have by any seed, in both parts.
    fixed: [Loads; 2],
}

impl<'a> Trial<'a> {
    fn new(subject: &'a Subject, tally: &Tally<'_>, cut: usize) -> Self {
        let function = subject.hash.function();
        let mut fixed = [Loads::new(), Loads::new()];
        let mut known = Vec::new();
        for (index, client) in tally.clients.heaviest() {
            let key = client.key;
            let parts = tally.parted(index, cut);
            if function.row(key).is_some() {
                known.push(Known { key, parts });
            } else {
                let owner = function.owner(key).server();
                for (loads, weight) in fixed.iter_mut().zip(parts) {
                    loads.add(owner, weight);
                }
            }
        }
        let slices = [tally.slices.before(cut), tally.slices.from(cut)];
        for (part, (loads, slice)) in fixed.iter_mut().zip(&slices).enumerate() {
            let all = slice.fixed.total() + slice.rows.iter().sum::<u64>();
            let counted: u64 = known.iter().map(|it| it.parts[part]).sum();
            spread(subject, loads, all - counted - loads.total());
        }
        let servers = subject.parts.iter().filter_map(|part| {
            Some(Server {
                id: ServerId::new(part.id.into()).ok()?,
                weight: Weight::new(part.weight.into()).ok()?,
                state: State::Up,
            })
        });
        Self {
            subject,
            servers: servers.collect(),
            known,
            fixed,
        }
    }

    /// max/mean of the second part by one seed: of hash, and of the table.
    fn judge(&self, keyed: &Keyed) -> [f64; 2] {
        let Ok(count) = RowCount::new(self.subject.group.pool.rows) else {
            return [0.0; 2];
        };
        let row = |it: &Known| count.row_of(keyed, self.subject.prefixes.key(it.key));
        let rows: Vec<_> = self.known.iter().map(row).collect();
        // Of all rows only those that anybody is in.
        let mut taken = rows.clone();
        taken.sort_unstable();
        taken.dedup();
        let place = |row| taken.partition_point(|other| other < row);
        let mut learnt = vec![0; taken.len()];
        for (it, row) in self.known.iter().zip(&rows) {
            learnt[place(row)] += it.parts[0];
        }
        let table = fit(&learnt, &self.fixed[0], &self.subject.parts);
        let [mut by_hash, mut by_table] = [self.fixed[1].clone(), self.fixed[1].clone()];
        for (it, row) in self.known.iter().zip(&rows) {
            let winner = hash::winner(keyed, *row, &self.servers, Serving::Up);
            by_hash.add(winner, it.parts[1]);
            let owner = ServerId::from_row(table[place(row)]).or(winner);
            by_table.add(owner, it.parts[1]);
        }
        [by_hash, by_table].map(|loads| Balance::of(&loads, &self.subject.parts).max_mean)
    }
}

/// Gives everybody what is due.
fn spread(subject: &Subject, loads: &mut Loads, rest: u64) {
    let weights = subject.parts.iter().map(|part| u64::from(part.weight));
    let weights: u64 = weights.sum();
    for part in &subject.parts {
        let due = u128::from(rest) * u128::from(part.weight) / u128::from(weights.max(1));
        loads.add(ServerId::from_row(part.id), u64::try_from(due).unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use onehop_uapi::{Name, Prefix};

    use super::super::holdout::holdout;
    use super::super::subject::imagined;
    use super::*;

    fn client(number: u64) -> Address {
        let number = u32::try_from(number * number % 1009).unwrap();
        Address::V4((0x0a00_0000 | number).to_be_bytes())
    }

    /// As long as all clients have counters, a seed makes what a pool with that seed shows.
    #[test]
    fn another_seed_is_told_exactly() {
        let name = Name::new("name", "s3").unwrap();
        let text = "10.0.0.9".parse::<std::net::IpAddr>().unwrap();
        let mut group = imagined(7).unwrap();
        let prefix = Prefix::new(text.into(), 32).unwrap();
        group.overrides.insert(prefix, name);
        let of = |seed: u8| Subject::new(group.clone(), Some([seed; 16]), Some(4096)).unwrap();
        let tallied = |subject: &Subject| {
            let mut tally = Tally::new(subject);
            for number in 0..5000 {
                tally.take(client(number), number % 17);
            }
            let cut = tally.slices.cut(70).unwrap();
            let kinds = holdout(subject, &tally).unwrap().kinds;
            let of = |kind| kinds.iter().find(|it| it.kind == kind).unwrap().held_out;
            let told = |seed: u8| Trial::new(subject, &tally, cut).judge(&Keyed::new([seed; 16]));
            ([of("hash"), of("fitted")], [1, 2, 3].map(told))
        };
        let all = [1, 2, 3].map(|seed| tallied(&of(seed)));
        for (_, told) in &all {
            for ((is, _), told) in all.iter().zip(told) {
                for (is, told) in is.iter().zip(told) {
                    assert!((is - told).abs() < 1e-9, "{is} {told}");
                }
            }
        }
        assert_ne!(all[0].0, all[1].0);
    }
}
