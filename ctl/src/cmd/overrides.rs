// SPDX-License-Identifier: GPL-2.0
//! `onehopctl override`

use onehop_uapi::{Name, Prefix};
use serde::Serialize;

use crate::change::edit;
use crate::how::TermsArgs;
use crate::model::Model;
use crate::state::State;
use crate::style::{table, Cell};
use crate::{pick, value, Context, Error};

/// While that server lives they are its clients, whatever the pool's kind says. Of several
/// overrides that a client matches, the one with the most bits counts.
#[derive(clap::Args)]
pub struct Override {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Give clients a server of their own
    Add(Put),
    /// Leave clients to the pool's kind again
    Del(Del),
    /// Give clients a server of their own, whichever they had before
    Set(Put),
    /// Print the overrides
    List(List),
}

#[derive(clap::Args)]
struct Put {
    /// The clients, as in 203.0.113.0/24
    #[arg(value_parser = value::prefix)]
    prefix: Prefix,
    /// Their server
    #[arg(value_parser = value::name)]
    server: Name,
    /// Its pool; may be left out where that is clear
    #[arg(long, value_parser = value::name)]
    pool: Option<Name>,
    #[command(flatten)]
    terms: TermsArgs,
}

#[derive(clap::Args)]
struct Del {
    /// The clients
    #[arg(value_parser = value::prefix)]
    prefix: Prefix,
    /// The pool; may be left out where that is clear
    #[arg(long, value_parser = value::name)]
    pool: Option<Name>,
    #[command(flatten)]
    terms: TermsArgs,
}

#[derive(clap::Args)]
struct List {
    /// Only those of this pool
    #[arg(long, value_parser = value::name)]
    pool: Option<Name>,
}

#[derive(Serialize)]
struct Entry {
    pool: String,
    prefix: String,
    server: Option<String>,
    id: u16,
}

impl Override {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        match self.what {
            What::Add(put) => {
                let terms = put.terms.terms(context);
                edit(context, terms, |model, _| put.put(model, false))
            }
            What::Set(put) => {
                let terms = put.terms.terms(context);
                edit(context, terms, |model, _| put.put(model, true))
            }
            What::Del(del) => {
                let terms = del.terms.terms(context);
                edit(context, terms, |model, _| del.del(model))
            }
            What::List(list) => list.print(context),
        }
    }
}

impl Put {
    fn put(&self, model: &mut Model, replace: bool) -> Result<(), Error> {
        let (prefix, server) = (self.prefix, self.server);
        let pool = pick::pool_of_server(model, self.pool, server)?;
        let Some(group) = model.pools.get_mut(&pool) else {
            return Ok(());
        };
        if !group.servers.contains_key(&server) {
            let there = pick::not_among(group.servers.keys());
            return Err(Error::Refused(format!(
                "server \"{server}\" of pool \"{pool}\" {there}"
            )));
        }
        match group.overrides.insert(prefix, server) {
            Some(other) if other != server && !replace => Err(Error::Refused(format!(
                "override \"{prefix}\" is one to server \"{other}\": change it with onehopctl override set"
            ))),
            _ => Ok(()),
        }
    }
}

impl Del {
    /// One that is not there is removed already.
    fn del(&self, model: &mut Model) -> Result<(), Error> {
        let pool = match self.pool {
            Some(_) => pick::pool(model, self.pool)?,
            None => {
                let with = model.pools.values();
                let with = with.filter(|group| group.overrides.contains_key(&self.prefix));
                let names: Vec<_> = with.map(|group| group.pool.name).collect();
                match names[..] {
                    [] => return Ok(()),
                    [pool] => pool,
                    _ => {
                        return Err(Error::Refused(format!(
                            "override \"{}\" is in more than one pool: --pool must be one of {}",
                            self.prefix,
                            pick::quoted(&names)
                        )))
                    }
                }
            }
        };
        if let Some(group) = model.pools.get_mut(&pool) {
            group.overrides.remove(&self.prefix);
        }
        Ok(())
    }
}

impl List {
    fn print(&self, context: &mut Context<'_>) -> Result<(), Error> {
        let state = State::read(context.kernel)?;
        if self.pool.is_some() {
            pick::pool(&state.model(), self.pool)?;
        }
        let mut entries = Vec::new();
        for it in &state.pools {
            if self.pool.is_some_and(|name| name != it.pool.name) {
                continue;
            }
            entries.extend(it.overrides.iter().map(|entry| Entry {
                pool: it.pool.name.to_string(),
                prefix: entry.prefix.to_string(),
                server: it.name(entry.server).map(|name| name.to_string()),
                id: entry.server,
            }));
        }
        if context.json {
            return context.print_json(&entries);
        }
        let cells = |it: Entry| {
            let server = it.server.unwrap_or_else(|| format!("#{}", it.id));
            Vec::from([it.pool, it.prefix, server].map(Cell::left))
        };
        let rows: Vec<_> = entries.into_iter().map(cells).collect();
        for line in table(context.style(), &rows) {
            writeln!(context.out, "{line}")?;
        }
        Ok(())
    }
}
