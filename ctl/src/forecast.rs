// SPDX-License-Identifier: GPL-2.0
//! What a change would do to pools: how many clients move, and who serves how many.
//!
//! By the law itself, as the module would: exactly where rows can be compared and
//! counted, else by the sample that the module takes. Overrides cannot be counted.

use std::collections::{BTreeMap, BTreeSet};

use onehop_dispatch::addr;
use onehop_uapi::limits::MAX_FUNCTIONS;
use onehop_uapi::{
    Address, Health, Invalid, Lookup, Name, Older, Override, Pool, Server, Set, State as Wanted,
    Status,
};
use serde::Serialize;

use crate::model::Model;
use crate::offline::{self, Dispatch};
use crate::replay::{Part, Replay};
use crate::report::percent;
use crate::state::{PoolState, State};
use crate::style::{table, Cell, Tone};
use crate::{Context, Error};

/// Servers and their health, by pool: as they are, or as they would be.
pub struct Prospect(BTreeMap<Name, Side>);

struct Side {
    pool: Pool,
    table: Vec<u16>,
    overrides: Vec<Override>,
    /// By ascending id.
    servers: Vec<(Server, Health)>,
}

impl Prospect {
    /// With a model applied to what stands.
    pub fn of(state: &State, model: &Model) -> Self {
        let sides = model.pools.values().map(|group| {
            let stands = state.pool(group.pool.name);
            let servers = group.by_id().into_iter();
            let side = Side {
                pool: group.pool,
                table: group.table.clone(),
                overrides: group.overrides(0),
                servers: servers.map(|it| (*it, health(stands, it))).collect(),
            };
            (group.pool.name, side)
        });
        Self(sides.collect())
    }

    /// The function of a pool, if there is one.
    pub fn dispatch(&self, pool: &str) -> Result<Option<Dispatch>, Error> {
        let mut sides = self.0.iter();
        let side = sides.find(|(name, _)| name.as_str() == pool);
        side.map(|(_, side)| side.dispatch()).transpose()
    }

    /// And with one state of a server set.
    pub fn set(&mut self, request: &Set) {
        let Some(side) = self.0.get_mut(&request.pool) else {
            return;
        };
        for (server, health) in &mut side.servers {
            if server.name == request.server {
                match request.state {
                    Wanted::Admin(admin) => server.admin = admin,
                    Wanted::Health(seen) => *health = seen,
                }
            }
        }
    }
}

/// The health that a server keeps, or begins with.
fn health(stands: Option<&PoolState>, server: &Server) -> Health {
    let addresses = |it: &Server| (it.address, it.address6);
    let same =
        |(it, _): &&(Server, Status)| it.name == server.name && addresses(it) == addresses(server);
    let known = stands.and_then(|pool| pool.servers.iter().find(same));
    known.map_or_else(
        || offline::first_health(server),
        |(_, status)| status.health,
    )
}

impl Side {
    fn dispatch(&self) -> Result<Dispatch, Error> {
        Dispatch::new(
            &self.pool,
            &self.table,
            &self.overrides,
            self.servers.iter().map(|(it, health)| (it, *health)),
        )
    }
}

/// The pools that would be otherwise.
#[derive(Serialize)]
#[serde(transparent)]
pub struct Forecast(pub Vec<Prediction>);

/// A pool that would be otherwise.
#[derive(Serialize)]
pub struct Prediction {
    pub pool: String,
    /// Of the newest function, if there were one.
    pub digest: Option<String>,
    /// Of a pool that was there before, and stays.
    pub moved_ppm: Option<u32>,
    /// How many functions it has now, of so many at most.
    pub functions: usize,
    pub functions_most: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<Replay>,
    pub servers: Vec<Load>,
}

/// A server's part of the clients; none if it has nothing to do with it.
#[derive(Serialize)]
pub struct Load {
    pub server: String,
    pub id: u16,
    pub weight: u16,
    pub before_ppm: Option<u32>,
    pub after_ppm: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<Part>,
}

/// Compares what stands with a prospect.
pub fn forecast(state: &State, after: &Prospect) -> Result<Forecast, Error> {
    let before = Prospect::of(state, &state.model());
    let names: BTreeSet<_> = before.0.keys().chain(after.0.keys()).collect();
    let mut predictions = Vec::new();
    for name in names {
        let sides = [&before, after].map(|it| it.0.get(name));
        let [old, new] = sides.map(|side| side.map(Side::dispatch).transpose());
        let (old, new) = (old?, new?);
        if old.as_ref().map(Dispatch::digest) == new.as_ref().map(Dispatch::digest) {
            continue;
        }
        let older = state.pool(*name).map_or(0, |pool| pool.older.len() + 1);
        // Both counted, or neither: else what is the same would look otherwise.
        let counted = old.iter().chain(&new).all(Dispatch::is_counted);
        let shares = [&old, &new].map(|it| it.as_ref().map(|it| it.shares(counted)));
        predictions.push(Prediction {
            pool: name.to_string(),
            digest: new.as_ref().map(|new| format!("{:016x}", new.digest())),
            moved_ppm: old.as_ref().zip(new.as_ref()).map(|(a, b)| a.moved(b)),
            functions: older,
            functions_most: MAX_FUNCTIONS,
            log: None,
            servers: loads(sides, shares),
        });
    }
    Ok(Forecast(predictions))
}

fn loads(sides: [Option<&Side>; 2], shares: [Option<BTreeMap<u16, u32>>; 2]) -> Vec<Load> {
    let mut loads = BTreeMap::new();
    for (place, (side, shares)) in sides.into_iter().zip(shares).enumerate() {
        for (server, _) in side.iter().flat_map(|side| &side.servers) {
            let share = shares.as_ref().and_then(|it| it.get(&server.id)).copied();
            let load = loads.entry((server.id, server.name)).or_insert(Load {
                server: server.name.to_string(),
                id: server.id,
                weight: 0,
                before_ppm: None,
                after_ppm: None,
                log: None,
            });
            load.weight = server.weight;
            let ppm = match place {
                0 => &mut load.before_ppm,
                _ => &mut load.after_ppm,
            };
            *ppm = Some(share.unwrap_or(0));
        }
    }
    loads.into_values().collect()
}

/// How many clients are asked for, to tell what an abort does.
const ASKED: usize = 4096;

/// Compares the newest function of a pool with its oldest one, by what LOOKUP says of a sample.
pub fn forecast_of_abort(
    context: &mut Context<'_>,
    generation: u64,
    it: &PoolState,
    oldest: &Older,
) -> Result<Forecast, Error> {
    let pool = it.pool.name;
    let mut counts: BTreeMap<u16, [usize; 2]> = BTreeMap::new();
    for client in offline::sample().take(ASKED) {
        let client = match client {
            addr::Address::V4(client) => Address::V4(client),
            addr::Address::V6(client) => Address::V6(client),
        };
        let found = context.kernel.lookup(&Lookup { pool, client })?;
        if found.generation != generation {
            return Err(Invalid::stale(generation, found.generation).into());
        }
        for (place, owner) in [found.owner, found.oldest].into_iter().enumerate() {
            if let Some(owner) = owner {
                counts.entry(owner).or_default()[place] += 1;
            }
        }
    }
    let load = |(server, _): &(Server, Status)| {
        let counts = counts.get(&server.id).copied().unwrap_or_default();
        let [before, after] = counts.map(|count| offline::ppm(count, ASKED));
        Load {
            server: server.name.to_string(),
            id: server.id,
            weight: server.weight,
            before_ppm: Some(before),
            after_ppm: Some(after),
            log: None,
        }
    };
    Ok(Forecast(vec![Prediction {
        pool: pool.to_string(),
        digest: Some(format!("{:016x}", oldest.digest)),
        moved_ppm: Some(oldest.moved),
        functions: it.older.len() + 1,
        functions_most: MAX_FUNCTIONS,
        log: None,
        servers: it.servers.iter().map(load).collect(),
    }]))
}

impl Forecast {
    pub fn print(&self, context: &mut Context<'_>) -> Result<(), Error> {
        for it in &self.0 {
            it.print(context)?;
        }
        Ok(())
    }
}

impl Prediction {
    fn print(&self, context: &mut Context<'_>) -> Result<(), Error> {
        let style = context.style();
        let mut facts = vec![match (&self.digest, self.moved_ppm) {
            (None, _) => "is removed".into(),
            (_, None) => "is new".into(),
            (_, Some(moved)) => format!("{} % of its clients move", percent(moved)),
        }];
        facts.extend(self.log.iter().filter_map(|log| {
            let moved = percent(log.moved_ppm?);
            Some(format!("{moved} % of the log's {} requests", log.requests))
        }));
        facts.extend(self.digest.iter().map(|digest| format!("digest {digest}")));
        facts.push(match self.functions_most.saturating_sub(self.functions) {
            0 => format!("all {} functions taken", self.functions_most),
            _ => format!(
                "{} of {} functions taken",
                self.functions, self.functions_most
            ),
        });
        let title = style.paint(Tone::Title, &format!("pool {}", self.pool));
        writeln!(context.out, "\n{title}: {}", facts.join(", "))?;
        let share = |ppm: Option<u32>| {
            Cell::right(ppm.map_or("-".into(), |ppm| format!("{} %", percent(ppm))))
        };
        let mut rows = vec![vec![
            Cell::left("server"),
            Cell::right("weight"),
            Cell::right("before"),
            Cell::right("after"),
        ]];
        if self.log.is_some() {
            rows[0].extend(["log before", "log after"].map(Cell::right));
        }
        rows.extend(self.servers.iter().map(|it| {
            let mut row = vec![
                Cell::left(&*it.server),
                Cell::right(it.weight),
                share(it.before_ppm),
                share(it.after_ppm),
            ];
            if let Some(log) = &it.log {
                row.extend([share(log.before_ppm), share(log.after_ppm)]);
            }
            row
        }));
        for line in table(style, &rows) {
            writeln!(context.out, "  {line}")?;
        }
        Ok(())
    }
}
