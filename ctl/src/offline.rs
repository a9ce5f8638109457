// SPDX-License-Identifier: GPL-2.0
//! The dispatch law without the module: who would own a client.

use std::collections::BTreeMap;
use std::convert::Infallible;

use onehop_dispatch::addr::{self, Prefixes};
use onehop_dispatch::digest;
use onehop_dispatch::function::{self, Explicit, Function, Law, Owner, Rule};
use onehop_dispatch::hash::{self, RowCount};
use onehop_dispatch::overrides::{self, Range};
use onehop_dispatch::prefix::Prefix;
use onehop_dispatch::refusal::Refusal;
use onehop_dispatch::server::{self as law, ServerId, Weight};
use onehop_dispatch::siphash::Keyed;
use onehop_dispatch::transition::shares_rows;
use onehop_uapi::limits::{MAX_FUNCTIONS, RUNNERS_UP};
use onehop_uapi::{Address, Admin, Found, Health, Kind, Override, Pool, Server, Verdict};

use crate::model::{Group, Model};
use crate::Error;

/// A pool's function, with its rows.
pub struct Dispatch {
    kind: Kind,
    law: Law,
    servers: Vec<law::Server>,
    rows: Vec<u16>,
    ranges: Vec<Range>,
    /// What the rows and the ranges were made of.
    table: Vec<u16>,
    overrides: Vec<overrides::Override>,
}

impl Dispatch {
    /// Of a pool with all that it has, each server with a health.
    pub(crate) fn of(group: &Group, health: impl Fn(&Server) -> Health) -> Result<Self, Error> {
        let servers = group.by_id().into_iter();
        let servers = servers.map(|server| (server, health(server)));
        Self::new(&group.pool, &group.table, &group.overrides(0), servers)
    }

    /// Of a valid pool, the owners of its rows by a table, its overrides by prefix, and
    /// its servers, with their health, by ascending id.
    ///
    /// # Errors
    ///
    /// The pool is not valid after all.
    pub fn new<'a>(
        pool: &Pool,
        table: &[u16],
        overrides: &[Override],
        servers: impl IntoIterator<Item = (&'a Server, Health)>,
    ) -> Result<Self, Error> {
        let refused = |refusal: Refusal| Error::Refused(refusal.to_string());
        let servers = servers
            .into_iter()
            .map(|(server, health)| live(server, health));
        let servers = servers.collect::<Result<Vec<_>, _>>().map_err(refused)?;
        let prefixes = Prefixes::new(pool.prefix4.into(), pool.prefix6.into()).map_err(refused)?;
        let keyed = Keyed::new(pool.seed);
        let count = || RowCount::new(pool.rows).map_err(refused);
        let kind = match pool.kind {
            Kind::Mod => function::Kind::Mod,
            Kind::Hash => function::Kind::Hash {
                keyed,
                rows: count()?,
            },
            Kind::Table => function::Kind::Table {
                keyed,
                rows: count()?,
            },
        };
        let mut rows = Vec::new();
        if let Some((keyed, count)) = kind.ranked() {
            rows.resize(count.get() as usize, hash::NONE);
            hash::fill(keyed, &servers, table, 0, &mut rows);
        }
        let overrides = overrides.iter().map(named).collect::<Result<Vec<_>, _>>();
        let overrides = overrides.map_err(refused)?;
        let mut ranges = Vec::new();
        let Ok(()) = overrides::flatten(&overrides, |range| {
            ranges.push(range);
            Ok::<_, Infallible>(())
        });
        Ok(Self {
            kind: pool.kind,
            law: Law::new(kind, prefixes, &servers).map_err(refused)?,
            servers,
            rows,
            ranges,
            table: table.to_vec(),
            overrides,
        })
    }

    /// The digest of the function.
    pub fn digest(&self) -> u64 {
        digest::pool(&self.law, &self.servers, self.explicit())
    }

    /// Whether its rows tell who serves how many clients.
    pub(crate) fn is_counted(&self) -> bool {
        self.kind.has_rows() && self.overrides.is_empty()
    }

    /// Parts per million of the clients by the id of their server: of all rows, or of
    /// the sample.
    pub(crate) fn shares(&self, counted: bool) -> BTreeMap<u16, u32> {
        let owners: Vec<_> = match counted {
            true => self.rows.iter().map(|id| ServerId::from_row(*id)).collect(),
            false => sample().map(|client| self.owner(client)).collect(),
        };
        let mut counts = BTreeMap::new();
        for owner in owners.iter().flatten() {
            *counts.entry(owner.get()).or_insert(0) += 1;
        }
        let all = owners.len();
        let shares = counts.into_iter();
        shares.map(|(id, count)| (id, ppm(count, all))).collect()
    }

    /// Parts per million of the clients that have another server in `new`.
    pub(crate) fn moved(&self, new: &Self) -> u32 {
        if shares_rows(&self.function(), &new.function()) {
            let differ = self.rows.iter().zip(&new.rows).filter(|(a, b)| a != b);
            ppm(differ.count(), self.rows.len())
        } else {
            let differ = sample().filter(|client| self.owner(*client) != new.owner(*client));
            ppm(differ.count(), SAMPLE as usize)
        }
    }

    pub(crate) fn function(&self) -> Function<'_> {
        Function::new(&self.law, &self.servers, &self.rows, &self.ranges)
    }

    fn explicit(&self) -> Explicit<'_> {
        Explicit {
            table: &self.table,
            overrides: &self.overrides,
        }
    }

    fn owner(&self, client: addr::Address) -> Option<ServerId> {
        self.function().owner(client).server()
    }

    /// Who owns a client, as LOOKUP answers it.
    pub fn lookup(&self, client: Address) -> Found {
        let client = address(client);
        let function = self.function();
        let explanation = function.explain(client, self.explicit());
        let mut followers: Vec<_> = self.servers.iter().map(|server| server.id).collect();
        followers.truncate(RUNNERS_UP + 1);
        let count = function.succession(client, self.explicit(), &mut followers);
        let mut runners_up = [None; RUNNERS_UP];
        let followers = followers.iter().take(count).skip(1);
        for (place, follower) in runners_up.iter_mut().zip(followers) {
            *place = Some(follower.get());
        }
        Found {
            generation: 0,
            row: match explanation.rule {
                Rule::Row(row) | Rule::Table(row) => row,
                Rule::Override(_) | Rule::Try(_) | Rule::NobodyLive => 0,
            },
            bits: match explanation.rule {
                Rule::Override(bits) => bits,
                _ => 0,
            },
            owner: explanation.owner.server().map(ServerId::get),
            verdict: match explanation.owner {
                Owner::Up(_) => Verdict::Up,
                Owner::Draining(_) => Verdict::Draining,
                Owner::None => Verdict::None,
            },
            rule: match explanation.rule {
                Rule::Override(_) => onehop_uapi::Rule::Override,
                Rule::Table(_) => onehop_uapi::Rule::Table,
                _ if self.kind.has_rows() => onehop_uapi::Rule::Hash,
                _ => onehop_uapi::Rule::Mod,
            },
            runners_up,
            older: [None; MAX_FUNCTIONS - 1],
            oldest: explanation.owner.server().map(ServerId::get),
        }
    }
}

/// How many clients stand for all, where rows cannot be counted.
const SAMPLE: u32 = 16384;

/// The clients by which the module judges too.
pub(crate) fn sample() -> impl Iterator<Item = addr::Address> {
    (0..SAMPLE).map(|number| addr::Address::V4(number.wrapping_mul(0x9e37_79b1).to_be_bytes()))
}

pub(crate) fn ppm(part: usize, all: usize) -> u32 {
    u32::try_from(part as u64 * 1_000_000 / all.max(1) as u64).unwrap_or(1_000_000)
}

/// An address, as the law has it.
pub(crate) fn address(address: Address) -> addr::Address {
    match address {
        Address::V4(address) => addr::Address::V4(address),
        Address::V6(address) => addr::Address::V6(address),
    }
}

/// The digest of a namespace, given those of its pools' functions, by name.
pub(crate) fn digest(model: &Model, digests: &[u64]) -> Result<u64, Error> {
    let mut whole = digest::Namespace::new();
    for (group, digest) in model.pools.values().zip(digests) {
        whole.pool(group.pool.name.as_str().as_bytes(), *digest);
        for ghost in &group.ghosts {
            whole.ghost(address(*ghost));
        }
        for server in group.by_id() {
            let id = ServerId::new(server.id.into())
                .map_err(|refusal| Error::Refused(refusal.to_string()))?;
            whole.server(id, server.address, server.address6);
        }
    }
    Ok(whole.finish())
}

/// The health of a server that the module has never seen before.
pub(crate) fn first_health(server: &Server) -> Health {
    if server.start_down {
        Health::Down
    } else {
        Health::Up
    }
}

/// An override, as the law has it.
fn named(it: &Override) -> Result<overrides::Override, Refusal> {
    let prefix = it.prefix;
    Ok(overrides::Override {
        prefix: Prefix::new(address(prefix.address()), prefix.bits().into())?,
        server: ServerId::new(it.server.into())?,
    })
}

fn live(server: &Server, health: Health) -> Result<law::Server, Refusal> {
    let admin = match server.admin {
        Admin::Up => law::Admin::Up,
        Admin::Drain => law::Admin::Drain,
        Admin::Down => law::Admin::Down,
    };
    let health = match health {
        Health::Up => law::Health::Up,
        Health::Down => law::Health::Down,
    };
    Ok(law::Server {
        id: ServerId::new(server.id.into())?,
        weight: Weight::new(server.weight.into())?,
        state: law::State::effective(admin, health),
    })
}
