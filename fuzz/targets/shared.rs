// SPDX-License-Identifier: GPL-2.0

//! One pool of everything, whose owners are worked out twice.

#[path = "../../dispatch/tests/common/mod.rs"]
pub mod common;

use std::cell::OnceCell;

use common::whole::{overrides, Whole, ROWS};
use common::{equal, server};
use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::function::Kind;
use onehop_dispatch::hash::RowCount;
use onehop_dispatch::server::State;
use onehop_dispatch::siphash::Keyed;

thread_local! {
    static WHOLE: OnceCell<Whole> = const { OnceCell::new() };
}

/// The client has the owner that it has by the slow way.
pub fn owned(client: Address) {
    WHOLE.with(|whole| {
        let whole = whole.get_or_init(everything);
        assert_eq!(whole.owner(client), whole.expected(client).0);
    });
}

fn everything() -> Whole {
    let keyed = Keyed::new(*b"a seed of 16 byt");
    let rows = RowCount::new(ROWS).unwrap();
    let mut servers = equal(6);
    servers[2].state = State::Drain;
    servers[4].state = State::Down;
    servers.push(server(9, 3, State::Up));
    let owners = (0..ROWS as u16).map(|row| row % 12).collect();
    let overrides = overrides([
        ("10.0.0.0/8", 1),
        ("10.1.0.0/16", 4),
        ("192.0.2.7/32", 9),
        ("2001:db8::/32", 2),
        ("2001:db8:1::/48", 3),
    ]);
    let prefixes = Prefixes::new(24, 56).unwrap();
    Whole::new(
        Kind::Table { keyed, rows },
        prefixes,
        servers,
        owners,
        overrides,
    )
}
