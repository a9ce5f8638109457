// SPDX-License-Identifier: GPL-2.0
//! The kernel in memory: functions of a pool before its newest one.

use onehop_uapi::*;
use onehopctl::offline::Dispatch;
use onehopctl::Error;

use crate::fake::{by_author, clients, refused, Fake, Group};

/// What net.onehop.transition_seconds is, in ms.
const DEFAULT: u64 = 300_000;

/// A function before the newest one.
#[derive(Clone)]
pub struct Past {
    pub pool: Pool,
    /// By id, as they were.
    pub servers: Vec<(Server, Status)>,
    pub remaining: Option<u64>,
    pub flows: u32,
    pub table: Vec<u16>,
    pub overrides: Vec<Override>,
}

pub fn remaining(span: Span) -> Option<u64> {
    match span {
        Span::Default => Some(DEFAULT),
        Span::Seconds(seconds) => Some(u64::from(seconds) * 1000),
        Span::Forever => None,
    }
}

impl Past {
    pub fn dispatch(&self) -> Dispatch {
        let servers = self.servers.iter();
        let servers = servers.map(|(it, status)| (it, status.health));
        Dispatch::new(&self.pool, &self.table, &self.overrides, servers).unwrap()
    }
}

impl Group {
    /// Makes way for a function: this one is an older one from now on.
    pub fn past(&self, condition: &Condition) -> Past {
        Past {
            pool: self.pool,
            servers: self.by_id().iter().map(|(a, b)| (**a, **b)).collect(),
            remaining: remaining(condition.span),
            flows: 17,
            table: self.table.clone(),
            overrides: self.overrides.clone(),
        }
    }

    /// Takes over the queue of what stood before.
    pub fn follow(&mut self, old: &Self, condition: &Condition) -> Result<(), Error> {
        self.older.clone_from(&old.older);
        self.tracked = old.tracked;
        if self.dispatch().digest() == old.dispatch().digest() {
            return Ok(());
        }
        self.older.insert(0, old.past(condition));
        if condition.now {
            self.older.clear();
        }
        self.absorb();
        if self.older.len() >= limits::MAX_FUNCTIONS {
            let last = self.older.iter().filter_map(|past| past.remaining).min();
            let seconds = last.map(|ms| ms / 1000);
            return Err(refused(Invalid::queue_full(self.pool.name, seconds)));
        }
        Ok(())
    }

    /// Drops older functions that add nothing, as far as some hundred clients tell.
    fn absorb(&mut self) {
        let mut newer = vec![self.owners()];
        let older = std::mem::take(&mut self.older);
        for past in older.into_iter() {
            let owners = self.owners_by(&past);
            let adds = |at: usize| {
                let says = newer.iter().rev().find_map(|owners| owners[at]);
                owners[at].is_some() && owners[at] != says
            };
            if (0..owners.len()).any(adds) {
                newer.push(owners);
                self.older.push(past);
            }
        }
    }

    fn owners(&self) -> Vec<Option<u16>> {
        let dispatch = self.dispatch();
        clients()
            .map(|client| dispatch.lookup(client).owner)
            .collect()
    }

    /// Owners by an older function: those that are down are none.
    fn owners_by(&self, past: &Past) -> Vec<Option<u16>> {
        let dispatch = past.dispatch();
        let owners = clients().map(|client| dispatch.lookup(client).owner);
        owners
            .map(|it| it.filter(|id| !self.is_down(*id)))
            .collect()
    }

    fn is_down(&self, id: u16) -> bool {
        let is = |(server, status): (&Server, &Status)| {
            let down = server.admin == Admin::Down || status.health == Health::Down;
            server.id == id && down
        };
        self.by_id().into_iter().any(is) || self.fallen.contains(&id)
    }

    /// Servers that older functions alone name, by id.
    pub fn leaving(&self) -> Vec<(Server, Status)> {
        let mut leaving: Vec<(Server, Status)> = Vec::new();
        for (server, status) in self.older.iter().flat_map(|past| &past.servers) {
            let known = |id| self.servers.values().any(|(it, _)| it.id == id);
            if !known(server.id) && !leaving.iter().any(|(it, _)| it.id == server.id) {
                let leaving_ = Status {
                    leaving: true,
                    ..*status
                };
                leaving.push((*server, leaving_));
            }
        }
        leaving.sort_by_key(|(server, _)| server.id);
        leaving
    }

    pub fn older(&self, pool: u32) -> impl Iterator<Item = Older> + '_ {
        let newest = self.owners();
        self.older.iter().map(move |past| {
            let owners = self.owners_by(past);
            let differ = owners.iter().zip(&newest).filter(|(a, b)| a != b).count();
            Older {
                pool,
                flows: past.flows,
                digest: past.dispatch().digest(),
                remaining: past.remaining,
                moved: u32::try_from(differ * 1_000_000 / owners.len()).unwrap(),
            }
        })
    }

    /// What LOOKUP says of a client besides what the newest function says.
    pub fn chain(&self, client: Address, found: &mut Found) {
        let mut chain: Vec<_> = found.owner.into_iter().collect();
        for past in &self.older {
            let owner = past.dispatch().lookup(client).owner;
            if let Some(owner) = owner.filter(|id| !self.is_down(*id)) {
                found.oldest = Some(owner);
                if !chain.contains(&owner) {
                    chain.push(owner);
                }
            }
        }
        let known = usize::from(found.owner.is_some());
        for (place, owner) in found.older.iter_mut().zip(&chain[known..]) {
            *place = Some(*owner);
        }
    }
}

impl Fake {
    /// TRANSITION, but for its reply.
    pub fn turn(&mut self, request: &Transition) -> Result<bool, Error> {
        let pool = self.pools.get_mut(&request.pool);
        let pool = pool.ok_or_else(|| refused(Invalid::no_pool(request.pool)))?;
        if pool.older.is_empty() {
            return Ok(false);
        }
        match request.verb {
            Verb::Commit => {
                pool.older.clear();
                pool.fallen.clear();
            }
            Verb::Abort => {
                let past = pool.past(&request.condition);
                if let Some(oldest) = pool.older.last().cloned() {
                    pool.pool = oldest.pool;
                    pool.table = oldest.table;
                    pool.overrides = oldest.overrides;
                    let by = by_author(request.author);
                    let servers = oldest.servers.into_iter();
                    pool.servers = servers
                        .map(|(it, status)| (it.name, (it, by(status))))
                        .collect();
                }
                pool.older.insert(0, past);
                pool.absorb();
            }
            Verb::Extend(span) => {
                let least = remaining(span);
                for past in &mut pool.older {
                    past.remaining = past.remaining.zip(least).map(|(a, b)| a.max(b));
                }
            }
        }
        Ok(true)
    }
}
