// SPDX-License-Identifier: GPL-2.0

//! Revised tables equal tables built afresh.

mod common;

use common::whole::any_table;
use common::{any_keyed, any_servers, any_state, equal, filled, server, tabled};
use onehop_dispatch::hash;
use onehop_dispatch::revision::Revision;
use onehop_dispatch::server::{Server, State};
use onehop_dispatch::siphash::Keyed;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};

const KEYED: Keyed = Keyed::new(*b"a seed of 16 byt");

fn revised(keyed: &Keyed, old: &[Server], new: &[Server], rows: usize) -> (Vec<u16>, u32) {
    let mut table = filled(keyed, old, rows);
    let changed = Revision::new(old, new).apply(keyed, &[], 0, &mut table);
    (table, changed)
}

/// F2: 10,000 events (state, weight, join, leave) end where a fresh table begins, be rows won or given.
#[test]
fn ten_thousand_events() {
    // Half of them nobody's, the others' owners present now and then.
    let owner = |row: u16| {
        if row % 2 == 0 {
            hash::NONE
        } else {
            row / 2 % 16
        }
    };
    let table: Vec<u16> = (0..256).map(owner).collect();
    for table in [vec![hash::NONE; 256], table] {
        let moved = events(&table);
        assert!(moved > 100_000, "only {moved} rows moved");
    }
}

fn events(table: &[u16]) -> u32 {
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut servers = equal(6);
    let mut rows = tabled(&KEYED, &servers, table);
    let mut moved = 0;
    for event in 0..10_000 {
        let dice = random.next_u32();
        let (id, weight) = (dice % 12, 1 + (dice >> 8) % 1000);
        let state = common::STATES[(dice >> 24) as usize % 3];
        let old = servers.clone();
        let position = servers.binary_search_by_key(&common::id(id), |server| server.id);
        match (position, dice >> 28) {
            (Ok(at), 0..=2) => drop(servers.remove(at)),
            (Ok(at), 3..=9) => servers[at].state = state,
            (Ok(at), _) => servers[at] = server(id, weight, servers[at].state),
            (Err(at), _) => servers.insert(at, server(id, weight, State::Up)),
        }
        moved += Revision::new(&old, &servers).apply(&KEYED, table, 0, &mut rows);
        assert_eq!(rows, tabled(&KEYED, &servers, table), "event {event}");
    }
    moved
}

#[test]
fn the_same_servers_change_nothing() {
    let servers = equal(9);
    let revision = Revision::new(&servers, &servers);
    assert!(revision.is_idle());
    let mut untouched = [7, 7, 7];
    assert_eq!(revision.apply(&KEYED, &[], 0, &mut untouched), 0);
    assert_eq!(untouched, [7, 7, 7]);
}

#[test]
fn what_is_not_live_changes_nothing() {
    let mut old = equal(3);
    old[1].state = State::Down;
    let mut new = old.clone();
    new[1] = server(1, 50, State::Drain);
    new.push(server(9, 9, State::Down));
    assert!(Revision::new(&old, &new).is_idle());
    assert!(Revision::new(&new, &old).is_idle());
}

#[test]
fn each_way_to_lose_or_gain_is_noticed() {
    let old = equal(3);
    let mut down = old.clone();
    down[0].state = State::Down;
    let mut heavy = old.clone();
    heavy[2] = server(2, 2, State::Up);
    for (from, to) in [
        (&old, &down),
        (&down, &old),
        (&old, &heavy),
        (&heavy, &old),
        (&old, &Vec::new()),
        (&Vec::new(), &old),
    ] {
        assert!(!Revision::new(from, to).is_idle(), "{from:?} to {to:?}");
        let (table, changed) = revised(&KEYED, from, to, 256);
        assert_eq!(table, filled(&KEYED, to, 256));
        assert!(changed > 0);
    }
}

/// What the kernel relies on between its pauses.
#[test]
fn chunks_make_the_table() {
    let old = equal(5);
    let new = [&old[1..], &[server(77, 3, State::Up)]].concat();
    // Of rows behind its end nobody is named.
    let table: Vec<u16> = (0..1000).map(|row| row / 100).collect();
    let whole = |servers| {
        let mut rows = vec![hash::NONE; 1024];
        hash::fill(&KEYED, servers, &table, 0, &mut rows);
        rows
    };
    let mut rows = whole(&old);
    let revision = Revision::new(&old, &new);
    for (chunk, first) in rows.chunks_mut(100).zip((0..).step_by(100)) {
        revision.apply(&KEYED, &table, first, chunk);
    }
    assert_eq!(rows, whole(&new));
}

/// A tie goes to the lower id, whoever was there first.
///
/// Rows, found by search, where two servers' costs by weight are the same.
#[test]
fn ties() {
    let keyed = Keyed::new([0; 16]);
    for (row, (low, its_weight), (high, weight)) in [
        (2791, (64, 185), (352, 13)),
        (12916, (148, 491), (739, 583)),
        (14559, (580, 831), (660, 227)),
        (18430, (474, 25), (611, 69)),
        (4_586_660, (967, 1), (1005, 1)),
    ] {
        let both = [
            server(low, its_weight, State::Up),
            server(high, weight, State::Up),
        ];
        for present in 0..2 {
            let mut rows = [both[present].id.get()];
            Revision::new(&both[present..=present], &both).apply(&keyed, &[], row, &mut rows);
            assert_eq!(u32::from(rows[0]), low, "row {row}, {both:?}");
        }
    }
}

/// Small changes to a list, the kind that leaves most rows alone.
fn any_change() -> impl Strategy<Value = (Vec<Server>, Vec<Server>)> {
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 1u32..6, any_state()), 0..4);
    (any_servers(12, 5), edits).prop_map(|(old, edits)| {
        let mut new = old.clone();
        for (which, weight, state) in edits {
            if !new.is_empty() {
                let slot = &mut new[which.index(old.len())];
                *slot = server(slot.id.get().into(), weight, state);
            }
        }
        (old, new)
    })
}

/// What happens to a server, be it there or not: it leaves, or is as it says then.
type Event = (u32, Option<(u32, State)>);

/// Several servers change at once, again and again.
fn any_events() -> impl Strategy<Value = Vec<Vec<Event>>> {
    let change = prop::option::weighted(0.8, (1u32..=1000, any_state()));
    prop::collection::vec(prop::collection::vec((0u32..32, change), 1..6), 1..30)
}

fn happen(servers: &mut Vec<Server>, (id, change): Event) {
    let at = servers.binary_search_by_key(&common::id(id), |server| server.id);
    match (at, change) {
        (Ok(at), None) => drop(servers.remove(at)),
        (Ok(at), Some((weight, state))) => servers[at] = server(id, weight, state),
        (Err(at), Some((weight, state))) => servers.insert(at, server(id, weight, state)),
        (Err(_), None) => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 1000 }))]

    #[test]
    fn equal_to_a_fresh_table((old, new) in any_change(), keyed in any_keyed()) {
        let (table, changed) = revised(&keyed, &old, &new, 256);
        prop_assert_eq!(&table, &filled(&keyed, &new, 256));
        let before = filled(&keyed, &old, 256);
        let differing = table.iter().zip(&before).filter(|(a, b)| a != b).count();
        prop_assert_eq!(differing, changed as usize);
        if Revision::new(&old, &new).is_idle() {
            prop_assert_eq!(table, before);
        }
    }

    /// However long a table has been revised, it is the one that would be made now.
    #[test]
    fn equal_after_any_changes(
        events in any_events(), keyed in any_keyed(), table in any_table(256, 32)
    ) {
        let mut servers = Vec::new();
        let mut rows = tabled(&keyed, &servers, &table);
        for together in events {
            let old = servers.clone();
            for event in together {
                happen(&mut servers, event);
            }
            Revision::new(&old, &servers).apply(&keyed, &table, 0, &mut rows);
            prop_assert_eq!(&rows, &tabled(&keyed, &servers, &table), "{:?}", servers);
        }
    }

    #[test]
    fn equal_between_any_two(
        old in any_servers(30, 1000), new in any_servers(30, 1000), keyed in any_keyed()
    ) {
        prop_assert_eq!(revised(&keyed, &old, &new, 256).0, filled(&keyed, &new, 256));
    }

    /// The same with explicit owners.
    #[test]
    fn explicit_owners_come_first(
        (old, new) in any_change(), keyed in any_keyed(), mut table in any_table(256, 24)
    ) {
        let ids: Vec<u16> = old.iter().map(|server| server.id.get()).collect();
        for owner in table.iter_mut().filter(|owner| **owner != hash::NONE) {
            *owner = ids.get(usize::from(*owner)).copied().unwrap_or(*owner);
        }
        let mut rows = tabled(&keyed, &old, &table);
        let before = rows.clone();
        let changed = Revision::new(&old, &new).apply(&keyed, &table, 0, &mut rows);
        prop_assert_eq!(&rows, &tabled(&keyed, &new, &table));
        let differing = rows.iter().zip(&before).filter(|(a, b)| a != b).count();
        prop_assert_eq!(differing, changed as usize);
    }
}
