// SPDX-License-Identifier: GPL-2.0

//! How even a pool is: its shares of rows, and of a million and a hundred million clients.
//!
//! Prints the tables in Documentation/scale.md: `cargo run --release --example evenness`.
//! Deterministic.

use std::thread;

use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::function::{Function, Kind, Law};
use onehop_dispatch::hash::{self, RowCount};
use onehop_dispatch::server::{Server, ServerId, State, Weight};
use onehop_dispatch::siphash::Keyed;

const SEEDS: u8 = 8;
const FEW: u32 = 1_000_000;
const MANY: u32 = 100_000_000;
/// Odd, so that its multiples are all addresses, each once, and no two clients are one.
const STRIDE: u32 = 0x9e37_79b1;

/// What is counted of each row: itself, and its clients of the few and of the many.
#[derive(Clone, Copy, Default)]
struct Counts([u64; 3]);

/// Likewise of each server, by what is due to it: 1 is even.
struct Extremes {
    max: [f64; 3],
    min: [f64; 3],
}

/// Servers under test.
struct Pool {
    name: &'static str,
    weights: Vec<u32>,
    rows: u32,
    /// Kind `table`, in which each server is named for as many rows.
    named: bool,
}

impl Pool {
    fn equal(name: &'static str, servers: usize, rows: u32) -> Self {
        Self {
            name,
            weights: vec![1; servers],
            rows,
            named: false,
        }
    }

    fn weighted(name: &'static str, groups: &[(usize, u32)]) -> Self {
        let of = |&(servers, weight)| vec![weight; servers];
        Self {
            name,
            weights: groups.iter().flat_map(of).collect(),
            rows: RowCount::MAX.get(),
            named: false,
        }
    }

    fn named(name: &'static str, servers: usize) -> Self {
        Self {
            named: true,
            ..Self::equal(name, servers, RowCount::MAX.get())
        }
    }

    fn servers(&self) -> Vec<Server> {
        let server = |(id, &weight)| Server {
            id: ServerId::new(id).expect("up to 1024 servers"),
            weight: Weight::new(weight).expect("1 to 1000"),
            state: State::Up,
        };
        (0..).zip(&self.weights).map(server).collect()
    }

    /// What the fullest and the emptiest server have of all that was counted by 65536 rows. A row of
    /// fewer is the hash modulo a lesser power of two, so it has what those rows have together.
    fn extremes(&self, seed: u8, counted: &[Counts]) -> Extremes {
        let servers = self.servers();
        let keyed = Keyed::new([seed; 16]);
        let rows = RowCount::new(self.rows).expect("a power of two");
        let ids = servers.iter().map(|server| server.id.get());
        let (kind, table) = if self.named {
            let table = ids.cycle().take(self.rows as usize).collect();
            (Kind::Table { keyed, rows }, table)
        } else {
            (Kind::Hash { keyed, rows }, vec![])
        };
        let law = Law::new(kind, Prefixes::default(), &servers).expect("ids ascend");
        let mut owners = vec![hash::NONE; self.rows as usize];
        hash::fill(&keyed, &servers, &table, 0, &mut owners);
        let function = Function::new(&law, &servers, &owners, &[]);

        let mut loads = vec![Counts::default(); servers.len()];
        let mut all = Counts::default();
        for (row, counts) in (0..rows.get()).cycle().zip(counted) {
            let owner = function.owner_of_row(row).server().expect("all are up");
            for (what, count) in counts.0.into_iter().enumerate() {
                loads[usize::from(owner.get())].0[what] += count;
                all.0[what] += count;
            }
        }

        let total: u32 = self.weights.iter().sum();
        let mut extremes = Extremes {
            max: [0.0; 3],
            min: [f64::MAX; 3],
        };
        for (load, &weight) in loads.iter().zip(&self.weights) {
            for what in 0..3 {
                let due = all.0[what] as f64 * f64::from(weight) / f64::from(total);
                let ratio = load.0[what] as f64 / due;
                extremes.max[what] = extremes.max[what].max(ratio);
                extremes.min[what] = extremes.min[what].min(ratio);
            }
        }
        extremes
    }

    /// How far the rows of the lightest server are off what is due to it: their standard deviation.
    fn deviation(&self) -> f64 {
        if self.named {
            return 0.0;
        }
        let lightest = self.weights.iter().min().copied().unwrap_or(1);
        let share = f64::from(lightest) / f64::from(self.weights.iter().sum::<u32>());
        ((1.0 - share) / (share * f64::from(self.rows))).sqrt()
    }
}

/// Of each of 65536 rows, by the law itself.
fn count(seed: u8) -> Vec<Counts> {
    let kind = Kind::Hash {
        keyed: Keyed::new([seed; 16]),
        rows: RowCount::MAX,
    };
    let law = Law::new(kind, Prefixes::default(), &[]).expect("nobody is out of order");
    let function = Function::new(&law, &[], &[], &[]);
    let mut counted = vec![Counts([1, 0, 0]); RowCount::MAX.get() as usize];
    for number in 0..MANY {
        let client = Address::V4(number.wrapping_mul(STRIDE).to_be_bytes());
        let row = function.row(client).expect("kind hash has rows");
        let Counts([_, few, many]) = &mut counted[row as usize];
        *few += u64::from(number < FEW);
        *many += 1;
    }
    counted
}

/// A line for a pool: the mean over the seeds, and the worst that one of them has.
fn line(pool: &Pool, counted: &[Vec<Counts>]) {
    let extremes: Vec<_> = (0..)
        .zip(counted)
        .map(|(seed, counted)| pool.extremes(seed, counted))
        .collect();
    let mean =
        |of: &dyn Fn(&Extremes) -> f64| extremes.iter().map(of).sum::<f64>() / f64::from(SEEDS);
    print!("| {} | {:.1} % |", pool.name, 100.0 * pool.deviation());
    for what in 0..3 {
        print!(
            " {:.3} | {:.3} |",
            mean(&|it| it.max[what]),
            mean(&|it| it.min[what])
        );
    }
    println!(
        " {:.3} |",
        extremes
            .iter()
            .fold(0.0, |worst: f64, it| worst.max(it.max[2]))
    );
}

fn table(pools: &[Pool], counted: &[Vec<Counts>]) {
    println!("| servers | deviation | rows: max | min | 1 M: max | min | 100 M: max | min | worst seed |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for pool in pools {
        line(pool, counted);
    }
}

fn main() {
    let counted: Vec<_> = thread::scope(|scope| {
        let counting: Vec<_> = (0..SEEDS)
            .map(|seed| scope.spawn(move || count(seed)))
            .collect();
        counting
            .into_iter()
            .map(|one| one.join().expect("it counts only"))
            .collect()
    });
    let most = RowCount::MAX.get();
    table(
        &[
            Pool::equal("2", 2, most),
            Pool::equal("4", 4, most),
            Pool::equal("8", 8, most),
            Pool::equal("16", 16, most),
            Pool::equal("64", 64, most),
            Pool::equal("256", 256, most),
            Pool::equal("1024", 1024, most),
            Pool::weighted("8 of weight 1, 8 of 2", &[(8, 1), (8, 2)]),
            Pool::weighted("15 of weight 10, one of 1", &[(15, 10), (1, 1)]),
            Pool::weighted("63 of weight 100, one of 1", &[(63, 100), (1, 1)]),
            Pool::named("256, table", 256),
            Pool::named("1024, table", 1024),
        ],
        &counted,
    );
    println!();
    table(
        &[
            Pool::equal("16, 256 rows", 16, 256),
            Pool::equal("16, 1024 rows", 16, 1024),
            Pool::equal("16, 4096 rows", 16, 4096),
            Pool::equal("16, 16384 rows", 16, 16384),
        ],
        &counted,
    );
}
