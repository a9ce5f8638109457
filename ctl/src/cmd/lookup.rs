// SPDX-License-Identifier: GPL-2.0
//! `onehopctl lookup`

use std::collections::BTreeMap;

use onehop_uapi::{Address, Found, Health, Lookup as Request, Name, Pool, Prefix, Rule, Verdict};
use serde::Serialize;

use super::apply::read;
use crate::model::{Group, Model};
use crate::offline::Dispatch;
use crate::state::{PoolState, State};
use crate::{pick, value, Context, Error};

/// How often the module is asked again because the state has changed meanwhile.
const TRIES: u32 = 10;

#[derive(clap::Args)]
pub struct Lookup {
    /// Addresses of clients
    #[arg(required = true, value_parser = value::client)]
    clients: Vec<Address>,
    /// In this pool; may be left out where there is only one
    #[arg(long, value_parser = value::name)]
    pool: Option<Name>,
    /// In the pool of this ghost
    #[arg(long, value_parser = value::address, conflicts_with = "pool")]
    ghost: Option<Address>,
    /// By a configuration file, without the module; all servers are healthy
    #[arg(long, value_name = "FILE")]
    offline: Option<String>,
}

/// What is said of a client.
#[derive(Serialize)]
struct Answer {
    client: String,
    pool: String,
    owner: Option<String>,
    id: Option<u16>,
    verdict: &'static str,
    kind: &'static str,
    rule: &'static str,
    #[serde(rename = "override")]
    prefix: Option<String>,
    row: Option<u32>,
    runners_up: Vec<String>,
    moves: bool,
    older: Vec<String>,
    oldest: Option<String>,
    method: Option<&'static str>,
}

/// The pool that was asked, and its servers by their ids.
struct Asked {
    pool: Pool,
    names: BTreeMap<u16, Name>,
}

impl Lookup {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let (asked, found) = match &self.offline {
            Some(file) => {
                let model = read(context, file)?;
                let group = &model.pools[&self.pool(&model)?];
                (Asked::of_group(group), offline(group, &self.clients)?)
            }
            None => self.online(context)?,
        };
        let clients = self.clients.iter().zip(&found);
        let answers = clients.map(|(client, found)| asked.answer(*client, found));
        if context.json {
            return context.print_json(&answers.collect::<Vec<_>>());
        }
        for answer in answers {
            writeln!(context.out, "{}", asked.line(&answer))?;
        }
        Ok(())
    }

    fn pool(&self, model: &Model) -> Result<Name, Error> {
        match self.ghost {
            Some(ghost) => pick::pool_of_ghost(model, ghost),
            None => pick::pool(model, self.pool),
        }
    }

    /// Asks the module. Its answers are numbers, the names come from a dump: the
    /// two have to be of one generation.
    fn online(&self, context: &mut Context<'_>) -> Result<(Asked, Vec<Found>), Error> {
        for _ in 0..TRIES {
            let state = State::read(context.kernel)?;
            let pool = self.pool(&state.model())?;
            let mut ask = |client| context.kernel.lookup(&Request { pool, client });
            let found = self
                .clients
                .iter()
                .map(|client| ask(*client))
                .collect::<Result<Vec<_>, _>>()?;
            let same = |found: &Found| found.generation == state.generation;
            if let Some(pool) = state.pool(pool).filter(|_| found.iter().all(same)) {
                return Ok((Asked::of_state(pool), found));
            }
        }
        Err(Error::Refused(format!(
            "others change the state all the time: given up after {TRIES} tries"
        )))
    }
}

fn offline(group: &Group, clients: &[Address]) -> Result<Vec<Found>, Error> {
    let dispatch = Dispatch::of(group, |_| Health::Up)?;
    Ok(clients
        .iter()
        .map(|client| dispatch.lookup(*client))
        .collect())
}

impl Asked {
    fn of_group(group: &Group) -> Self {
        let servers = group.servers.values();
        Self {
            pool: group.pool,
            names: servers.map(|server| (server.id, server.name)).collect(),
        }
    }

    fn of_state(state: &PoolState) -> Self {
        let servers = state.servers.iter();
        Self {
            pool: state.pool,
            names: servers
                .map(|(server, _)| (server.id, server.name))
                .collect(),
        }
    }

    fn answer(&self, client: Address, found: &Found) -> Answer {
        let name = |id: u16| {
            let name = self.names.get(&id);
            name.map_or_else(|| format!("#{id}"), Name::to_string)
        };
        let lives = found.verdict != Verdict::None;
        let older: Vec<_> = found.older.into_iter().flatten().map(name).collect();
        Answer {
            client: client.to_string(),
            pool: self.pool.name.to_string(),
            owner: found.owner.map(name),
            id: found.owner,
            verdict: found.verdict.name(),
            kind: self.pool.kind.name(),
            rule: found.rule.name(),
            prefix: match found.rule {
                Rule::Override => Prefix::around(client, found.bits).ok(),
                Rule::Mod | Rule::Hash | Rule::Table => None,
            }
            .map(|prefix| prefix.to_string()),
            row: match found.rule {
                Rule::Hash | Rule::Table => lives.then_some(found.row),
                Rule::Mod | Rule::Override => None,
            },
            runners_up: found.runners_up.into_iter().flatten().map(name).collect(),
            moves: !older.is_empty(),
            older,
            oldest: found.oldest.map(name),
            method: self.pool.method.map(|method| method.name()),
        }
    }

    fn line(&self, answer: &Answer) -> String {
        let mut line = match (&answer.owner, answer.id) {
            (Some(owner), Some(id)) if answer.verdict == Verdict::Draining.name() => {
                format!("{owner} (id {id}, draining){}", self.rule(answer))
            }
            (Some(owner), Some(id)) => format!("{owner} (id {id}){}", self.rule(answer)),
            _ => format!("none: no server lives, policy {}", self.pool.policy),
        };
        if answer.moves {
            let none = || "nobody".to_owned();
            let newest = answer.owner.clone().unwrap_or_else(none);
            let oldest = answer.oldest.clone().unwrap_or_else(none);
            let older = answer.older.join(" or ");
            // Without a method servers know by their own sockets.
            let method = answer.method.unwrap_or("sockets");
            line += &format!(
                "; new connections -> {newest}; existing ones stay on {older} ({method}); \
                 all but TCP -> {oldest}"
            );
        }
        line
    }

    fn rule(&self, answer: &Answer) -> String {
        let mut rule = format!(" by {}", answer.rule);
        if let Some(prefix) = &answer.prefix {
            rule += &format!(" {prefix}");
        }
        if let Some(row) = answer.row {
            rule += &format!(": row {row} of {}", self.pool.rows);
        }
        if !answer.runners_up.is_empty() {
            rule += &format!(", then {}", answer.runners_up.join(" "));
        }
        rule
    }
}
