// SPDX-License-Identifier: GPL-2.0
//! `onehopctl pool`

use onehop_uapi::{Kind, Method, Mode, Name, Policy, Pool as Wanted, Shape};

use crate::change::edit;
use crate::how::TermsArgs;
use crate::model::{Group, Model};
use crate::{pick, seed, value, Context, Error};

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
    /// hash (the default) or mod
    #[arg(long, value_parser = value::kind)]
    kind: Option<Kind>,
    /// Rows of the table: a power of two from 256 to 65536 (the default)
    #[arg(long)]
    rows: Option<u32>,
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
                let fresh = seed::fresh()?;
                let terms = put.terms.terms(context);
                edit(context, terms, |model, _| add(model, &put, fresh))
            }
            What::Set(put) => {
                let fresh = seed::fresh()?;
                let terms = put.terms.terms(context);
                edit(context, terms, |model, _| {
                    let name = pick::pool(model, Some(put.name))?;
                    if let Some(group) = model.pools.get_mut(&name) {
                        put.fields.put(&mut group.pool, fresh)?;
                    }
                    Ok(())
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

fn add(model: &mut Model, put: &Put, fresh: [u8; 16]) -> Result<(), Error> {
    let name = put.name;
    if let Some(group) = model.pools.get(&name) {
        let mut wanted = group.pool;
        put.fields.put(&mut wanted, fresh)?;
        return match wanted == group.pool {
            true => Ok(()),
            false => Err(Error::Refused(format!(
                "pool \"{name}\" is there, and otherwise: change it with onehopctl pool set"
            ))),
        };
    }
    let mut pool = Wanted {
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
    };
    if put.fields.kind.is_none() {
        to_kind(&mut pool, Kind::Hash, fresh);
    }
    put.fields.put(&mut pool, fresh)?;
    model.pools.insert(name, Group::new(pool));
    Ok(())
}

impl Fields {
    /// Changes what was named. What does not go together the module refuses, but for
    /// shape and method: the module would call them by their numbers.
    fn put(&self, pool: &mut Wanted, fresh: [u8; 16]) -> Result<(), Error> {
        if let Some(kind) = self.kind {
            to_kind(pool, kind, fresh);
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
        Ok(())
    }
}

/// Changes the kind, if it is another, with what only one of the two has.
fn to_kind(pool: &mut Wanted, kind: Kind, fresh: [u8; 16]) {
    if pool.kind == kind {
        return;
    }
    pool.kind = kind;
    (pool.rows, pool.seed) = match kind {
        Kind::Mod => (0, [0; 16]),
        Kind::Hash => (65536, fresh),
    };
}
