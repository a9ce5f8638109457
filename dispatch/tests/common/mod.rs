// SPDX-License-Identifier: GPL-2.0

//! Short names for what the tests build, and the law said again the slow way.

#![allow(dead_code, reason = "each test binary uses a part of this")]

pub mod aged;
pub mod whole;

use onehop_dispatch::addr::Address;
use onehop_dispatch::hash;
use onehop_dispatch::log2;
use onehop_dispatch::server::{Server, ServerId, State, Weight};
use onehop_dispatch::siphash::Keyed;
use proptest::prelude::*;

pub const STATES: [State; 3] = [State::Up, State::Drain, State::Down];

pub fn id(id: u32) -> ServerId {
    ServerId::new(id).unwrap()
}

pub fn server(number: u32, weight: u32, state: State) -> Server {
    Server {
        id: id(number),
        weight: Weight::new(weight).unwrap(),
        state,
    }
}

/// Servers 0..n, of weight 1 and up.
pub fn equal(n: u32) -> Vec<Server> {
    (0..n).map(|id| server(id, 1, State::Up)).collect()
}

pub fn filled(keyed: &Keyed, servers: &[Server], rows: usize) -> Vec<u16> {
    let mut filled = vec![hash::NONE; rows];
    hash::fill(keyed, servers, &[], 0, &mut filled);
    filled
}

/// As many rows as there are explicit owners.
pub fn tabled(keyed: &Keyed, servers: &[Server], table: &[u16]) -> Vec<u16> {
    let mut filled = vec![hash::NONE; table.len()];
    hash::fill(keyed, servers, table, 0, &mut filled);
    filled
}

/// The live servers, by filtering.
pub fn live(servers: &[Server]) -> Vec<Server> {
    for state in [State::Up, State::Drain] {
        let some: Vec<Server> = servers
            .iter()
            .copied()
            .filter(|server| server.state == state)
            .collect();
        if !some.is_empty() {
            return some;
        }
    }
    Vec::new()
}

/// All servers as a row ranks them, by sorting.
pub fn ranked(keyed: &Keyed, row: u32, servers: &[Server]) -> Vec<Server> {
    let cost = |server: &Server| u128::from(log2::cost(keyed.pair(row, server.id.get())));
    let weight = |server: &Server| u128::from(server.weight.get());
    let mut all = servers.to_vec();
    all.sort_by(|a, b| {
        (cost(a) * weight(b))
            .cmp(&(cost(b) * weight(a)))
            .then(a.id.cmp(&b.id))
    });
    all
}

pub fn any_state() -> impl Strategy<Value = State> {
    prop::sample::select(&STATES[..])
}

/// Up to `most` servers with sparse ids, any weights of at most `weight`, any states.
pub fn any_servers(most: usize, weight: u32) -> impl Strategy<Value = Vec<Server>> {
    prop::collection::btree_map(0u32..=1023, (1..=weight, any_state()), 0..=most).prop_map(|map| {
        map.into_iter()
            .map(|(id, (weight, state))| server(id, weight, state))
            .collect()
    })
}

pub fn any_keyed() -> impl Strategy<Value = Keyed> {
    any::<[u8; 16]>().prop_map(Keyed::new)
}

pub fn any_address() -> impl Strategy<Value = Address> {
    prop_oneof![
        any::<[u8; 4]>().prop_map(Address::V4),
        any::<[u8; 16]>().prop_map(Address::V6)
    ]
}
