// SPDX-License-Identifier: GPL-2.0
//! The pool that a log is put to, with the functions that it could have.

use std::collections::BTreeMap;

use onehop_dispatch::addr::{Address, Key, Prefixes};
use onehop_dispatch::server::ServerId;
use onehop_dispatch::siphash::Keyed;
use onehop_uapi::limits::{MAX_ROWS, MAX_SERVERS};
use onehop_uapi::{Admin, Health, Kind, Method, Mode, Name, Policy, Pool, Server};

use super::load::Part;
use crate::model::Group;
use crate::offline::Dispatch;
use crate::Error;

/// A pool whose servers are all healthy.
pub struct Subject {
    pub group: Group,
    /// The servers that are to have a part, by ascending id.
    pub parts: Vec<Part>,
    pub prefixes: Prefixes,
    /// For hashes of clients, as nobody knows the seed who might want to choose them.
    pub keyed: Keyed,
    /// Kind `mod`, unless weights rule it out.
    pub modulo: Option<Dispatch>,
    /// Kind `hash`, by the pool's seed and rows or those that it would have.
    pub hash: Dispatch,
    /// The table that it has.
    pub table: Option<Dispatch>,
    names: BTreeMap<u16, Name>,
}

impl Subject {
    /// A pool as it is, but for what is given.
    pub fn new(mut group: Group, seed: Option<[u8; 16]>, rows: Option<u32>) -> Result<Self, Error> {
        let pool = &mut group.pool;
        if pool.kind == Kind::Table && (seed.is_some() || rows.is_some()) {
            return Err(Error::Refused(format!(
                "pool \"{}\" has a table, which goes with its seed and rows: leave out --seed and --rows",
                pool.name
            )));
        }
        if pool.kind == Kind::Mod {
            pool.rows = MAX_ROWS;
        }
        pool.seed = seed.unwrap_or(pool.seed);
        pool.rows = rows.unwrap_or(pool.rows);
        let servers = group.by_id();
        let weighted = servers.iter().any(|server| server.weight != 1);
        let prefixes = Prefixes::new(group.pool.prefix4.into(), group.pool.prefix6.into())
            .map_err(|refusal| Error::Refused(refusal.to_string()))?;
        let parts = parts(&servers);
        if parts.is_empty() {
            return Err(Error::Refused(format!(
                "pool \"{}\" has no server that is up or drains: add one, or give --servers N",
                group.pool.name
            )));
        }
        let of_kind = |kind| {
            let pool = Pool { kind, ..group.pool };
            let table = Vec::new();
            let group = Group {
                pool,
                table,
                ..group.clone()
            };
            Dispatch::of(&group, |_| Health::Up)
        };
        Ok(Self {
            parts,
            prefixes,
            keyed: Keyed::new(group.pool.seed),
            modulo: match weighted {
                true => None,
                false => Some(of_kind(Kind::Mod)?),
            },
            hash: of_kind(Kind::Hash)?,
            table: match group.pool.kind {
                Kind::Table => Some(Dispatch::of(&group, |_| Health::Up)?),
                Kind::Mod | Kind::Hash => None,
            },
            names: servers.iter().map(|it| (it.id, it.name)).collect(),
            group,
        })
    }

    /// Who owns a client as the pool is now.
    pub fn owner(&self, client: Address) -> Option<ServerId> {
        let now = match self.group.pool.kind {
            Kind::Mod => self.modulo.as_ref(),
            Kind::Hash => Some(&self.hash),
            Kind::Table => self.table.as_ref(),
        };
        now.and_then(|now| now.function().owner(client).server())
    }

    /// Whether the pool has a seed of its own, which others cannot know.
    pub fn has_seed(&self) -> bool {
        self.group.pool.seed != [0; 16]
    }

    /// What a server is called.
    pub fn name(&self, id: u16) -> String {
        let name = self.names.get(&id);
        name.map_or_else(|| format!("#{id}"), Name::to_string)
    }

    /// A key with its hash.
    #[inline]
    pub fn hashed(&self, key: Key) -> (u64, Address) {
        let address = key.address();
        let hash = match address {
            Address::V4(bytes) => self.keyed.v4(bytes),
            Address::V6(bytes) => self.keyed.v6(bytes),
        };
        (hash, address)
    }
}

/// Those that are live when all are healthy.
fn parts(servers: &[&Server]) -> Vec<Part> {
    let of = |admin| {
        let servers = servers.iter().filter(move |it| it.admin == admin);
        servers.map(|it| Part {
            id: it.id,
            weight: it.weight,
        })
    };
    let up: Vec<_> = of(Admin::Up).collect();
    match up.is_empty() {
        true => of(Admin::Drain).collect(),
        false => up,
    }
}

/// A pool of equal servers that nobody has set up yet: s1, s2, and so on.
pub fn imagined(servers: u16) -> Result<Group, Error> {
    let name = |text: &str| Name::new("name", text).map_err(Error::from);
    let mut group = Group::new(Pool {
        name: name("web")?,
        mode: Mode::Router,
        shape: None,
        method: Some(Method::Track),
        kind: Kind::Hash,
        policy: Policy::Drop,
        prefix4: 32,
        prefix6: 64,
        rows: MAX_ROWS,
        seed: [0; 16],
    });
    // From 1 on, as long as ids reach.
    let first = u16::from(servers < MAX_SERVERS);
    for (number, id) in (1..=servers).zip(first..) {
        let name = name(&format!("s{number}"))?;
        group.servers.insert(
            name,
            Server {
                name,
                pool: 0,
                id,
                weight: 1,
                admin: Admin::Up,
                start_down: false,
                address: None,
                address6: None,
            },
        );
    }
    Ok(group)
}
