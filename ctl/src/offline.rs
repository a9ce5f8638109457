// SPDX-License-Identifier: GPL-2.0
//! The dispatch law without the module: who would own a client.

use std::collections::BTreeMap;

use onehop_dispatch::addr::{self, Prefixes};
use onehop_dispatch::digest;
use onehop_dispatch::function::{self, Function, Law, Owner, Rule};
use onehop_dispatch::hash::{self, RowCount};
use onehop_dispatch::refusal::Refusal;
use onehop_dispatch::server::{self as law, ServerId, Weight};
use onehop_dispatch::siphash::Keyed;
use onehop_uapi::limits::{MAX_FUNCTIONS, RUNNERS_UP};
use onehop_uapi::{Address, Admin, Found, Health, Kind, Pool, Server, Verdict};

use crate::model::Model;
use crate::Error;

/// A pool's function, with its table.
pub struct Dispatch {
    kind: Kind,
    law: Law,
    servers: Vec<law::Server>,
    rows: Vec<u16>,
}

impl Dispatch {
    /// Of a valid pool and its servers, with their health, by ascending id.
    ///
    /// # Errors
    ///
    /// The pool is not valid after all.
    pub fn new<'a>(
        pool: &Pool,
        servers: impl IntoIterator<Item = (&'a Server, Health)>,
    ) -> Result<Self, Error> {
        let refused = |refusal: Refusal| Error::Refused(refusal.to_string());
        let servers = servers
            .into_iter()
            .map(|(server, health)| live(server, health));
        let servers = servers.collect::<Result<Vec<_>, _>>().map_err(refused)?;
        let prefixes = Prefixes::new(pool.prefix4.into(), pool.prefix6.into()).map_err(refused)?;
        let (kind, rows) = match pool.kind {
            Kind::Mod => (function::Kind::Mod, Vec::new()),
            Kind::Hash => {
                let count = RowCount::new(pool.rows).map_err(refused)?;
                let keyed = Keyed::new(pool.seed);
                let mut rows = vec![hash::NONE; count.get() as usize];
                hash::fill(&keyed, &servers, 0, &mut rows);
                (function::Kind::Hash { keyed, rows: count }, rows)
            }
        };
        Ok(Self {
            kind: pool.kind,
            law: Law::new(kind, prefixes, &servers).map_err(refused)?,
            servers,
            rows,
        })
    }

    /// The digest of the function.
    pub fn digest(&self) -> u64 {
        digest::pool(&self.law, &self.servers)
    }

    /// Parts per million of the clients by the id of their server: all rows, or the sample.
    pub(crate) fn shares(&self) -> BTreeMap<u16, u32> {
        let owners: Vec<_> = match self.kind {
            Kind::Hash => self.rows.iter().map(|id| ServerId::from_row(*id)).collect(),
            Kind::Mod => sample().map(|client| self.owner(client)).collect(),
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
        let same_rows = self.kind == Kind::Hash
            && self.law.kind() == new.law.kind()
            && self.law.prefixes() == new.law.prefixes();
        if same_rows {
            let differ = self.rows.iter().zip(&new.rows).filter(|(a, b)| a != b);
            ppm(differ.count(), self.rows.len())
        } else {
            let differ = sample().filter(|client| self.owner(*client) != new.owner(*client));
            ppm(differ.count(), SAMPLE as usize)
        }
    }

    fn owner(&self, client: addr::Address) -> Option<ServerId> {
        let function = Function::new(&self.law, &self.servers, &self.rows);
        function.owner(client).server()
    }

    /// Who owns a client, as LOOKUP answers it.
    pub fn lookup(&self, client: Address) -> Found {
        let client = address(client);
        let function = Function::new(&self.law, &self.servers, &self.rows);
        let explanation = function.explain(client);
        let mut followers: Vec<_> = self.servers.iter().map(|server| server.id).collect();
        followers.truncate(RUNNERS_UP + 1);
        let count = function.succession(client, &mut followers);
        let mut runners_up = [None; RUNNERS_UP];
        let followers = followers.iter().take(count).skip(1);
        for (place, follower) in runners_up.iter_mut().zip(followers) {
            *place = Some(follower.get());
        }
        Found {
            generation: 0,
            row: match explanation.rule {
                Rule::Row(row) => row,
                Rule::Try(_) | Rule::NobodyLive => 0,
            },
            owner: explanation.owner.server().map(ServerId::get),
            verdict: match explanation.owner {
                Owner::Up(_) => Verdict::Up,
                Owner::Draining(_) => Verdict::Draining,
                Owner::None => Verdict::None,
            },
            kind: self.kind,
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
