// SPDX-License-Identifier: GPL-2.0

//! Overrides and explicit owners in a queue of functions.

mod common;

use common::aged::{absorbed, chain, taken_back, Aged, ROWS};
use common::whole::{any_table, ends, overrides};
use common::{any_address, any_keyed, any_state, equal, id, server};
use onehop_dispatch::addr::Address;
use onehop_dispatch::bitmap::Bitmap;
use onehop_dispatch::chain::Newest;
use onehop_dispatch::overrides::Override;
use onehop_dispatch::server::{ServerId, State};
use onehop_dispatch::siphash::Keyed;
use onehop_dispatch::transition::{shares_rows, MAX_FUNCTIONS};
use proptest::prelude::*;

const SEED: Keyed = Keyed::new([5; 16]);

/// Five servers, one of them in some state, those of a half of all clients overridden to it.
fn with_one(keyed: Option<Keyed>, which: usize, state: State, gone: &[u32]) -> Aged {
    let mut servers = equal(5);
    servers[which].state = state;
    let list = overrides([("0.0.0.0/1", 2), ("192.0.0.0/8", 3)]);
    Aged::new(keyed, 32, servers, gone).with(list, vec![])
}

#[test]
fn rows_are_shared_while_the_same_overrides_are_void() {
    let shares = |a: &Aged, b: &Aged| shares_rows(&a.function(), &b.function());
    let this = with_one(Some(SEED), 0, State::Up, &[]);
    assert!(shares(&this, &this));
    assert!(shares(&this, &with_one(Some(SEED), 0, State::Down, &[])));
    assert!(!shares(&this, &with_one(Some(SEED), 2, State::Down, &[])));
    assert!(!shares(&with_one(Some(SEED), 3, State::Drain, &[]), &this));
    let other = overrides([("0.0.0.0/1", 2)]);
    assert!(!shares(&this, &this.clone().with(other, vec![])));
    let tabled = this
        .clone()
        .with(this.whole.overrides.clone(), vec![7; 256]);
    assert!(shares(&this, &tabled), "kinds hash and table");
}

/// Its server drains: who was overridden to it has another owner, though rows are the same.
#[test]
fn an_override_that_is_void_moves_its_clients() {
    for keyed in [None, Some(SEED)] {
        let (all, drained) = (
            with_one(keyed, 2, State::Up, &[]),
            with_one(keyed, 2, State::Drain, &[]),
        );
        for first in 0..=127 {
            let client = Address::V4([first, 0, 2, 1]);
            let back = chain(&[all.clone(), drained.clone()], client, 0);
            let away = chain(&[drained.clone(), all.clone()], client, 0);
            assert_eq!(back.newest().server(), Some(id(2)));
            assert_eq!(away.oldest(), Some(id(2)));
            assert!(back.is_moved() && away.is_moved());
        }
        assert!(!absorbed(&[drained.clone(), all.clone()]));
        assert!(!absorbed(&[all.clone(), drained.clone()]));
        assert!(!absorbed(&[all.clone(), drained.clone(), all.clone()]));
        assert!(taken_back(&[all.clone(), drained.clone(), all.clone()]));
        assert!(!taken_back(&[drained, all.clone(), all]));
    }
}

/// Where all rows are another's, its overrides are all that a server has.
#[test]
fn overrides_alone_make_a_difference() {
    let with = |state, owner, gone: &[u32]| {
        let one = with_one(Some(SEED), 2, state, gone);
        let list = one.whole.overrides.clone();
        one.with(list, vec![owner; ROWS as usize])
    };
    let (all, drained) = (with(State::Up, 0, &[]), with(State::Drain, 0, &[]));
    assert_eq!(all.whole.rows, drained.whole.rows);
    assert!(!absorbed(&[drained.clone(), all.clone()]));
    assert!(!absorbed(&[all.clone(), drained.clone()]));
    assert!(taken_back(&[all.clone(), drained.clone(), all.clone()]));
    assert!(taken_back(&[drained.clone(), all.clone(), drained.clone()]));
    assert!(!taken_back(&[
        drained.clone(),
        drained.clone(),
        all.clone()
    ]));
    // What is in between says the same as the oldest, but nothing of its clients: they are the newest's.
    let (struck, newest) = (with(State::Up, 0, &[2]), with(State::Down, 1, &[]));
    assert!(absorbed(&[all.clone(), struck.clone(), all]));
    assert!(!absorbed(&[newest, struck.clone(), drained.clone()]));
    assert!(absorbed(&[with(State::Down, 0, &[]), struck, drained]));
}

/// Down, it leaves nothing behind, and neither when it has come and gone again.
#[test]
fn an_override_whose_server_goes_down_is_forgotten() {
    for keyed in [None, Some(SEED)] {
        let down = with_one(keyed, 2, State::Down, &[]);
        let struck = with_one(keyed, 2, State::Up, &[2]);
        assert!(absorbed(&[down.clone(), struck.clone()]));
        assert!(!absorbed(&[
            down.clone(),
            with_one(keyed, 2, State::Up, &[])
        ]));
        assert!(absorbed(&[down.clone(), down.clone()]));
        if keyed.is_some() {
            // While it was up, others had moved: the function from then says nothing of its clients.
            let mut servers = equal(5);
            servers[4].state = State::Drain;
            let between = with_one(keyed, 4, State::Drain, &[2]);
            servers[2].state = State::Down;
            let newest = Aged::new(keyed, 32, servers, &[]);
            let newest = newest.with(between.whole.overrides.clone(), vec![]);
            let old = with_one(keyed, 2, State::Down, &[4]);
            assert!(absorbed(&[newest.clone(), newest.clone(), old.clone()]));
            assert!(absorbed(&[newest, between, old]));
        }
    }
}

#[test]
fn other_overrides_are_another_function() {
    for keyed in [None, Some(SEED)] {
        let this = with_one(keyed, 0, State::Up, &[]);
        let other = this.clone().with(overrides([("0.0.0.0/1", 2)]), vec![]);
        assert!(!absorbed(&[other.clone(), this.clone()]));
        assert!(!absorbed(&[this.clone(), other.clone()]));
        assert!(taken_back(&[this.clone(), other.clone(), this.clone()]));
        assert!(!taken_back(&[other.clone(), other, this]));
    }
}

/// An undone change of the seed: what was in between had everybody.
#[test]
fn who_ranked_otherwise_had_everybody() {
    let (this, other) = (
        Aged::new(Some(SEED), 32, equal(5), &[]),
        Aged::new(Some(Keyed::new([6; 16])), 32, equal(5), &[]),
    );
    assert!(taken_back(&[this.clone(), other.clone(), this.clone()]));
    assert!(!taken_back(&[this.clone(), this.clone(), this.clone()]));
    assert!(!taken_back(&[other, this.clone(), this]));
}

/// Functions of a queue, most of which differ in their servers' states only. Overrides are so wide
/// that each has clients in every row.
fn any_queue() -> impl Strategy<Value = Vec<Aged>> {
    let lists = [
        overrides([]),
        overrides([("0.0.0.0/1", 0)]),
        overrides([("0.0.0.0/1", 3), ("64.0.0.0/2", 6), ("128.0.0.0/2", 9)]),
        overrides([("0.0.0.0/2", 3), ("128.0.0.0/1", 3), ("128.0.0.0/2", 30)]),
    ];
    let odd = || prop::bool::weighted(0.1);
    let list = || prop::sample::select(lists.to_vec());
    // With one owner of all rows the others have no clients but by overrides.
    let one = (0u16..6).prop_map(|number| vec![number * 3; ROWS as usize]);
    let tables = prop::collection::vec(prop_oneof![any_table(ROWS as usize, 12), one], 2);
    let states = prop::collection::vec((any_state(), odd()), 6);
    let gone = prop::collection::vec(0u32..6, 0..3);
    let odds = (odd(), odd(), odd(), any::<bool>());
    let queue = prop::collection::vec((states, gone, odds), 1..=MAX_FUNCTIONS);
    let parts = (
        any_keyed(),
        prop::bool::weighted(0.2),
        list(),
        list(),
        tables,
        queue,
    );
    parts.prop_map(|(keyed, modulo, list, other, tables, queue)| {
        let build = |(states, gone, odds): Drawn| {
            let (reseeded, relisted, retabled, tabled) = odds;
            let present = (0u32..).zip(states).filter(|(_, (_, away))| !away);
            let servers = present.map(|(number, (state, _))| server(number * 3, 1, state));
            let gone: Vec<u32> = gone.into_iter().map(|number| number * 3).collect();
            let seed = if reseeded { Keyed::new([1; 16]) } else { keyed };
            let list = if relisted { &other } else { &list };
            let table = tables[usize::from(retabled)].clone();
            let aged = Aged::new(Some(seed).filter(|_| !modulo), 32, servers.collect(), &gone);
            aged.with(list.clone(), if tabled { table } else { vec![] })
        };
        queue.into_iter().map(build).collect()
    })
}

/// States of servers and whether they are away; who is gone; what is odd.
type Drawn = (Vec<(State, bool)>, Vec<u32>, (bool, bool, bool, bool));

/// Clients of every row of every override there may be.
fn everybody() -> impl Iterator<Item = Address> {
    (0..20_000u32).map(|number| Address::V4(number.wrapping_mul(0x9e37_79b1).to_be_bytes()))
}

/// What each function says of a client, the newest first, which needs no telling who is down.
fn says(queue: &[Aged], client: Address) -> Vec<Option<ServerId>> {
    let older = queue[1..].iter().map(|aged| aged.says(client));
    [queue[0].whole.owner(client)]
        .into_iter()
        .chain(older)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 2_000 }))]

    /// With whatever overrides, a chain is the owners each once, and so made from the first other on.
    #[test]
    fn a_chain_is_the_owners_each_once(
        queue in any_queue(), others in prop::collection::vec(any_address(), 1..10)
    ) {
        let list: Vec<Override> = queue.iter().flat_map(|aged| aged.whole.overrides.clone()).collect();
        for client in ends(&list).into_iter().chain(others) {
            let says = says(&queue, client);
            let chain = chain(&queue, client, 0);
            let mut named: Vec<ServerId> = Vec::new();
            for server in says.iter().flatten() {
                if !named.contains(server) {
                    named.push(*server);
                }
            }
            let links: Vec<ServerId> = chain.links().iter().map(|link| link.server).collect();
            prop_assert_eq!(links, named);
            prop_assert_eq!(chain.oldest(), says.iter().flatten().last().copied());
            let newest = Newest::of(&queue[0].function(), client);
            let pasts = queue[1..].iter().map(|aged| aged.past(&queue[0]));
            let first = newest.first_other(pasts.clone(), client);
            let other = says.iter().zip(0u8..).find(|(it, _)| it.is_some() && **it != says[0]);
            prop_assert_eq!(first.map(|link| (Some(link.server), link.age)), other.map(|(it, age)| (*it, age)));
            if let Some(first) = first {
                let rest = pasts.skip(usize::from(first.age));
                prop_assert_eq!(Some(newest.oldest(first, rest, client).server), chain.oldest());
            }
        }
    }

    /// No client notices that a function goes which adds nothing; and where all rank alike, one that
    /// stays would be missed.
    #[test]
    fn what_adds_nothing_is_not_missed(queue in any_queue()) {
        prop_assume!(queue.len() > 1);
        let (last, rest) = queue.split_last().unwrap();
        let missed = |client: Address| {
            let said = last.says(client);
            said.is_some() && said != says(rest, client).into_iter().rev().flatten().next()
        };
        let is_missed = everybody().any(missed);
        let nothing = absorbed(&queue);
        prop_assert!(!nothing || !is_missed);
        let comparable = rest.iter().all(|aged| aged.ranks_as(last));
        prop_assert!(!comparable || nothing != is_missed);
    }

    /// No client is given back to whom it was taken from without being noticed.
    #[test]
    fn what_is_taken_back_is_noticed(queue in any_queue()) {
        prop_assume!(queue.len() > 2);
        let last = queue.last().unwrap();
        let back = |client: Address| {
            let says = says(&queue, client);
            let (past, between) = says[1..].split_last().unwrap();
            past.is_some() && says[0] == *past && between.iter().any(|it| it.is_some() && it != past)
        };
        let is_back = everybody().any(back);
        let noticed = taken_back(&queue);
        if queue[0].ranks_as(last) {
            prop_assert!(noticed || !is_back);
            let comparable = queue.iter().all(|aged| aged.ranks_as(last));
            let plain = last.whole.overrides.is_empty();
            prop_assert!(!comparable || !plain || noticed == is_back);
        }
    }

    /// Servers that go down leave no transition, whatever names them.
    #[test]
    fn downs_leave_nothing(queue in any_queue(), order in prop::collection::vec(0usize..6, 1..6)) {
        let mut old = queue[0].clone();
        old.gone = Bitmap::EMPTY;
        for at in order {
            let mut servers = old.whole.servers.clone();
            let Some(server) = servers.get_mut(at) else { continue };
            server.state = State::Down;
            let down: Vec<u32> = servers.iter().filter(|it| it.state == State::Down)
                .map(|it| it.id.get().into()).collect();
            let up = servers.iter().any(|it| it.state == State::Up);
            old.gone = down.iter().map(|&id| id as u16).collect();
            let keyed = old.whole.law.kind().ranked().map(|(keyed, _)| *keyed);
            let new = Aged::new(keyed, 32, servers, &[])
                .with(old.whole.overrides.clone(), old.whole.table.clone());
            // Once those that drain have to serve, the others' clients are theirs: also theirs only.
            if up {
                prop_assert!(absorbed(&[new.clone(), old]));
            }
            old = new;
        }
    }
}
