// SPDX-License-Identifier: GPL-2.0

//! The owners of clients in pools of all kinds, against the same said the slow way.

#![no_main]

#[path = "../../dispatch/tests/common/mod.rs"]
mod common;

use common::whole::{ends, Whole, ROWS};
use common::{id, server, STATES};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::function::Kind;
use onehop_dispatch::hash::{RowCount, NONE};
use onehop_dispatch::overrides::Override;
use onehop_dispatch::prefix::Prefix;
use onehop_dispatch::siphash::Keyed;

libfuzzer_sys::fuzz_target!(|raw: &[u8]| {
    let mut raw = Unstructured::new(raw);
    let Ok(whole) = whole(&mut raw) else {
        return;
    };
    let mut clients = ends(&whole.overrides);
    while let (false, Ok(client)) = (raw.is_empty(), address(&mut raw)) {
        clients.push(client);
    }
    for client in clients {
        let explained = whole.function().explain(client, whole.explicit());
        let (owner, rule) = whole.expected(client);
        assert_eq!(whole.owner(client), owner);
        assert_eq!((explained.owner.server(), explained.rule), (owner, rule));
    }
});

fn whole(raw: &mut Unstructured<'_>) -> Result<Whole> {
    let keyed = Keyed::new(raw.arbitrary()?);
    let rows = RowCount::new(ROWS).unwrap();
    let mut table = Vec::new();
    let kind = match raw.int_in_range(0..=2)? {
        0 => Kind::Mod,
        1 => Kind::Hash { keyed, rows },
        _ => {
            let owners: [u8; 16] = raw.arbitrary()?;
            let owner = |row| match owners[row % 16] {
                0..=200 => u16::from(owners[row % 16] % 24),
                _ => NONE,
            };
            table = (0..ROWS as usize).map(owner).collect();
            Kind::Table { keyed, rows }
        }
    };
    let most = if matches!(kind, Kind::Mod) { 1 } else { 1000 };
    let mut servers = Vec::new();
    let mut next = 0;
    for _ in 0..raw.int_in_range(0..=9)? {
        let weight = raw.int_in_range(1..=most)?;
        servers.push(server(next, weight, *raw.choose(&STATES)?));
        next += raw.int_in_range(1..=4)?;
    }
    let mut overrides = Vec::new();
    for _ in 0..raw.int_in_range(0..=12)? {
        let (network, server) = (address(raw)?, raw.int_in_range(0..=40)?);
        let bits = raw.int_in_range(1..=128)?;
        if let Some(prefix) = prefix(network, bits) {
            overrides.push(Override {
                prefix,
                server: id(server),
            });
        }
    }
    overrides.sort_by_key(|it| it.prefix);
    overrides.dedup_by_key(|it| it.prefix);
    let prefixes = Prefixes::new(raw.int_in_range(1..=32)?, raw.int_in_range(1..=128)?).unwrap();
    Ok(Whole::new(kind, prefixes, servers, table, overrides))
}

fn address(raw: &mut Unstructured<'_>) -> Result<Address> {
    Ok(match raw.arbitrary()? {
        true => Address::V4(raw.arbitrary()?),
        false => Address::V6(raw.arbitrary()?),
    })
}

/// None: no prefix of IPv6 may stand for IPv4.
fn prefix(network: Address, bits: u32) -> Option<Prefix> {
    match network {
        Address::V4(bytes) => {
            let bits = 1 + (bits - 1) % 32;
            let network = u32::from_be_bytes(bytes) & (u32::MAX << (32 - bits));
            Prefix::new(Address::V4(network.to_be_bytes()), bits).ok()
        }
        Address::V6(bytes) => {
            let network = u128::from_be_bytes(bytes) & (u128::MAX << (128 - bits));
            Prefix::new(Address::V6(network.to_be_bytes()), bits).ok()
        }
    }
}
