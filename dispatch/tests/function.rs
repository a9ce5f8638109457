// SPDX-License-Identifier: GPL-2.0

//! A whole function: what it refuses, what it answers, and that its explanation is its answer.

mod common;

use common::{any_address, any_keyed, any_servers, equal, filled, id, live, server};
use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::function::{Explicit, Function, Kind, Law, Owner, Rule};
use onehop_dispatch::hash::RowCount;
use onehop_dispatch::refusal::Refusal;
use onehop_dispatch::server::{Server, Serving, State};
use onehop_dispatch::siphash::Keyed;
use proptest::prelude::*;

fn hashed(keyed: Keyed, rows: u32) -> Kind {
    let rows = RowCount::new(rows).unwrap();
    Kind::Hash { keyed, rows }
}

fn law(kind: Kind, servers: &[Server]) -> Result<Law, Refusal> {
    Law::new(kind, Prefixes::default(), servers)
}

#[test]
fn ids_must_ascend() {
    let kind = hashed(Keyed::new([0; 16]), 256);
    let list =
        |ids: &[u32]| -> Vec<Server> { ids.iter().map(|&id| server(id, 1, State::Up)).collect() };
    assert!(law(kind, &list(&[0, 5, 1023])).is_ok());
    assert_eq!(law(kind, &list(&[0, 5, 5])), Err(Refusal::Order(5)));
    assert_eq!(law(kind, &list(&[0, 5, 4, 6])), Err(Refusal::Order(4)));
}

#[test]
fn only_hash_takes_weights() {
    let servers = [server(3, 1, State::Up), server(7, 9, State::Down)];
    let refusal = Refusal::Weighted { id: 7, weight: 9 };
    assert_eq!(law(Kind::Mod, &servers), Err(refusal));
    assert!(law(hashed(Keyed::new([0; 16]), 256), &servers).is_ok());
}

#[test]
fn a_law_says_what_it_is_made_of() {
    let kind = hashed(Keyed::new([7; 16]), 512);
    let prefixes = Prefixes::new(24, 56).unwrap();
    let law = Law::new(kind, prefixes, &equal(1)).unwrap();
    assert_eq!((law.kind(), law.prefixes()), (&kind, prefixes));
    assert_eq!(law.serving(), Serving::Up);
}

/// Rows that do not belong to the law: none is too short to be survived.
#[test]
fn foreign_rows_own_nobody() {
    let servers = equal(3);
    let law = law(hashed(Keyed::new([0; 16]), 65536), &servers).unwrap();
    for rows in [&[][..], &[0xffff; 65536][..], &[1024; 65536][..]] {
        let function = Function::new(&law, &servers, rows, &[]);
        assert_eq!(function.owner(Address::V4([192, 0, 2, 1])), Owner::None);
    }
}

#[test]
fn clients_of_one_prefix_share_an_owner() {
    let servers = equal(50);
    let keyed = Keyed::new([1; 16]);
    let prefixes = Prefixes::new(24, 64).unwrap();
    let rows = filled(&keyed, &servers, 4096);
    for kind in [Kind::Mod, hashed(keyed, 4096)] {
        let law = Law::new(kind, prefixes, &servers).unwrap();
        let function = Function::new(&law, &servers, &rows, &[]);
        let owner = |third, fourth| function.owner(Address::V4([192, 0, third, fourth]));
        assert!((0..=255).all(|fourth| owner(2, fourth) == owner(2, 0)));
        assert!((0..=255).any(|third| owner(third, 0) != owner(2, 0)));
    }
}

proptest! {
    /// Law 1, and the twins owner, explain and succession.
    #[test]
    fn total(
        keyed in any_keyed(), servers in any_servers(12, 1), client in any_address(), modulus: bool
    ) {
        let kind = if modulus { Kind::Mod } else { hashed(keyed, 256) };
        let law = law(kind, &servers).unwrap();
        let rows = if modulus { Vec::new() } else { filled(&keyed, &servers, 256) };
        let function = Function::new(&law, &servers, &rows, &[]);
        let owner = function.owner(client);

        let live = live(&servers);
        match owner {
            Owner::None => prop_assert!(live.is_empty()),
            Owner::Up(id) => {
                prop_assert!(live.iter().any(|s| s.id == id && s.state == State::Up))
            }
            Owner::Draining(id) => {
                prop_assert!(live.iter().any(|s| s.id == id && s.state == State::Drain))
            }
        }

        let explained = function.explain(client, Explicit::default());
        prop_assert_eq!(explained.owner, owner);
        prop_assert_eq!(explained.key, law.prefixes().key(client));
        match explained.rule {
            Rule::NobodyLive => prop_assert_eq!(owner, Owner::None),
            Rule::Try(tries) => {
                prop_assert!(modulus && (1..=servers.len()).contains(&tries.into()))
            }
            Rule::Override(_) | Rule::Table(_) => prop_assert!(false, "nothing is explicit"),
            Rule::Row(row) => {
                prop_assert!(!modulus);
                prop_assert_eq!(Some(rows[row as usize]), owner.server().map(|id| id.get()));
            }
        }

        let mut successors = [id(0); 12];
        let found = function.succession(client, Explicit::default(), &mut successors);
        prop_assert_eq!(successors[..found].first().copied(), owner.server());
        let able = servers.iter().filter(|s| s.state != State::Down).count();
        prop_assert_eq!(found, able);
    }
}
