// SPDX-License-Identifier: GPL-2.0

//! Kind `hash`: rows against a full sort, and laws 1 to 3.

mod common;

use common::{any_keyed, any_servers, equal, filled, id, live, ranked, server, STATES};
use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::hash::{self, RowCount, NONE};
use onehop_dispatch::server::{Server, Serving, State};
use onehop_dispatch::siphash::Keyed;
use proptest::prelude::*;

const KEYED: Keyed = Keyed::new(*b"a seed of 16 byt");

fn expected(keyed: &Keyed, row: u32, servers: &[Server]) -> u16 {
    let ranking = ranked(keyed, row, &live(servers));
    ranking.first().map_or(NONE, |server| server.id.get())
}

#[test]
fn every_state_of_up_to_five_servers() {
    for n in 0..=5u32 {
        for combination in 0..3usize.pow(n) {
            let servers: Vec<Server> = (0..n)
                .map(|i| server(i * 200, 1 + i % 3, STATES[combination / 3usize.pow(i) % 3]))
                .collect();
            for (row, holder) in (0..).zip(filled(&KEYED, &servers, 256)) {
                assert_eq!(
                    holder,
                    expected(&KEYED, row, &servers),
                    "{servers:?}, {row}"
                );
            }
        }
    }
}

/// F1: every pair and triple of 8 servers down at once.
#[test]
fn pairs_and_triples_down() {
    let all = equal(8);
    let before = filled(&KEYED, &all, 4096);
    for mask in 0u32..256 {
        if !(2..=3).contains(&mask.count_ones()) {
            continue;
        }
        let dead = |id: u16| (mask >> id) & 1 == 1;
        let mut servers = all.clone();
        for server in servers.iter_mut().filter(|server| dead(server.id.get())) {
            server.state = State::Down;
        }
        for (&old, new) in before.iter().zip(filled(&KEYED, &servers, 4096)) {
            assert!(!dead(new), "{mask:b}: a dead owner");
            assert!(dead(old) || old == new, "{mask:b}: a survivor's row moved");
        }
    }
}

#[test]
fn chunks_make_the_table() {
    let servers = equal(5);
    let whole = filled(&KEYED, &servers, 1024);
    for size in [1, 7, 256, 1024] {
        let mut table = vec![NONE; 1024];
        for (chunk, first) in table.chunks_mut(size).zip((0..).step_by(size)) {
            hash::fill(&KEYED, &servers, &[], first, chunk);
        }
        assert_eq!(table, whole, "chunks of {size}");
    }
}

/// What is named of each row counts if it is live; and whose weight is what does not.
#[test]
fn explicit_owners() {
    let servers = [
        server(3, 1, State::Up),
        server(5, 1000, State::Up),
        server(7, 1, State::Drain),
        server(8, 1, State::Down),
    ];
    let table: Vec<u16> = [3, 5, 7, 8, 9, 1023, 1024, NONE].repeat(32);
    for first in [0, 8, 240] {
        let mut rows = vec![NONE; 32];
        hash::fill(&KEYED, &servers, &table, first, &mut rows);
        for (row, holder) in (first..).zip(rows) {
            let won = expected(&KEYED, row, &servers);
            // There is no row 256 and on.
            match table.get(row as usize) {
                Some(&named @ (3 | 5)) => assert_eq!(holder, named),
                _ => assert_eq!(holder, won),
            }
        }
    }
}

#[test]
fn row_counts() {
    for good in [256, 512, 4096, 65536] {
        assert_eq!(RowCount::new(good).unwrap().get(), good);
    }
    for bad in [0, 1, 128, 255, 257, 1000, 65535, 65537, 131_072, u32::MAX] {
        assert!(RowCount::new(bad).is_err(), "{bad}");
    }
}

#[test]
fn rows_of_keys() {
    let rows = RowCount::new(256).unwrap();
    let key = |address| Prefixes::default().key(address);
    let keyed = Keyed::new(std::array::from_fn(|i| i as u8));
    let v4 = key(Address::V4([192, 0, 2, 1]));
    assert_eq!(rows.row_of(&keyed, v4), 201);
    assert_eq!(RowCount::MAX.row_of(&keyed, v4), 0x3ac9);
    let host = key(Address::V6(*b"\x20\x01\x0d\xb8\0\0\0\x01abcdefgh"));
    assert_eq!(rows.row_of(&keyed, host), 107);
}

fn check_succession(keyed: &Keyed, row: u32, servers: &[Server], length: usize) {
    let ranking = ranked(keyed, row, servers);
    let in_state = |state| ranking.iter().filter(move |server| server.state == state);
    let all: Vec<_> = in_state(State::Up)
        .chain(in_state(State::Drain))
        .map(|server| server.id)
        .take(length)
        .collect();
    let mut out = vec![id(0); length];
    let found = hash::succession(keyed, row, servers, [None; 2], &mut out);
    assert_eq!(out[..found], all, "{servers:?}");
}

proptest! {
    #[test]
    fn rows_are_the_ranking(keyed in any_keyed(), servers in any_servers(40, 1000), first: u16) {
        let first = u32::from(first);
        let mut rows = [NONE; 16];
        hash::fill(&keyed, &servers, &[], first, &mut rows);
        for (row, holder) in (first..).zip(rows) {
            prop_assert_eq!(holder, expected(&keyed, row, &servers));
            let winner = hash::winner(&keyed, row, &servers, Serving::of(&servers));
            prop_assert_eq!(holder, winner.map_or(NONE, |id| id.get()));
        }
    }

    #[test]
    fn succession_is_who_follows(
        keyed in any_keyed(), servers in any_servers(12, 9), row in 0u32..65536, length in 0usize..14
    ) {
        check_succession(&keyed, row, &servers, length);
    }

    /// Laws 1 to 3 for one server that leaves, and, read backwards, joins.
    #[test]
    fn one_server_moves_only_its_own(
        keyed in any_keyed(), mut servers in any_servers(20, 1000), which: prop::sample::Index
    ) {
        prop_assume!(live(&servers).len() > 1);
        let leaver = live(&servers)[which.index(live(&servers).len())].id;
        let before = filled(&keyed, &servers, 512);
        servers.retain(|server| server.id != leaver);
        for (&old, new) in before.iter().zip(filled(&keyed, &servers, 512)) {
            prop_assert!(live(&servers).iter().any(|server| server.id.get() == new));
            prop_assert!(old == leaver.get() || old == new);
        }
    }

    /// A greater weight only attracts.
    #[test]
    fn weight_attracts(
        keyed in any_keyed(), mut servers in any_servers(20, 500), which: prop::sample::Index
    ) {
        prop_assume!(!servers.is_empty());
        let heavier = which.index(servers.len());
        let before = filled(&keyed, &servers, 512);
        let weight = u32::from(servers[heavier].weight.get()) * 2;
        servers[heavier] = server(servers[heavier].id.get().into(), weight, servers[heavier].state);
        for (&old, new) in before.iter().zip(filled(&keyed, &servers, 512)) {
            prop_assert!(old == new || new == servers[heavier].id.get());
        }
    }
}
