// SPDX-License-Identifier: GPL-2.0

//! Digests: their bytes, what changes them and what must not.

mod common;

use common::whole::overrides;
use common::{equal, id, server};
use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::digest::{pool, Namespace};
use onehop_dispatch::function::{Explicit, Kind, Law};
use onehop_dispatch::hash::RowCount;
use onehop_dispatch::server::{Server, State};
use onehop_dispatch::siphash::{Hasher, Keyed};
use std::collections::BTreeSet;

fn hashed(seed: u8, rows: u32) -> Kind {
    Kind::Hash {
        keyed: Keyed::new([seed; 16]),
        rows: RowCount::new(rows).unwrap(),
    }
}

fn digest(kind: Kind, prefixes: (u32, u32), servers: &[Server]) -> u64 {
    let prefixes = Prefixes::new(prefixes.0, prefixes.1).unwrap();
    pool(
        &Law::new(kind, prefixes, servers).unwrap(),
        servers,
        Explicit::default(),
    )
}

fn of_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = Hasher::new(*b"onehop digest v1");
    hasher.write(bytes);
    hasher.finish()
}

#[test]
fn bytes_of_a_pool() {
    let servers = [
        server(3, 258, State::Up),
        server(515, 1, State::Drain),
        server(1023, 1000, State::Down),
    ];
    let expected = b"H@@@@@@@@@@@@@@@@\x00\x00\x10\x00\x18\x38\
        s\x00\x03\x01\x02us\x02\x03\x00\x01ds\x03\xff\x03\xe8x";
    assert_eq!(
        digest(hashed(b'@', 4096), (24, 56), &servers),
        of_bytes(expected)
    );
    let expected = b"M\x20\x40s\x00\x00\x00\x01u";
    assert_eq!(digest(Kind::Mod, (32, 64), &equal(1)), of_bytes(expected));
}

#[test]
fn bytes_of_what_is_explicit() {
    let rows = RowCount::new(256).unwrap();
    let keyed = Keyed::new([b'@'; 16]);
    let law = Law::new(Kind::Table { keyed, rows }, Prefixes::default(), &equal(1)).unwrap();
    let owners = [258, 0xffff, 7];
    let overrides = overrides([
        ("65.66.67.68/32", 258),
        ("64.0.0.0/8", 3),
        ("4142:4344::/33", 1023),
    ]);
    let digest = |table, overrides| pool(&law, &equal(1), Explicit { table, overrides });
    let plain = b"T@@@@@@@@@@@@@@@@\0\0\x01\0\x20\x40s\0\0\0\x01u";
    assert_eq!(digest(&[], &[]), of_bytes(plain));
    let expected = b"T@@@@@@@@@@@@@@@@\0\0\x01\0\x01\x02\xff\xff\0\x07\x20\x40s\0\0\0\x01u\
        o\0\0\0\x034@\0\0\0\x08\0\x034ABCD\x20\x01\x026ABCD\0\0\0\0\0\0\0\0\0\0\0\0\x21\x03\xff";
    assert_eq!(digest(&owners, &overrides), of_bytes(expected));
}

#[test]
fn bytes_of_a_namespace() {
    let mut namespace = Namespace::new();
    assert_eq!(namespace.finish(), of_bytes(b"N"));
    namespace.pool(b"web", 0x0102_0304_0506_0708);
    namespace.ghost(Address::V4(*b"ABCD"));
    namespace.ghost(Address::V6(*b"ABCDEFGHIJKLMNOP"));
    namespace.server(id(258), Some(*b"abcd"), None);
    namespace.server(id(259), None, Some(*b"abcdefghijklmnop"));
    let expected = b"Np\0\0\0\x03web\x01\x02\x03\x04\x05\x06\x07\x08g4ABCDg6ABCDEFGHIJKLMNOP\
        s\x01\x024abcd-s\x01\x03-6abcdefghijklmnop";
    assert_eq!(namespace.finish(), of_bytes(expected));
}

/// Each of these decides otherwise than each other.
#[test]
fn every_part_counts() {
    let two = equal(2);
    let mut heavy = two.clone();
    heavy[1] = server(1, 2, State::Up);
    let mut renamed = two.clone();
    renamed[1] = server(2, 1, State::Up);
    let in_state = |state| vec![two[0], server(1, 1, state)];
    let rows = RowCount::new(256).unwrap();
    let keyed = Keyed::new([1; 16]);
    let named = |owner, list: &[(&'static str, u32)]| {
        let kind = Kind::Table { keyed, rows };
        let law = Law::new(kind, Prefixes::default(), &two).unwrap();
        let explicit = Explicit {
            table: &[owner; 256],
            overrides: &overrides(list.iter().copied()),
        };
        pool(&law, &two, explicit)
    };
    let digests = [
        named(0xffff, &[]),
        named(0, &[]),
        named(1, &[]),
        named(1, &[("10.0.0.0/8", 0)]),
        named(1, &[("10.0.0.0/8", 1)]),
        named(1, &[("10.0.0.0/9", 0)]),
        named(1, &[("11.0.0.0/8", 0)]),
        named(1, &[("a00::/8", 0)]),
        named(1, &[("10.0.0.0/8", 0), ("10.0.0.0/9", 0)]),
        digest(hashed(1, 256), (32, 64), &two),
        digest(hashed(2, 256), (32, 64), &two),
        digest(hashed(1, 512), (32, 64), &two),
        digest(hashed(1, 256), (31, 64), &two),
        digest(hashed(1, 256), (32, 63), &two),
        digest(hashed(1, 256), (32, 64), &equal(1)),
        digest(hashed(1, 256), (32, 64), &equal(3)),
        digest(hashed(1, 256), (32, 64), &heavy),
        digest(hashed(1, 256), (32, 64), &renamed),
        digest(hashed(1, 256), (32, 64), &in_state(State::Drain)),
        digest(hashed(1, 256), (32, 64), &in_state(State::Down)),
        digest(Kind::Mod, (32, 64), &two),
    ];
    let distinct: BTreeSet<u64> = digests.into_iter().collect();
    assert_eq!(distinct.len(), digests.len());
}
