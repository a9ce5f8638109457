// SPDX-License-Identifier: GPL-2.0
//! `onehopctl pool`

use onehop_uapi::{Kind, Method, Mode, Name, Policy, Pool as Wanted, Shape};

use super::apply;
use crate::change::edit;
use crate::how::TermsArgs;
use crate::model::{Group, Model};
use crate::{pick, seed, table, value, Context, Error};

#[derive(clap::Args)]
pub struct Pool {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Add a pool
    Add(Put),
    /// Remove a pool with its ghosts and servers
    Del(Del),
    /// Change a pool
    Set(Put),
}

#[derive(clap::Args)]
struct Put {
    /// The pool
    #[arg(value_parser = value::name)]
    name: Name,
    #[command(flatten)]
    fields: Fields,
    #[command(flatten)]
    terms: TermsArgs,
}

#[derive(clap::Args)]
struct Fields {
    /// hash (the default), mod or table
    #[arg(long, value_parser = value::kind)]
    kind: Option<Kind>,
    /// Rows of the hash: a power of two from 256 to 65536 (the default)
    #[arg(long)]
    rows: Option<u32>,
    /// With kind table: the owners of the rows, in the form of onehop.conf(5); - is
    /// standard input
    #[arg(long, value_name = "FILE")]
    table: Option<String>,
    /// Key of the hash, the same on every machine; a fresh one by default
    #[arg(long, value_name = "HEX32", value_parser = value::seed)]
    seed: Option<[u8; 16]>,
    /// Bits of an IPv4 client address that count (32)
    #[arg(long, value_name = "BITS")]
    prefix4: Option<u8>,
    /// Bits of an IPv6 client address that count (64)
    #[arg(long, value_name = "BITS")]
    prefix6: Option<u8>,
    /// router (the default), broadcast or peer
    #[arg(long, value_parser = value::mode)]
    mode: Option<Mode>,
    /// With mode broadcast: broadcast (the default), multicast or igmp
    #[arg(long, value_parser = value::shape)]
    shape: Option<Shape>,
    /// With mode router: track (the default) or chance, by which servers have the module
    #[arg(long, value_parser = value::method)]
    method: Option<Method>,
    /// When no server lives: drop (the default) or reject
    #[arg(long, value_parser = value::policy)]
    policy: Option<Policy>,
}

#[derive(clap::Args)]
struct Del {
    /// The pool
    #[arg(value_parser = value::name)]
    name: Name,
    #[command(flatten)]
    terms: TermsArgs,
}

impl Pool {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        match self.what {
            What::Add(put) => {
                let given = put.fields.given(context)?;
                let terms = put.terms.terms(context);
                edit(context, terms, |model, _| add(model, &put, &given))
            }
            What::Set(put) => {
                let given = put.fields.given(context)?;
                let terms = put.terms.terms(context);
                edit(context, terms, |model, _| {
                    let name = pick::pool(model, Some(put.name))?;
                    match model.pools.get_mut(&name) {
                        Some(group) => put.fields.put(group, &given),
                        None => Ok(()),
                    }
                })
            }
            What::Del(del) => {
                let terms = del.terms.terms(context);
                edit(context, terms, |model, _| {
                    model.pools.remove(&del.name);
                    Ok(())
                })
            }
        }
    }
}

fn add(model: &mut Model, put: &Put, given: &Given) -> Result<(), Error> {
    let name = put.name;
    if let Some(group) = model.pools.get(&name) {
        let mut wanted = group.clone();
        put.fields.put(&mut wanted, given)?;
        return match wanted == *group {
            true => Ok(()),
            false => Err(Error::Refused(format!(
                "pool \"{name}\" is there, and otherwise: change it with onehopctl pool set"
            ))),
        };
    }
    let mut group = Group::new(Wanted {
        name,
        mode: Mode::Router,
        shape: None,
        method: Some(Method::Track),
        kind: Kind::Mod,
        policy: Policy::Drop,
        prefix4: 32,
        prefix6: 64,
        rows: 0,
        seed: [0; 16],
    });
    if put.fields.kind.is_none() {
        to_kind(&mut group.pool, Kind::Hash, given.seed);
    }
    put.fields.put(&mut group, given)?;
    model.pools.insert(name, group);
    Ok(())
}

/// What is read once, however often a change is tried.
struct Given {
    /// A fresh one.
    seed: [u8; 16],
    /// The name of a file, and the table in it.
    table: Option<(String, String)>,
}

impl Fields {
    fn given(&self, context: &mut Context<'_>) -> Result<Given, Error> {
        let mut text = |file: &String| apply::text(context, file);
        Ok(Given {
            seed: seed::fresh()?,
            table: self.table.as_ref().map(&mut text).transpose()?,
        })
    }

    /// Changes what was named. What does not go together the module refuses, but for
    /// shape and method: the module would call them by their numbers.
    fn put(&self, group: &mut Group, given: &Given) -> Result<(), Error> {
        let pool = &mut group.pool;
        if let Some(kind) = self.kind {
            to_kind(pool, kind, given.seed);
        }
        pool.mode = self.mode.unwrap_or(pool.mode);
        pool.shape = match (pool.mode, self.shape) {
            (Mode::Broadcast, shape) => shape.or(pool.shape).or(Some(Shape::Broadcast)),
            (_, None) => None,
            (mode, Some(shape)) => {
                return Err(Error::Refused(format!(
                    "shape \"{shape}\" must be left out with mode {mode}: it needs --mode broadcast"
                )))
            }
        };
        pool.method = match (pool.mode, self.method) {
            (Mode::Router, method) => method.or(pool.method).or(Some(Method::Track)),
            (_, None) => None,
            (mode, Some(method)) => {
                return Err(Error::Refused(format!(
                    "method \"{method}\" must be left out with mode {mode}: it needs --mode router"
                )))
            }
        };
        pool.policy = self.policy.unwrap_or(pool.policy);
        pool.prefix4 = self.prefix4.unwrap_or(pool.prefix4);
        pool.prefix6 = self.prefix6.unwrap_or(pool.prefix6);
        pool.rows = self.rows.unwrap_or(pool.rows);
        pool.seed = self.seed.unwrap_or(pool.seed);
        group.table = owners(group, given)?;
        Ok(())
    }
}

/// The table that a pool shall have: the one of the file, or the one that it has.
fn owners(group: &Group, given: &Given) -> Result<Vec<u16>, Error> {
    let (kind, rows, has) = (group.pool.kind, group.pool.rows, group.table.len());
    match (kind, &given.table) {
        (Kind::Table, Some((file, text))) => table::parse(text, rows).map_err(|mistake| {
            let before = text.as_bytes().iter().take(mistake.at);
            let line = 1 + before.filter(|byte| **byte == b'\n').count();
            Error::Refused(format!("{file}:{line}: {}", mistake.why))
        }),
        (Kind::Table, None) if has == rows as usize => Ok(group.table.clone()),
        (Kind::Table, None) if has == 0 => Err(Error::refused(
            "kind \"table\" needs the owners of the rows: name them with --table FILE",
        )),
        (Kind::Table, None) => Err(Error::Refused(format!(
            "rows \"{rows}\" must be {has}, as many as the table has: name another with --table FILE"
        ))),
        (Kind::Mod | Kind::Hash, Some((file, _))) => Err(Error::Refused(format!(
            "table \"{file}\" must be left out with kind {kind}: it needs --kind table"
        ))),
        (Kind::Mod | Kind::Hash, None) => Ok(Vec::new()),
    }
}

/// Changes the kind, if it is another, with what only some of them have.
fn to_kind(pool: &mut Wanted, kind: Kind, fresh: [u8; 16]) {
    (pool.rows, pool.seed) = match (pool.kind.has_rows(), kind.has_rows()) {
        (_, false) => (0, [0; 16]),
        (true, true) => (pool.rows, pool.seed),
        (false, true) => (65536, fresh),
    };
    pool.kind = kind;
}
