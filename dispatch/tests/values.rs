// SPDX-License-Identifier: GPL-2.0

//! The small types: what they take, what they refuse and in which words, how they combine.

mod common;

use common::{any_address, server, STATES};
use onehop_dispatch::addr::{Address, Family, Number, Prefixes};
use onehop_dispatch::bitmap::Bitmap;
use onehop_dispatch::refusal::Refusal;
use onehop_dispatch::server::{Admin, Health, ServerId, Serving, State, Weight};
use proptest::prelude::*;
use std::collections::BTreeSet;

#[test]
fn ids() {
    assert_eq!(ServerId::new(1023).unwrap().get(), 1023);
    assert_eq!(ServerId::new(1024), Err(Refusal::ServerId(1024)));
    assert_eq!(ServerId::new(65536), Err(Refusal::ServerId(65536)));
    assert_eq!(ServerId::from_row(1023), ServerId::new(1023).ok());
    assert_eq!(ServerId::from_row(1024), None);
}

#[test]
fn weights() {
    assert_eq!(Weight::new(1), Ok(Weight::ONE));
    assert_eq!(Weight::new(1000), Ok(Weight::MAX));
    assert_eq!(Weight::new(37).unwrap().get(), 37);
    for bad in [0, 1001, 65537] {
        assert_eq!(Weight::new(bad), Err(Refusal::Weight(bad)));
    }
}

#[test]
fn prefixes() {
    let prefixes = Prefixes::new(32, 128).unwrap();
    assert_eq!((prefixes.v4(), prefixes.v6()), (32, 128));
    assert_eq!(Prefixes::new(32, 64), Ok(Prefixes::default()));
    assert!(Prefixes::new(1, 1).is_ok());
    for bad in [0, 33, 256, 288] {
        assert_eq!(Prefixes::new(bad, 64), Err(Refusal::PrefixV4(bad)));
        assert_eq!(Prefixes::new(bad, 0), Err(Refusal::PrefixV4(bad)));
    }
    for bad in [0, 129, 256, 320] {
        assert_eq!(Prefixes::new(24, bad), Err(Refusal::PrefixV6(bad)));
    }
}

#[test]
fn refusals_quote_the_value() {
    for (refusal, start) in [
        (Refusal::ServerId(1024), "server id \"1024\": expected "),
        (Refusal::Weight(0), "weight \"0\": expected "),
        (Refusal::RowCount(300), "rows \"300\": expected "),
        (Refusal::PrefixV4(33), "IPv4 key prefix \"33\": expected "),
        (Refusal::PrefixV6(129), "IPv6 key prefix \"129\": expected "),
        (Refusal::Order(7), "server id \"7\": expected "),
        (
            Refusal::Weighted { id: 7, weight: 9 },
            "weight \"9\" of server id 7: ",
        ),
    ] {
        let text = refusal.to_string();
        assert!(text.starts_with(start), "{text}");
    }
}

#[test]
fn effective_states() {
    use {Admin as A, Health as H, State as S};
    for (admin, health, state) in [
        (A::Up, H::Up, S::Up),
        (A::Up, H::Down, S::Down),
        (A::Drain, H::Up, S::Drain),
        (A::Drain, H::Down, S::Down),
        (A::Down, H::Up, S::Down),
        (A::Down, H::Down, S::Down),
    ] {
        assert_eq!(State::effective(admin, health), state);
    }
}

#[test]
fn who_serves() {
    let serving = |states: &[State]| {
        let servers: Vec<_> = (0..)
            .zip(states)
            .map(|(id, &state)| server(id, 1, state))
            .collect();
        Serving::of(&servers)
    };
    assert_eq!(serving(&[]), Serving::Nobody);
    assert_eq!(serving(&[State::Down, State::Down]), Serving::Nobody);
    assert_eq!(serving(&[State::Down, State::Drain]), Serving::Draining);
    assert_eq!(serving(&[State::Drain, State::Up]), Serving::Up);
    let admitted = |serving: Serving| STATES.map(|state| serving.admits(state));
    assert_eq!(admitted(Serving::Up), [true, false, false]);
    assert_eq!(admitted(Serving::Draining), [false, true, false]);
    assert_eq!(admitted(Serving::Nobody), [false, false, false]);
}

#[test]
fn families_and_their_order() {
    let (v4, v6) = (Address::V4([255; 4]), Address::V6([0; 16]));
    assert_eq!((v4.family(), v6.family()), (Family::V4, Family::V6));
    assert!(v4 < v6 && Address::V4([9, 0, 0, 0]) < Address::V4([10, 0, 0, 0]));
}

/// The leading `length` bits of `bytes`, the others cleared; and what they spell as a number.
fn leading(bytes: &[u8], length: usize) -> (Vec<u8>, u128) {
    let mut masked = vec![0; bytes.len()];
    let mut number = 0;
    for bit in 0..length {
        let set = (bytes[bit / 8] >> (7 - bit % 8)) & 1;
        masked[bit / 8] |= set << (7 - bit % 8);
        number = (number << 1) | u128::from(set);
    }
    (masked, number)
}

proptest! {
    #[test]
    fn keys_keep_the_leading_bits(client in any_address(), v4 in 1u32..=32, v6 in 1u32..=128) {
        let prefixes = Prefixes::new(v4, v6).unwrap();
        let key = prefixes.key(client).address();
        match (client, key, prefixes.number(client)) {
            (Address::V4(client), Address::V4(key), Number::V4(number)) => {
                prop_assert_eq!((key.to_vec(), number.into()), leading(&client, v4 as usize));
            }
            (Address::V6(client), Address::V6(key), Number::V6(number)) => {
                prop_assert_eq!((key.to_vec(), number), leading(&client, v6 as usize));
            }
            other => prop_assert!(false, "families mixed: {other:?}"),
        }
    }

    #[test]
    fn bitmaps_are_sets(values: Vec<u16>, probe in 0u16..1100, rank in 0u32..1100) {
        let values = values.into_iter().map(|value| value % 1100);
        let mut bitmap = Bitmap::EMPTY;
        let mut set = BTreeSet::new();
        for value in values {
            bitmap.insert(value);
            if value < 1024 {
                set.insert(value);
            }
        }
        prop_assert_eq!(bitmap.contains(probe), set.contains(&probe));
        prop_assert_eq!(bitmap.is_empty(), set.is_empty());
        prop_assert_eq!(bitmap.iter().collect::<Vec<_>>(), Vec::from_iter(set.clone()));
        let absent = (0..1024).filter(|value| !set.contains(value)).nth(rank as usize);
        prop_assert_eq!(bitmap.absent(rank), absent);
    }
}
