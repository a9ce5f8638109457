// SPDX-License-Identifier: GPL-2.0

//! The chain of a client, and which functions add nothing to it, against what the specification
//! says in its own words.

mod common;

use common::aged::{absorbed, chain, taken_back, Aged};
use common::{any_address, any_keyed, any_servers, equal, id, server};
use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::chain::{Chain, Link, Newest};
use onehop_dispatch::function::{Function, Kind, Law, Owner};
use onehop_dispatch::hash::RowCount;
use onehop_dispatch::server::{Server, State};
use onehop_dispatch::siphash::Keyed;
use onehop_dispatch::transition::{shares_rows, MAX_FUNCTIONS};
use proptest::prelude::*;

/// Pools of one kind, prefix and seed, or now and then of others.
fn any_queue() -> impl Strategy<Value = Vec<Aged>> {
    let odd = || prop::bool::weighted(0.1);
    let whole = (
        any_servers(8, 1),
        prop::collection::vec(0u32..=1023, 0..3),
        odd(),
        odd(),
    );
    let wholes = prop::collection::vec(whole, 1..=MAX_FUNCTIONS);
    (any_keyed(), prop::bool::weighted(0.3), wholes).prop_map(|(keyed, modulo, wholes)| {
        let build = |(mut servers, mut gone, reseeded, narrowed): (Vec<Server>, Vec<u32>, _, _)| {
            // A handful of ids, or no two functions have one in common.
            for (number, server) in (0u32..).zip(&mut servers) {
                server.id = id(number * 3);
            }
            gone.iter_mut().for_each(|gone| *gone %= 24);
            let seed = if reseeded { Keyed::new([1; 16]) } else { keyed };
            let keyed = Some(seed).filter(|_| !modulo);
            Aged::new(keyed, if narrowed { 24 } else { 32 }, servers, &gone)
        };
        wholes.into_iter().map(build).collect()
    })
}

/// The same chain, made from the first disagreement on; none if there is none.
fn chain_after(queue: &[Aged], client: Address, settling: usize) -> Option<Chain> {
    let (first, older) = queue.split_first().unwrap();
    let older = older.iter().map(|whole| whole.past(first));
    let newest = Newest::of(&first.function(), client);
    assert_eq!(newest.owner, first.function().owner(client));
    let other = newest.first_other(older.clone(), client)?;
    let rest = older.skip(usize::from(other.age));
    let chain = Chain::after(&newest, other, rest.clone(), client, settling);
    for server in (0..8).map(id) {
        let link = newest.link(other, rest.clone(), client, server);
        let named = chain.links().iter().find(|link| link.server == server);
        assert_eq!(link.as_ref(), named);
    }
    let oldest = newest.oldest(other, rest, client);
    assert_eq!(Some(oldest.server), chain.oldest());
    assert!(chain.links().contains(&oldest));
    Some(chain)
}

/// It lies on the kernel's stack.
#[test]
fn a_chain_is_small() {
    assert!(size_of::<Chain>() <= 64);
}

#[test]
fn of_one_function() {
    let keyed = Some(Keyed::new([5; 16]));
    let alone = [Aged::new(keyed, 32, equal(4), &[])];
    for client in 0..100 {
        let client = Address::V4([192, 0, 2, client]);
        let owner = alone[0].function().owner(client);
        let chain = chain(&alone, client, 0);
        let server = owner.server().unwrap();
        assert_eq!(chain.newest(), owner);
        assert_eq!(chain.links(), [Link { server, age: 0 }]);
        assert_eq!(
            (chain.oldest(), chain.fresh()),
            (Some(server), Some(server))
        );
        assert!(!chain.is_moved() && chain.names(server));
    }
    let nobody = [Aged::new(keyed, 32, vec![], &[])];
    let chain = chain(&nobody, Address::V4([192, 0, 2, 1]), 0);
    assert_eq!((chain.newest(), chain.links()), (Owner::None, &[][..]));
    assert_eq!((chain.oldest(), chain.fresh()), (None, None));
    assert!(!chain.is_moved());
}

/// Nobody serves new connections, but old ones are there.
#[test]
fn the_newest_may_be_empty() {
    let keyed = Some(Keyed::new([5; 16]));
    let down = vec![server(0, 1, State::Down)];
    let queue = [
        Aged::new(keyed, 32, down, &[]),
        Aged::new(keyed, 32, equal(1), &[]),
    ];
    let chain = chain(&queue, Address::V4([192, 0, 2, 1]), 0);
    let server = id(0);
    assert_eq!(chain.links(), [Link { server, age: 1 }]);
    assert_eq!((chain.oldest(), chain.fresh()), (Some(server), None));
    assert!(chain.is_moved());
}

/// Drain and back, often: nothing is left but what differs.
#[test]
fn what_comes_back_is_absorbed() {
    for keyed in [None, Some(Keyed::new([5; 16]))] {
        let all = Aged::new(keyed, 32, equal(5), &[]);
        let mut fewer = equal(5);
        fewer[2].state = State::Drain;
        let drained = Aged::new(keyed, 32, fewer.clone(), &[]);
        assert!(absorbed(&[all.clone(), all.clone()]));
        assert!(!absorbed(&[drained.clone(), all.clone()]));
        assert!(!absorbed(&[all.clone(), drained.clone()]));
        assert!(!absorbed(&[all.clone(), drained.clone(), all.clone()]));
        fewer[2].state = State::Down;
        let down = Aged::new(keyed, 32, fewer, &[]);
        let struck = Aged {
            gone: Aged::new(keyed, 32, equal(5), &[2]).gone,
            ..all.clone()
        };
        assert!(
            absorbed(&[down.clone(), struck.clone()]),
            "a server went down"
        );
        assert!(
            !absorbed(&[down, all.clone()]),
            "nobody was told that it is gone"
        );
        let other = Aged::new(keyed, 24, equal(5), &[]);
        assert!(
            !absorbed(&[other.clone(), struck.clone()]),
            "another prefix"
        );
        assert!(absorbed(&[other.clone(), all.clone(), all.clone()]));
        assert!(absorbed(&[other.clone(), struck.clone(), struck.clone()]));
        assert!(!absorbed(&[other, struck, all]), "the next one has no say");
    }
}

/// Undone, a change leaves connections on both sides.
#[test]
fn what_is_undone_is_taken_back() {
    for keyed in [None, Some(Keyed::new([5; 16]))] {
        let all = Aged::new(keyed, 32, equal(5), &[]);
        let mut fewer = equal(5);
        fewer[2].state = State::Drain;
        let drained = Aged::new(keyed, 32, fewer, &[]);
        let back = |past: &Aged, between: &[&Aged], newest: &Aged| {
            let between = between.iter().rev().copied();
            let queue = [newest].into_iter().chain(between).chain([past]);
            taken_back(&queue.cloned().collect::<Vec<_>>())
        };
        assert!(back(&all, &[&drained], &all));
        assert!(!back(&all, &[], &all), "nothing was in between");
        assert!(!back(&all, &[&drained], &drained), "it still holds");
        let struck = Aged {
            gone: Aged::new(keyed, 32, equal(5), &[2]).gone,
            ..all.clone()
        };
        if keyed.is_some() {
            assert!(!back(&struck, &[&drained], &all), "the server was down");
        }
        let other = Aged::new(keyed, 24, equal(5), &[]);
        assert!(!back(&all, &[&drained], &other), "another prefix");
    }
}

#[test]
fn who_is_all_gone_adds_nothing() {
    for keyed in [None, Some(Keyed::new([5; 16]))] {
        let newest = Aged::new(Some(Keyed::new([6; 16])), 24, equal(9), &[]);
        let mut servers = equal(2);
        servers.push(server(7, 1, State::Down));
        let dead = Aged::new(keyed, 32, servers.clone(), &[0, 1]);
        assert!(absorbed(&[newest.clone(), dead]));
        let dying = Aged::new(keyed, 32, servers, &[0]);
        assert!(!absorbed(&[newest.clone(), dying]));
        assert!(absorbed(&[newest, Aged::new(keyed, 32, vec![], &[])]));
    }
}

#[test]
fn rows_are_shared_by_kind_seed_rows_and_prefixes() {
    let law = |seed: u8, rows: u32, v4: u32, v6: u32| {
        let keyed = Keyed::new([seed; 16]);
        let rows = RowCount::new(rows).unwrap();
        let prefixes = Prefixes::new(v4, v6).unwrap();
        Law::new(Kind::Hash { keyed, rows }, prefixes, &[]).unwrap()
    };
    let shares = |a: &Law, b: &Law| {
        let function = |law| Function::new(law, &[], &[], &[]);
        shares_rows(&function(a), &function(b))
    };
    let this = law(1, 256, 32, 64);
    assert!(shares(&this, &law(1, 256, 32, 64)));
    for other in [
        law(2, 256, 32, 64),
        law(1, 512, 32, 64),
        law(1, 256, 31, 64),
        law(1, 256, 32, 65),
    ] {
        assert!(!shares(&this, &other) && !shares(&other, &this));
    }
    let modulo = Law::new(Kind::Mod, Prefixes::default(), &[]).unwrap();
    assert!(!shares(&modulo, &modulo), "kind mod has none");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 2_000 }))]

    #[test]
    fn a_chain_is_the_owners_each_once(
        queue in any_queue(),
        clients in prop::collection::vec(any_address(), 1..30),
        settling in 0usize..MAX_FUNCTIONS,
    ) {
        for client in clients {
            let mut says: Vec<_> = queue.iter().map(|whole| whole.says(client)).collect();
            // The newest needs no telling who is down.
            says[0] = queue[0].function().owner(client).server();
            let mut links: Vec<Link> = Vec::new();
            for (age, server) in (0u8..).zip(&says) {
                match *server {
                    Some(server) if links.iter().all(|link| link.server != server) => {
                        links.push(Link { server, age });
                    }
                    _ => {}
                }
            }
            let all = says.iter().flatten();
            let chain = chain(&queue, client, settling);
            prop_assert_eq!(chain.links(), &links[..]);
            prop_assert_eq!(chain.newest(), queue[0].function().owner(client));
            prop_assert_eq!(chain.oldest(), all.last().copied());
            let young = says.iter().take(settling + 1).flatten();
            prop_assert_eq!(chain.fresh(), young.last().copied());
            let differ = links.len() > 1 || (says[0].is_none() && !links.is_empty());
            prop_assert_eq!(chain.is_moved(), differ);
            let after = chain_after(&queue, client, settling);
            prop_assert_eq!(after, Some(chain).filter(|_| differ));
            for number in 0..24 {
                let named = links.iter().any(|link| link.server == id(number));
                prop_assert_eq!(chain.names(id(number)), named);
            }
        }
    }

    /// No client notices that an absorbed function goes; and where rows are shared, one that stays
    /// would be missed.
    #[test]
    fn what_adds_nothing_is_not_missed(queue in any_queue()) {
        if queue.len() == 1 {
            return Ok(());
        }
        let (last, rest) = queue.split_last().unwrap();
        let missed = |client: Address| {
            let said = last.says(client);
            let newest = rest[0].function().owner(client).server();
            let mut newer = rest[1..].iter().rev().map(|whole| whole.says(client));
            said.is_some() && said != newer.find_map(|owner| owner).or(newest)
        };
        let clients = (0..20_000u32).map(|number| Address::V4((number << 16 | number).to_be_bytes()));
        let is_missed = clients.into_iter().any(missed);
        let shares = rest.iter().all(|whole| whole.ranks_as(last));
        let nothing = absorbed(&queue);
        prop_assert!(!nothing || !is_missed);
        prop_assert!(!shares || nothing != is_missed);
    }

    /// Servers that go down leave no transition, in whatever order: each makes a function, struck
    /// from the older ones.
    #[test]
    fn downs_leave_nothing(
        servers in any_servers(8, 1),
        keyed in any_keyed(),
        modulo: bool,
        order in prop::collection::vec(0usize..8, 1..6),
    ) {
        let keyed = Some(keyed).filter(|_| !modulo);
        let mut now = servers;
        let mut old = Aged::new(keyed, 32, now.clone(), &[]);
        for at in order {
            let Some(server) = now.get_mut(at) else { continue };
            server.state = State::Down;
            let up = now.iter().any(|server| server.state == State::Up);
            let new = Aged::new(keyed, 32, now.clone(), &[]);
            for server in now.iter().filter(|server| server.state == State::Down) {
                old.gone.insert(server.id.get());
            }
            // Once those that drain have to serve, the others' clients are theirs: also theirs only.
            if up {
                prop_assert!(absorbed(&[new.clone(), old]));
            }
            old = new;
        }
    }
}
