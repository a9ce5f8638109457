// SPDX-License-Identifier: GPL-2.0

//! A function with all its parts, and what overrides it has, said again the slow way.

use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::function::{Explicit, Function, Kind, Law, Rule};
use onehop_dispatch::hash::{self, RowCount, NONE};
use onehop_dispatch::overrides::{flatten, Override, Range};
use onehop_dispatch::prefix::Prefix;
use onehop_dispatch::server::{Server, ServerId};
use proptest::prelude::*;

use super::{any_keyed, any_servers, id, live, ranked};

/// Of each function that `any_whole` draws.
pub const ROWS: u32 = 256;

/// Its parts are what it was configured with, but for `rows` and `ranges`.
#[derive(Clone, Debug)]
pub struct Whole {
    pub law: Law,
    pub servers: Vec<Server>,
    pub table: Vec<u16>,
    pub overrides: Vec<Override>,
    pub rows: Vec<u16>,
    ranges: Vec<Range>,
}

impl Whole {
    pub fn new(
        kind: Kind,
        prefixes: Prefixes,
        servers: Vec<Server>,
        table: Vec<u16>,
        overrides: Vec<Override>,
    ) -> Self {
        let mut rows = Vec::new();
        if let Some((keyed, count)) = kind.ranked() {
            rows.resize(count.get() as usize, NONE);
            hash::fill(keyed, &servers, &table, 0, &mut rows);
        }
        Self {
            law: Law::new(kind, prefixes, &servers).unwrap(),
            ranges: ranges(&overrides),
            servers,
            table,
            overrides,
            rows,
        }
    }

    pub fn function(&self) -> Function<'_> {
        Function::new(&self.law, &self.servers, &self.rows, &self.ranges)
    }

    pub fn explicit(&self) -> Explicit<'_> {
        Explicit {
            table: &self.table,
            overrides: &self.overrides,
        }
    }

    pub fn owner(&self, client: Address) -> Option<ServerId> {
        self.function().owner(client).server()
    }

    /// The server of an id, if it is one of the live ones.
    fn alive(&self, id: u16) -> Option<ServerId> {
        let live = live(&self.servers);
        let found = live.iter().find(|server| server.id.get() == id);
        found.map(|server| server.id)
    }

    /// Owner and rule by what the whole was configured with.
    pub fn expected(&self, client: Address) -> (Option<ServerId>, Rule) {
        let Some(first) = live(&self.servers).first().copied() else {
            return (None, Rule::NobodyLive);
        };
        if let Some(it) = longest(&self.overrides, client) {
            if let Some(id) = self.alive(it.server.get()) {
                return (Some(id), Rule::Override(it.prefix.bits()));
            }
        }
        match self.law.kind() {
            Kind::Mod => {
                let plain = Whole::new(
                    Kind::Mod,
                    self.law.prefixes(),
                    self.servers.clone(),
                    Vec::new(),
                    Vec::new(),
                );
                let explained = plain.function().explain(client, plain.explicit());
                (explained.owner.server(), explained.rule)
            }
            Kind::Hash { keyed, rows } | Kind::Table { keyed, rows } => {
                let row = rows.row_of(keyed, self.law.prefixes().key(client));
                let named = self.table.get(row as usize);
                if let Some(id) = named.and_then(|&id| self.alive(id)) {
                    return (Some(id), Rule::Table(row));
                }
                let ranking = ranked(keyed, row, &live(&self.servers));
                let winner = ranking.first().unwrap_or(&first).id;
                (Some(winner), Rule::Row(row))
            }
        }
    }
}

pub fn ranges(overrides: &[Override]) -> Vec<Range> {
    let mut ranges = Vec::new();
    let pushed = flatten(overrides, |range| {
        ranges.push(range);
        Ok::<_, ()>(())
    });
    pushed.unwrap();
    ranges
}

pub fn prefix(text: &str) -> Prefix {
    let (network, bits) = text.split_once('/').unwrap();
    Prefix::new(address(network), bits.parse().unwrap()).unwrap()
}

pub fn address(text: &str) -> Address {
    match text.parse().unwrap() {
        std::net::IpAddr::V4(v4) => Address::V4(v4.octets()),
        std::net::IpAddr::V6(v6) => Address::V6(v6.octets()),
    }
}

/// Overrides from text, in their order.
pub fn overrides<'a>(list: impl IntoIterator<Item = (&'a str, u32)>) -> Vec<Override> {
    let made = list.into_iter().map(|(text, server)| Override {
        prefix: prefix(text),
        server: id(server),
    });
    sorted(made.collect())
}

fn sorted(mut overrides: Vec<Override>) -> Vec<Override> {
    overrides.sort_by_key(|it| it.prefix);
    overrides.dedup_by_key(|it| it.prefix);
    overrides
}

/// The longest prefix that is a beginning of a client, as text.
pub fn longest(overrides: &[Override], client: Address) -> Option<Override> {
    let begins = |it: &&Override| {
        let (network, client) = (digits(it.prefix.address()), digits(client));
        let same = network.len() == client.len();
        same && client.starts_with(&network[..it.prefix.bits().into()])
    };
    let all = overrides.iter().filter(begins);
    all.max_by_key(|it| it.prefix.bits()).copied()
}

/// The bits of an address, of the IPv4 one that it stands for if it does.
fn digits(address: Address) -> String {
    let bytes = match &address {
        Address::V4(bytes) => &bytes[..],
        Address::V6([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, bytes @ ..]) => &bytes[..],
        Address::V6(bytes) => &bytes[..],
    };
    bytes.iter().map(|byte| format!("{byte:08b}")).collect()
}

/// Where something may change: both ends of each prefix, and what is next to them.
pub fn ends(overrides: &[Override]) -> Vec<Address> {
    let around = |it: &Override| {
        let bits = u32::from(it.prefix.bits());
        match it.prefix.address() {
            Address::V4(bytes) => {
                let first = u32::from_be_bytes(bytes);
                let last = first | u32::MAX.checked_shr(bits).unwrap_or(0);
                [first.wrapping_sub(1), first, last, last.wrapping_add(1)]
                    .map(|point| Address::V4(point.to_be_bytes()))
            }
            Address::V6(bytes) => {
                let first = u128::from_be_bytes(bytes);
                let last = first | u128::MAX.checked_shr(bits).unwrap_or(0);
                [first.wrapping_sub(1), first, last, last.wrapping_add(1)]
                    .map(|point| Address::V6(point.to_be_bytes()))
            }
        }
    };
    overrides.iter().flat_map(around).collect()
}

/// Where prefixes crowd.
const CENTRES: [&str; 6] = [
    "192.0.2.77",
    "255.255.255.255",
    "::fffe:ffff:ffff",
    "::1:0:0:0",
    "2001:db8::1",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
];

/// Up to `most` overrides to servers of ids below `ids`, many of them within each other.
pub fn any_overrides(most: usize, ids: u32) -> impl Strategy<Value = Vec<Override>> {
    let centre = prop::sample::select(&CENTRES[..]);
    let one = (centre, 1u32..=128, 0u32..4, 0..ids);
    let one = one.prop_filter_map("one of IPv4 in IPv6", |(centre, bits, flipped, server)| {
        Some(Override {
            prefix: near(address(centre), bits, flipped)?,
            server: id(server),
        })
    });
    prop::collection::vec(one, 0..=most).prop_map(sorted)
}

/// A prefix of an address, but for one of its last bits, or none.
fn near(address: Address, bits: u32, flipped: u32) -> Option<Prefix> {
    let network = match address {
        Address::V4(bytes) => {
            let bits = 1 + (bits - 1) % 32;
            let flip = (1u32 << 31)
                .checked_shr(bits - flipped.min(bits))
                .unwrap_or(0);
            let rest = u32::MAX.checked_shr(bits).unwrap_or(0);
            let network = (u32::from_be_bytes(bytes) ^ flip) & !rest;
            return Prefix::new(Address::V4(network.to_be_bytes()), bits).ok();
        }
        Address::V6(bytes) => {
            let flip = (1u128 << 127)
                .checked_shr(bits - flipped.min(bits))
                .unwrap_or(0);
            let rest = u128::MAX.checked_shr(bits).unwrap_or(0);
            (u128::from_be_bytes(bytes) ^ flip) & !rest
        }
    };
    Prefix::new(Address::V6(network.to_be_bytes()), bits).ok()
}

/// The explicit owners of so many rows, of ids below `ids`, or none.
pub fn any_table(rows: usize, ids: u16) -> impl Strategy<Value = Vec<u16>> {
    let owner = prop_oneof![3 => 0..ids, 1 => Just(NONE)];
    let run = (owner, 1usize..100);
    prop::collection::vec(run, 1..20).prop_map(move |runs| {
        let table = runs.into_iter().flat_map(|(id, count)| vec![id; count]);
        let none = std::iter::repeat(NONE);
        table.chain(none).take(rows).collect()
    })
}

/// Functions with everything they may have; kinds are 0, mod, to 2, table.
pub fn any_whole(kinds: std::ops::Range<u8>) -> impl Strategy<Value = Whole> {
    let servers = any_servers(9, 1).prop_map(|mut servers| {
        // Ids that overrides and tables name, and a few that they do not.
        for (number, server) in (0u32..).zip(&mut servers) {
            server.id = id(number * 2);
        }
        servers
    });
    let prefixes = prop::sample::select(vec![(32, 64), (24, 48), (1, 128)]);
    let owners = any_table(ROWS as usize, 12);
    let parts = (
        any_keyed(),
        servers,
        prefixes,
        owners,
        any_overrides(12, 12),
        kinds,
    );
    parts.prop_map(|(keyed, servers, (v4, v6), owners, overrides, kind)| {
        let rows = RowCount::new(ROWS).unwrap();
        let (kind, owners) = match kind {
            0 => (Kind::Mod, vec![]),
            1 => (Kind::Hash { keyed, rows }, vec![]),
            _ => (Kind::Table { keyed, rows }, owners),
        };
        Whole::new(
            kind,
            Prefixes::new(v4, v6).unwrap(),
            servers,
            owners,
            overrides,
        )
    })
}
