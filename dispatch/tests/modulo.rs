// SPDX-License-Identifier: GPL-2.0

//! Kind `mod`: the paper's formula, and the same said with a list that shrinks.

mod common;

use common::{any_address, any_servers, equal, id, live, server, STATES};
use onehop_dispatch::addr::{Address, Number, Prefixes};
use onehop_dispatch::function::{Explanation, Explicit, Function, Kind, Law, Owner, Rule};
use onehop_dispatch::server::{Server, ServerId, State};
use proptest::prelude::*;

fn law(servers: &[Server]) -> Law {
    Law::new(Kind::Mod, Prefixes::default(), servers).unwrap()
}

fn owner(servers: &[Server], client: Address) -> Owner {
    Function::new(&law(servers), servers, &[], &[]).owner(client)
}

fn number(client: Address) -> u128 {
    match client {
        Address::V4(bytes) => u32::from_be_bytes(bytes).into(),
        Address::V6(bytes) => u128::from_be_bytes(bytes) >> 64,
    }
}

/// Every server in the order of its try.
fn order(servers: &[Server], client: Address) -> Vec<Server> {
    let mut untried = servers.to_vec();
    let mut order = Vec::new();
    while !untried.is_empty() {
        order.push(untried.remove((number(client) % untried.len() as u128) as usize));
    }
    order
}

fn expected(servers: &[Server], client: Address) -> Option<ServerId> {
    let live = live(servers);
    order(servers, client)
        .into_iter()
        .find(|server| live.contains(server))
        .map(|server| server.id)
}

#[test]
fn every_state_of_up_to_five_servers() {
    for n in 0..=5u32 {
        for combination in 0..3usize.pow(n) {
            let servers: Vec<Server> = (0..n)
                .map(|i| server(i * 250, 1, STATES[combination / 3usize.pow(i) % 3]))
                .collect();
            // 60 is the least common multiple of 1 to 5: every path is taken.
            for client in 0..60u32 {
                let client = Address::V4((0xc000_0200 + client).to_be_bytes());
                let owner = owner(&servers, client);
                assert_eq!(owner.server(), expected(&servers, client), "{servers:?}");
                let draining = servers.iter().all(|server| server.state != State::Up);
                assert_eq!(
                    matches!(owner, Owner::Draining(_)),
                    draining && owner != Owner::None
                );
            }
        }
    }
}

#[test]
fn one_failure_is_the_papers_formula() {
    for n in 2..=9u32 {
        for k in 0..n {
            let mut servers = equal(n);
            servers[k as usize].state = State::Down;
            for client in 0..5000u32 {
                let ca = client.wrapping_mul(2_654_435_761);
                let j = ca % (n - 1);
                let paper = match ca % n {
                    other if other != k => other,
                    _ if j < k => j,
                    _ => j + 1,
                };
                let owner = owner(&servers, Address::V4(ca.to_be_bytes()));
                assert_eq!(owner, Owner::Up(id(paper)), "{ca} mod {n}, {k} down");
            }
        }
    }
}

#[test]
fn documented_examples() {
    let mut servers = equal(5);
    let v4 = |last| Address::V4([192, 0, 2, last]);
    assert_eq!(owner(&servers, v4(7)), Owner::Up(id(1)));
    let v6 = Address::V6(*b"\x20\x01\x0d\xb8\0\0\0\x01\0\0\0\0\0\0\0\x09");
    assert_eq!(owner(&servers, v6), Owner::Up(id(1)));
    servers[2].state = State::Down;
    assert_eq!(owner(&servers, v4(8)), Owner::Up(id(0)));
    servers[3].state = State::Down;
    assert_eq!(owner(&servers, v4(18)), Owner::Up(id(4)));
    let law = law(&servers);
    let explained = Function::new(&law, &servers, &[], &[]).explain(v4(18), Explicit::default());
    let key = Prefixes::default().key(v4(18));
    let (rule, owner) = (Rule::Try(3), Owner::Up(id(4)));
    assert_eq!(explained, Explanation { key, rule, owner });
}

/// The largest pool, and the longest way to an owner.
#[test]
fn one_live_of_1024() {
    for survivor in [0, 63, 64, 511, 1023] {
        let mut servers = equal(1024);
        for server in &mut servers {
            server.state = State::Down;
        }
        servers[survivor as usize].state = State::Up;
        for client in [[0; 4], [255; 4], [192, 0, 2, 1]] {
            assert_eq!(
                owner(&servers, Address::V4(client)),
                Owner::Up(id(survivor))
            );
        }
    }
}

#[test]
fn nobody_owns_by_zero() {
    assert_eq!(owner(&[], Address::V4([1, 2, 3, 4])), Owner::None);
    assert_eq!(Number::V4(7).remainder(0), None);
    assert_eq!(Number::V6(7).remainder(0), None);
}

proptest! {
    #[test]
    fn remainders(number: u128, n in 1u32..) {
        let rest = (number % u128::from(n)) as u32;
        prop_assert_eq!(Number::V6(number).remainder(n), Some(rest));
        prop_assert_eq!(Number::V4(number as u32).remainder(n), Some(number as u32 % n));
    }

    #[test]
    fn owners_and_successions(
        servers in any_servers(70, 1), client in any_address(), length in 0usize..80
    ) {
        prop_assert_eq!(owner(&servers, client).server(), expected(&servers, client));
        let order = order(&servers, client);
        let in_state = |state| order.iter().filter(move |server| server.state == state);
        let all: Vec<_> = in_state(State::Up)
            .chain(in_state(State::Drain))
            .map(|server| server.id)
            .take(length)
            .collect();
        let mut out = vec![id(0); length];
        let law = law(&servers);
        let found = Function::new(&law, &servers, &[], &[]).succession(client, Explicit::default(), &mut out);
        prop_assert_eq!(&out[..found], &all[..]);
    }

    /// Law 2: whoever's owner stays live stays.
    #[test]
    fn survivors_keep_their_clients(
        mut servers in any_servers(30, 1), client in any_address(), dead: Vec<prop::sample::Index>
    ) {
        prop_assume!(servers.iter().any(|server| server.state == State::Up));
        let before = owner(&servers, client).server();
        for index in dead {
            let at = index.index(servers.len());
            servers[at].state = State::Down;
        }
        if live(&servers).iter().any(|server| Some(server.id) == before) {
            prop_assert_eq!(owner(&servers, client).server(), before);
        }
    }
}
