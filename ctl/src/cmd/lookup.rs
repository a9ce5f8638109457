// SPDX-License-Identifier: GPL-2.0
//! `onehopctl lookup`

use onehop_uapi::{Address, Found, Health, Kind, Lookup as Request, Name, Verdict};
use serde::Serialize;

use super::apply::read;
use crate::model::{Group, Model};
use crate::offline::Dispatch;
use crate::state::State;
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
    row: Option<u32>,
    runners_up: Vec<String>,
}

impl Lookup {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let (model, pool, found) = match &self.offline {
            Some(file) => {
                let model = read(context, file)?;
                let pool = self.pool(&model)?;
                let found = offline(&model.pools[&pool], &self.clients)?;
                (model, pool, found)
            }
            None => self.online(context)?,
        };
        let group = &model.pools[&pool];
        let clients = self.clients.iter().zip(&found);
        if context.json {
            let answers: Vec<_> = clients
                .map(|(client, it)| answer(group, *client, it))
                .collect();
            return context.print_json(&answers);
        }
        for (client, found) in clients {
            writeln!(
                context.out,
                "{}",
                line(group, answer(group, *client, found))
            )?;
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
    fn online(&self, context: &mut Context<'_>) -> Result<(Model, Name, Vec<Found>), Error> {
        for _ in 0..TRIES {
            let state = State::read(context.kernel)?;
            let model = state.model();
            let pool = self.pool(&model)?;
            let mut ask = |client| context.kernel.lookup(&Request { pool, client });
            let found = self
                .clients
                .iter()
                .map(|client| ask(*client))
                .collect::<Result<Vec<_>, _>>()?;
            if found
                .iter()
                .all(|found| found.generation == state.generation)
            {
                return Ok((model, pool, found));
            }
        }
        Err(Error::Refused(format!(
            "others change the state all the time: given up after {TRIES} tries"
        )))
    }
}

fn offline(group: &Group, clients: &[Address]) -> Result<Vec<Found>, Error> {
    let servers = group.by_id().into_iter();
    let servers = servers.map(|server| (server, Health::Up));
    let dispatch = Dispatch::new(&group.pool, servers)?;
    Ok(clients
        .iter()
        .map(|client| dispatch.lookup(*client))
        .collect())
}

fn answer(group: &Group, client: Address, found: &Found) -> Answer {
    let name = |id: u16| {
        let server = group.servers.values().find(|server| server.id == id);
        server.map_or_else(|| format!("#{id}"), |server| server.name.to_string())
    };
    let lives = found.verdict != Verdict::None;
    Answer {
        client: client.to_string(),
        pool: group.pool.name.to_string(),
        owner: found.owner.map(name),
        id: found.owner,
        verdict: found.verdict.name(),
        kind: found.kind.name(),
        row: (lives && found.kind == Kind::Hash).then_some(found.row),
        runners_up: found.runners_up.into_iter().flatten().map(name).collect(),
    }
}

fn line(group: &Group, answer: Answer) -> String {
    let mut line = match (&answer.owner, answer.id) {
        (Some(owner), Some(id)) if answer.verdict == Verdict::Draining.name() => {
            format!("{owner} (id {id}, draining)")
        }
        (Some(owner), Some(id)) => format!("{owner} (id {id})"),
        _ => return format!("none: no server lives, policy {}", group.pool.policy),
    };
    line += &format!(" by {}", answer.kind);
    if let Some(row) = answer.row {
        line += &format!(": row {row} of {}", group.pool.rows);
    }
    if !answer.runners_up.is_empty() {
        line += &format!(", then {}", answer.runners_up.join(" "));
    }
    line
}
