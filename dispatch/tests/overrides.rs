// SPDX-License-Identifier: GPL-2.0

//! Overrides: what is none, and ranges against the longest match itself.

mod common;

use common::whole::{address, any_overrides, ends, longest, overrides, prefix, ranges};
use common::{any_address, id};
use onehop_dispatch::addr::Address;
use onehop_dispatch::overrides::{self, find, flatten, most_ranges, Override};
use onehop_dispatch::prefix::Prefix;
use onehop_dispatch::refusal::Refusal;
use onehop_dispatch::server::ServerId;
use proptest::prelude::*;

/// Compares everything there is to say of a client.
fn check(list: &[Override], clients: impl IntoIterator<Item = Address>) {
    let ranges = ranges(list);
    assert!(ranges.len() <= most_ranges(list.len()), "{list:?}");
    for client in clients {
        let expected = longest(list, client);
        let server = expected.map(|it| it.server);
        assert_eq!(find(&ranges, client), server, "{client} in {list:?}");
        let found = overrides::longest(list, client).copied();
        assert_eq!(found, expected, "{client} in {list:?}");
    }
    for pair in ranges.windows(2) {
        assert_ne!(pair[0].server(), pair[1].server(), "not merged: {list:?}");
    }
    assert_ne!(ranges.first().map(|range| range.server()), Some(None));
}

#[test]
fn prefixes() {
    let v4 = prefix("192.0.2.0/24");
    assert_eq!((v4.address(), v4.bits()), (address("192.0.2.0"), 24));
    assert_eq!(v4.to_string(), "192.0.2.0/24");
    assert_eq!(prefix("2001:db8::/32").to_string(), "2001:db8::/32");
    for (network, bits) in [
        ("0.0.0.0", 1),
        ("1.2.3.4", 32),
        ("::", 1),
        ("::1", 128),
        ("::ffff:0:0", 128),
    ] {
        let mapped = network == "::ffff:0:0";
        assert_eq!(Prefix::new(address(network), bits).is_ok(), !mapped);
    }
}

#[test]
fn what_is_no_prefix() {
    let new = |network, bits| Prefix::new(address(network), bits).unwrap_err();
    for (network, bits) in [
        ("1.0.0.0", 0),
        ("1.0.0.0", 33),
        ("1.0.0.0", 264),
        ("::", 0),
        ("::", 129),
    ] {
        let address = address(network);
        assert_eq!(new(network, bits), Refusal::OverrideBits { address, bits });
    }
    for (network, bits) in [
        ("192.0.2.1", 31),
        ("64.0.0.0", 1),
        ("::1", 127),
        ("8000::1", 1),
    ] {
        let address = address(network);
        assert_eq!(
            new(network, bits.into()),
            Refusal::OverrideHost { address, bits }
        );
    }
    for (network, bits) in [
        ("::ffff:0:0", 96),
        ("::ffff:192.0.2.0", 120),
        ("::ffff:1.2.3.4", 128),
    ] {
        let address = address(network);
        assert_eq!(
            new(network, bits.into()),
            Refusal::OverrideMapped { address, bits }
        );
    }
    assert!(Prefix::new(address("::fffe:0:0"), 96).is_ok());
    assert!(Prefix::new(address("::1:0:0:0"), 96).is_ok());
}

#[test]
fn refusals_say_what_to_do() {
    for (network, bits, start, end) in [
        (
            "192.0.2.0",
            33,
            "override \"192.0.2.0/33\": ",
            "1 to 32 bits",
        ),
        (
            "2001:db8::",
            0,
            "override \"2001:db8::/0\": ",
            "1 to 128 bits",
        ),
        (
            "192.0.2.1",
            24,
            "override \"192.0.2.1/24\": ",
            "lengthen the prefix",
        ),
        (
            "::ffff:192.0.2.0",
            120,
            "override \"::ffff:192.0.2.0/120\": ",
            "as one of IPv4",
        ),
    ] {
        let text = Prefix::new(address(network), bits).unwrap_err().to_string();
        assert!(text.starts_with(start) && text.ends_with(end), "{text}");
    }
}

/// The order in which digests take them, and `flatten`.
#[test]
fn order() {
    let texts = [
        "9.0.0.0/8",
        "10.0.0.0/7",
        "10.0.0.0/8",
        "192.0.2.0/24",
        "::/1",
        "::/8",
        "::1/128",
        "8000::/1",
    ];
    let mut prefixes: Vec<Prefix> = texts.into_iter().rev().map(prefix).collect();
    prefixes.sort();
    let sorted: Vec<String> = prefixes.iter().map(Prefix::to_string).collect();
    assert_eq!(sorted, texts);
}

#[test]
fn none_at_all() {
    assert!(ranges(&[]).is_empty());
    assert_eq!(most_ranges(0), 0);
    assert_eq!(find(&[], address("192.0.2.1")), None);
}

/// IPv4's addresses lie amidst IPv6's, but are not meant by them.
#[test]
fn families_are_apart() {
    let list = overrides([("::/1", 1), ("192.0.0.0/2", 2)]);
    let ranges = ranges(&list);
    let server = |client| find(&ranges, address(client)).map(ServerId::get);
    assert_eq!(server("::"), Some(1));
    assert_eq!(server("::fffe:ffff:ffff"), Some(1));
    assert_eq!(server("10.0.0.1"), None);
    assert_eq!(server("192.0.2.1"), Some(2));
    assert_eq!(server("255.255.255.255"), Some(2));
    assert_eq!(server("::1:0:0:0"), Some(1));
    assert_eq!(server("8000::"), None);
    // Of no packet; the same client.
    assert_eq!(server("::ffff:10.0.0.1"), None);
    assert_eq!(server("::ffff:192.0.2.1"), Some(2));
}

/// As many ranges as there may be, and one prefix in each depth that there is.
#[test]
fn extremes() {
    assert_eq!(ranges(&overrides([("::/1", 1)])).len(), most_ranges(1));
    let lengths = |network, depths: std::ops::RangeInclusive<u32>| {
        let one = move |bits| Override {
            prefix: Prefix::new(address(network), bits).unwrap(),
            server: id(bits % 7),
        };
        depths.map(one).collect::<Vec<_>>()
    };
    for v6 in [lengths("::", 1..=128), lengths("::", 1..=80)] {
        let list = [lengths("0.0.0.0", 1..=32), v6].concat();
        let zeros = ends(&list);
        check(&list, zeros);
    }
}

#[test]
fn the_first_error_ends_it() {
    let list = overrides([("10.0.0.0/8", 1), ("12.0.0.0/8", 2)]);
    for room in 0..4 {
        let mut calls = 0;
        let result = flatten(&list, |_| {
            calls += 1;
            if calls > room {
                Err(room)
            } else {
                Ok(())
            }
        });
        assert_eq!((result, calls), (Err(room), room + 1));
    }
}

/// All sets of prefixes of up to three more bits than some place on the line has.
#[test]
fn small_worlds() {
    let below = |network: &str, depth: u32, bits: u32, number: u128| match address(network) {
        Address::V4(bytes) => {
            let number = (number as u32) << (32 - depth - bits);
            Address::V4((u32::from_be_bytes(bytes) | number).to_be_bytes())
        }
        Address::V6(bytes) => {
            let number = number << (128 - depth - bits);
            Address::V6((u128::from_be_bytes(bytes) | number).to_be_bytes())
        }
    };
    for (network, depth, ends_it_all) in [
        ("0.0.0.0", 0, false),
        ("255.255.255.248", 29, false),
        ("::", 0, true),
        ("::fff8:0:0", 93, false),
        ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:fff8", 125, true),
    ] {
        let shapes = (1..=3).flat_map(|bits| (0..1u128 << bits).map(move |number| (bits, number)));
        let prefixes: Vec<(u32, u128, Prefix)> = shapes
            .filter_map(|(bits, number)| {
                let start = below(network, depth, bits, number);
                Some((bits, number, Prefix::new(start, depth + bits).ok()?))
            })
            .collect();
        assert!(prefixes.len() >= 13, "{network}");
        for set in 0u32..1 << prefixes.len() {
            let chosen = prefixes.iter().enumerate();
            let chosen = chosen.filter(|(at, _)| (set >> at) & 1 == 1);
            // Neighbours and parents share servers often.
            let server = |at: usize| id((set >> (at % 5)) & 1);
            let mut list: Vec<Override> = chosen
                .clone()
                .map(|(at, &(_, _, prefix))| Override {
                    prefix,
                    server: server(at),
                })
                .collect();
            list.sort_by_key(|it| it.prefix);
            let ranges = ranges(&list);
            assert!(ranges.len() <= most_ranges(list.len()));
            let mut along = vec![None];
            for leaf in 0..8 {
                let has =
                    |(_, (bits, number, _)): &(_, &(u32, u128, _))| leaf >> (3 - bits) == *number;
                // They come by length.
                let last = chosen.clone().rfind(has);
                let client = below(network, depth, 3, leaf);
                let v4 = client == address("::ffff:0:0");
                let expected = last.filter(|_| !v4).map(|(at, _)| server(at));
                assert_eq!(find(&ranges, client), expected, "{client} in {list:?}");
                along.push(expected);
                if client == address("::") {
                    // And all of IPv4 is in there.
                    along.extend([None, expected]);
                }
            }
            along.extend((!ends_it_all).then_some(None));
            let turns = along.windows(2).filter(|pair| pair[0] != pair[1]);
            assert_eq!(ranges.len(), turns.count(), "{list:?}");
        }
    }
}

/// What is not as it has to be does no harm but wrong answers.
#[test]
fn disorder_is_survived() {
    let mut list = overrides([
        ("10.0.0.0/8", 1),
        ("10.1.0.0/16", 2),
        ("::/1", 3),
        ("2001:db8::/32", 4),
    ]);
    list.extend_from_within(..);
    for _ in 0..list.len() {
        list.rotate_left(1);
        ranges(&list);
        list.reverse();
        ranges(&list);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 1_000 }))]

    #[test]
    fn ranges_are_the_longest_match(
        list in any_overrides(40, 5),
        clients in prop::collection::vec(any_address(), 0..20),
    ) {
        check(&list, ends(&list).into_iter().chain(clients));
    }
}
