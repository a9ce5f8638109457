// SPDX-License-Identifier: GPL-2.0
//! When a fitted table pays: logs of many lengths, and clients that come again or do not.
//!
//! Prints the table in Documentation/analyze.md. Deterministic.

use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::hash::{self, RowCount};
use onehop_dispatch::server::{Server, ServerId, Serving, State, Weight};
use onehop_dispatch::siphash::Keyed;
use onehopctl::analyze::fit::fit;
use onehopctl::analyze::load::{Balance, Loads, Part};

const SERVERS: u16 = 16;
const TRIALS: u64 = 20;
/// As in the sample log: so many requests a client.
const REQUESTS_A_CLIENT: u64 = 6;
const LENGTHS: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// How many of a hundred clients come again.
const AGAIN: [u64; 6] = [30, 50, 70, 90, 95, 100];

/// Steele, Lea and Flood's SplitMix64.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Within 0..1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Poisson; of many, as good as normal.
    fn poisson(&mut self, mean: f64) -> u64 {
        if mean > 30.0 {
            let normal: f64 = (0..12).map(|_| self.unit()).sum::<f64>() - 6.0;
            return (mean + normal * mean.sqrt()).max(0.0).round() as u64;
        }
        let limit = (-mean).exp();
        let mut count = 0;
        let mut product = self.unit();
        while product > limit {
            count += 1;
            product *= self.unit();
        }
        count
    }
}

/// A pool by one seed.
struct Pool {
    keyed: Keyed,
    rows: RowCount,
    winners: Vec<u16>,
    parts: Vec<Part>,
}

impl Pool {
    fn new(seed: u64) -> Self {
        let keyed = Keyed::new((u128::from(seed) << 64 | 1).to_be_bytes());
        let server = |id| Server {
            id: ServerId::new(id).expect("an id"),
            weight: Weight::ONE,
            state: State::Up,
        };
        let servers: Vec<_> = (0..SERVERS.into()).map(server).collect();
        let rows = RowCount::MAX;
        let winner = |row| hash::winner(&keyed, row, &servers, Serving::Up);
        Self {
            winners: (0..rows.get())
                .map(|row| winner(row).map_or(hash::NONE, ServerId::get))
                .collect(),
            keyed,
            rows,
            parts: (0..SERVERS).map(|id| Part { id, weight: 1 }).collect(),
        }
    }

    fn row(&self, client: u32) -> usize {
        let key = Prefixes::default().key(Address::V4(client.to_be_bytes()));
        self.rows.row_of(&self.keyed, key) as usize
    }

    /// max/mean of rows with a load, by their owners.
    fn max_mean(&self, rows: &[u64], owner: impl Fn(usize) -> u16) -> f64 {
        let mut loads = Loads::new();
        for (row, weight) in rows.iter().enumerate() {
            loads.add(ServerId::from_row(owner(row)), *weight);
        }
        Balance::of(&loads, &self.parts).max_mean
    }
}

/// What came of one log.
#[derive(Default)]
struct Outcome {
    known: f64,
    hash: f64,
    fitted: f64,
}

/// Fits to 70 % of a log and judges by the rest, in which so many clients come again and others
/// have taken the places of the rest.
fn trial(pool: &Pool, chance: &mut Chance, length: u64, again: u64) -> Outcome {
    let clients = length / REQUESTS_A_CLIENT;
    // Zipf, but for the first few: then the shares of the heaviest are like the sample log's.
    let popularity = |rank: u64| 1.0 / (rank + 4) as f64;
    let unit = length as f64 / (0..clients).map(popularity).sum::<f64>();
    let mut learnt = vec![0; pool.rows.get() as usize];
    let mut judged = learnt.clone();
    let (mut known, mut later) = (0, 0);
    for rank in 0..clients {
        let mean = popularity(rank) * unit;
        let client = chance.next() as u32;
        let before = chance.poisson(mean * 0.7);
        learnt[pool.row(client)] += before;
        let comes_again = chance.next() % 100 < again;
        let successor = if comes_again {
            client
        } else {
            chance.next() as u32
        };
        let after = chance.poisson(mean * 0.3);
        judged[pool.row(successor)] += after;
        later += after;
        known += if comes_again && before > 0 { after } else { 0 };
    }
    let table = fit(&learnt, &Loads::new(), &pool.parts);
    let by_table = |row: usize| match table[row] {
        hash::NONE => pool.winners[row],
        owner => owner,
    };
    Outcome {
        known: known as f64 / later.max(1) as f64,
        hash: pool.max_mean(&judged, |row| pool.winners[row]),
        fitted: pool.max_mean(&judged, by_table),
    }
}

fn main() {
    let pools: Vec<_> = (0..TRIALS).map(Pool::new).collect();
    println!("| requests | of clients from before | hash | fitted |");
    println!("|---|---|---|---|");
    for length in LENGTHS {
        for again in AGAIN {
            let mut chance = Chance(length * 1000 + again);
            let mut sum = Outcome::default();
            for pool in &pools {
                let outcome = trial(pool, &mut chance, length, again);
                sum.known += outcome.known;
                sum.hash += outcome.hash;
                sum.fitted += outcome.fitted;
            }
            let mean = |sum: f64| sum / TRIALS as f64;
            println!(
                "| {length} | {:.0} % | {:.2} | {:.2} |",
                100.0 * mean(sum.known),
                mean(sum.hash),
                mean(sum.fitted)
            );
        }
    }
}
