// SPDX-License-Identifier: GPL-2.0

//! `change WHAT TIMES`: a change of the largest table, 65536 rows by 1024 servers, so many times, for
//! bench/changes.py to time.

use onehop_dispatch::hash::{self, RowCount};
use onehop_dispatch::revision::Revision;
use onehop_dispatch::server::{Server, ServerId, State, Weight};
use onehop_dispatch::siphash::Keyed;
use std::hint::black_box;
use std::process::ExitCode;

const KEYED: Keyed = Keyed::new(*b"a seed of 16 byt");

/// The one server that changes.
const ONE: u16 = 500;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let run = match &arguments[..] {
        [what, times] => change(what).zip(times.parse().ok()),
        _ => None,
    };
    match run {
        Some((change, times)) => {
            change.run(times);
            ExitCode::SUCCESS
        }
        None => {
            eprintln!(
                "change: '{}': expected full, weighted, down, up, heavier, lighter or half-down, \
                 and how many times",
                arguments.join(" ")
            );
            ExitCode::from(2)
        }
    }
}

/// From these servers, or from nothing, to those.
struct Change {
    old: Option<Vec<Server>>,
    new: Vec<Server>,
}

fn change(what: &str) -> Option<Change> {
    let (old, new) = match what {
        "full" => (None, servers(|_| 1)),
        "weighted" => (None, servers(|id| 1 + u32::from(id) * 7919 % 1000)),
        "down" => (Some(one(4, State::Up)), one(4, State::Down)),
        "up" => (Some(one(4, State::Down)), one(4, State::Up)),
        "heavier" => (Some(one(4, State::Up)), one(5, State::Up)),
        "lighter" => (Some(one(5, State::Up)), one(4, State::Up)),
        "half-down" => (Some(one(1000, State::Up)), one(1000, State::Down)),
        _ => return None,
    };
    Some(Change { old, new })
}

fn servers(weight: impl Fn(u16) -> u32) -> Vec<Server> {
    let ids = (0..=ServerId::MAX).filter_map(ServerId::from_row);
    let server = |id: ServerId| Server {
        id,
        weight: Weight::new(weight(id.get())).unwrap_or(Weight::ONE),
        state: State::Up,
    };
    ids.map(server).collect()
}

/// All of one weight, but for one.
fn one(weight: u32, state: State) -> Vec<Server> {
    let others = if weight == 1000 { 1 } else { 4 };
    let mut servers = servers(|id| if id == ONE { weight } else { others });
    for server in servers.iter_mut().filter(|it| it.id.get() == ONE) {
        server.state = state;
    }
    servers
}

impl Change {
    /// As the kernel does it: a table is filled, or copied and revised.
    fn run(&self, times: u32) {
        let empty = vec![hash::NONE; RowCount::MAX.get() as usize];
        let filled = |servers: &[Server]| {
            let mut rows = empty.clone();
            hash::fill(&KEYED, servers, &[], 0, &mut rows);
            rows
        };
        let before = self.old.as_deref().map(|old| (old, filled(old)));
        for _ in 0..times {
            black_box(match &before {
                None => filled(&self.new),
                Some((old, before)) => {
                    let mut rows = before.clone();
                    Revision::new(old, &self.new).apply(&KEYED, &[], 0, &mut rows);
                    rows
                }
            });
        }
    }
}
