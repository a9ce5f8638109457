// SPDX-License-Identifier: GPL-2.0

//! Explicit owners and overrides in a whole function: who owns whom, in words as the specification
//! has them, and laws 1 to 3 of all kinds.

mod common;

use common::whole::{address, any_whole, ends, longest, overrides, Whole, ROWS};
use common::{any_address, equal, id, live, server};
use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::function::{Kind, Owner, Rule};
use onehop_dispatch::hash::{RowCount, NONE};
use onehop_dispatch::server::{Server, State};
use onehop_dispatch::siphash::Keyed;
use proptest::prelude::*;

const SEED: Keyed = Keyed::new(*b"a seed of 16 byt");

fn table(keyed: Keyed) -> Kind {
    let rows = RowCount::new(ROWS).unwrap();
    Kind::Table { keyed, rows }
}

#[test]
fn a_row_has_the_owner_it_is_given() {
    let servers = vec![
        server(1, 1, State::Up),
        server(2, 1000, State::Up),
        server(3, 1, State::Drain),
        server(4, 1, State::Down),
    ];
    let mut owners = vec![NONE; 256];
    owners[..5].copy_from_slice(&[1, 2, 3, 4, 500]);
    let plain = Whole::new(
        table(SEED),
        Prefixes::default(),
        servers.clone(),
        vec![],
        vec![],
    );
    let whole = Whole::new(table(SEED), Prefixes::default(), servers, owners, vec![]);
    assert_eq!(whole.rows[..2], [1, 2]);
    assert_eq!(whole.rows[2..], plain.rows[2..]);
}

/// A client's own prefix counts, its key does not.
#[test]
fn an_override_parts_clients_of_one_key() {
    let prefixes = Prefixes::new(8, 32).unwrap();
    let list = overrides([
        ("192.0.2.0/24", 0),
        ("192.0.2.128/25", 1),
        ("192.0.2.129/32", 2),
        ("2001:db8::8/125", 3),
    ]);
    for kind in [Kind::Mod, table(SEED)] {
        let whole = Whole::new(kind, prefixes, equal(5), vec![4; 256], list.clone());
        let plain = Whole::new(kind, prefixes, equal(5), vec![4; 256], vec![]);
        for (client, owner, bits) in [
            ("192.0.2.0", 0, 24),
            ("192.0.2.127", 0, 24),
            ("192.0.2.128", 1, 25),
            ("192.0.2.129", 2, 32),
            ("192.0.2.130", 1, 25),
            ("192.0.2.255", 1, 25),
            ("2001:db8::8", 3, 125),
            ("2001:db8::f", 3, 125),
        ] {
            let client = address(client);
            let explained = whole.function().explain(client, whole.explicit());
            assert_eq!(explained.owner, Owner::Up(id(owner)), "{client}");
            assert_eq!(explained.rule, Rule::Override(bits), "{client}");
            assert_eq!(whole.function().row(client), None);
        }
        for client in ["192.0.1.255", "192.0.3.0", "2001:db8::7", "2001:db8::10"] {
            let client = address(client);
            assert_eq!(whole.owner(client), plain.owner(client), "{client}");
            assert_eq!(whole.function().row(client), plain.function().row(client));
        }
    }
}

/// No shorter prefix is asked.
#[test]
fn a_void_override_leaves_it_to_the_kind() {
    let list = overrides([
        ("192.0.0.0/16", 0),
        ("192.0.2.0/24", 3),
        ("192.0.3.0/24", 77),
    ]);
    for state in [State::Drain, State::Down] {
        let mut servers = equal(4);
        servers[3].state = state;
        for kind in [Kind::Mod, table(SEED)] {
            let with = |list| Whole::new(kind, Prefixes::default(), servers.clone(), vec![], list);
            let (whole, plain) = (with(list.clone()), with(vec![]));
            for last in 0..=255 {
                let inner = Address::V4([192, 0, 2, last]);
                assert_eq!(whole.owner(inner), plain.owner(inner));
                assert_eq!(whole.function().row(inner), plain.function().row(inner));
                let inner = Address::V4([192, 0, 3, last]);
                assert_eq!(whole.owner(inner), plain.owner(inner));
                assert_eq!(whole.owner(Address::V4([192, 0, 4, last])), Some(id(0)));
            }
        }
    }
}

/// The one that the override names, the row's, the ranking; then likewise those that drain.
#[test]
fn succession() {
    let servers = vec![
        server(1, 1, State::Up),
        server(2, 1, State::Drain),
        server(3, 1, State::Up),
        server(4, 1, State::Drain),
        server(5, 1, State::Down),
        server(6, 1, State::Up),
    ];
    let client = address("192.0.2.1");
    for (overrider, named, start, drained) in [
        (6, 3, &[6, 3, 1][..], None),
        (3, 6, &[3, 6, 1], None),
        (3, 3, &[3], None),
        (2, 6, &[6], Some(2)),
        (6, 4, &[6], Some(4)),
        (4, 2, &[], Some(4)),
        (5, 600, &[], None),
    ] {
        let list = overrides([("192.0.2.0/24", overrider)]);
        let whole = Whole::new(
            table(SEED),
            Prefixes::default(),
            servers.clone(),
            vec![named; 256],
            list,
        );
        let mut out = [id(0); 9];
        let found = whole
            .function()
            .succession(client, whole.explicit(), &mut out);
        let order: Vec<u16> = out[..found].iter().map(|id| id.get()).collect();
        assert_eq!(found, 5, "{order:?}");
        assert_eq!(order[..start.len()], *start);
        if let Some(drained) = drained {
            assert_eq!(order[3], drained);
        }
        let mut few = [id(0); 2];
        assert_eq!(
            whole
                .function()
                .succession(client, whole.explicit(), &mut few),
            2
        );
        assert_eq!(few, out[..2]);
    }
}

fn with_servers(whole: &Whole, servers: Vec<Server>) -> Whole {
    Whole::new(
        *whole.law.kind(),
        whole.law.prefixes(),
        servers,
        whole.table.clone(),
        whole.overrides.clone(),
    )
}

fn clients(whole: &Whole, others: &[Address]) -> Vec<Address> {
    [&ends(&whole.overrides)[..], others].concat()
}

fn any_clients() -> impl Strategy<Value = Vec<Address>> {
    prop::collection::vec(any_address(), 1..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 1_000 }))]

    /// Law 1, and that owner, explanation, row and succession say the same.
    #[test]
    fn owners_are_as_specified(whole in any_whole(0..3), others in any_clients()) {
        let function = whole.function();
        let live = live(&whole.servers);
        for client in clients(&whole, &others) {
            let (owner, rule) = whole.expected(client);
            prop_assert_eq!(whole.owner(client), owner);
            prop_assert_eq!(owner.is_some(), !live.is_empty());
            let explained = function.explain(client, whole.explicit());
            prop_assert_eq!(explained.owner, function.owner(client));
            prop_assert_eq!(explained.rule, rule);
            match function.row(client) {
                Some(row) => {
                    prop_assert_eq!(function.owner_of_row(row), explained.owner);
                    prop_assert!(matches!(rule, Rule::Row(it) | Rule::Table(it) if it == row)
                        || rule == Rule::NobodyLive);
                }
                None => prop_assert!(!matches!(rule, Rule::Row(_) | Rule::Table(_))),
            }
            let mut order = [id(0); 9];
            let found = function.succession(client, whole.explicit(), &mut order);
            let able = whole.servers.iter().filter(|it| it.state != State::Down).count();
            prop_assert_eq!(found, able);
            prop_assert_eq!(order[..found].first().copied(), owner);
            // Each of them would follow if all before it went down.
            let mut servers = whole.servers.clone();
            for next in &order[..found] {
                let fewer = with_servers(&whole, servers.clone());
                prop_assert_eq!(fewer.owner(client), Some(*next));
                let mut these = servers.iter_mut();
                these.find(|it| it.id == *next).unwrap().state = State::Down;
            }
        }
    }

    /// Law 2: whoever's owner stays live stays.
    #[test]
    fn failures_move_only_their_own(whole in any_whole(0..3), others in any_clients(), down: u16) {
        let mut servers = whole.servers.clone();
        for (number, server) in servers.iter_mut().enumerate() {
            if (down >> number) & 1 == 1 {
                server.state = State::Down;
            }
        }
        let alive = live(&servers);
        let served = |servers: &[Server]| servers.first().map(|it| it.state);
        if served(&alive) != served(&live(&whole.servers)) {
            return Ok(());
        }
        let fewer = with_servers(&whole, servers);
        for client in clients(&whole, &others) {
            let (old, new) = (whole.owner(client), fewer.owner(client));
            let stays = alive.iter().any(|it| Some(it.id) == old);
            prop_assert!(!stays || old == new, "{} from {:?} to {:?}", client, old, new);
        }
    }

    /// Law 3: one server that leaves, and, read backwards, joins.
    #[test]
    fn one_server_moves_only_its_own(
        whole in any_whole(1..3), others in any_clients(), which: prop::sample::Index
    ) {
        let all = live(&whole.servers);
        if all.len() < 2 {
            return Ok(());
        }
        let leaver = all[which.index(all.len())].id;
        let mut servers = whole.servers.clone();
        servers.retain(|server| server.id != leaver);
        let fewer = with_servers(&whole, servers);
        for client in clients(&whole, &others) {
            let (old, new) = (whole.owner(client), fewer.owner(client));
            prop_assert!(old == Some(leaver) || old == new, "{} from {:?} to {:?}", client, old, new);
        }
        for (old, new) in whole.rows.iter().zip(&fewer.rows) {
            prop_assert!(*old == leaver.get() || old == new);
        }
    }

    /// An override that goes, comes or changes moves only its prefix's clients.
    #[test]
    fn an_override_moves_only_its_prefix(
        whole in any_whole(0..3), others in any_clients(), which: prop::sample::Index, to in 0u32..12
    ) {
        prop_assume!(!whole.overrides.is_empty());
        let at = which.index(whole.overrides.len());
        let (mut without, mut other) = (whole.clone(), whole.clone());
        without.overrides.remove(at);
        other.overrides[at].server = id(to);
        let changed = whole.overrides[at];
        for new in [without, other] {
            let new = with_servers(&new, whole.servers.clone());
            for client in clients(&whole, &others) {
                let mine = longest(&[changed], client).is_some();
                prop_assert!(mine || whole.owner(client) == new.owner(client), "{}", client);
            }
            prop_assert_eq!(&whole.rows, &new.rows);
        }
    }

    /// An explicit owner moves only its row's clients.
    #[test]
    fn an_explicit_owner_moves_only_its_row(
        whole in any_whole(2..3), row in 0..ROWS as usize, to in prop_oneof![Just(NONE), 0u16..20]
    ) {
        let mut other = whole.clone();
        other.table[row] = to;
        let other = with_servers(&other, whole.servers.clone());
        for (at, (old, new)) in whole.rows.iter().zip(&other.rows).enumerate() {
            prop_assert!(at == row || old == new);
        }
    }
}
