// SPDX-License-Identifier: GPL-2.0
//! `onehopctl server`

use onehop_uapi::limits::MAX_SERVERS;
use onehop_uapi::{
    Address, Admin, Condition, Health, Name, Outcome, Server as Wanted, Set as Request,
    State as Down,
};

use crate::change::{edit, edited};
use crate::how::{Terms, TermsArgs};
use crate::model::Model;
use crate::report::Fate;
use crate::state::State;
use crate::value::{self, Own};
use crate::{pick, Context, Error};

#[derive(clap::Args)]
pub struct Server {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Add a server to a pool
    Add(Add),
    /// Remove a server from its pool
    Del(Del),
    /// Change a server
    Set(Set),
}

#[derive(clap::Args)]
struct Which {
    /// The server
    #[arg(value_parser = value::name)]
    name: Name,
    /// Its pool; may be left out where that is clear
    #[arg(long, value_parser = value::name)]
    pool: Option<Name>,
    #[command(flatten)]
    terms: TermsArgs,
}

#[derive(clap::Args)]
struct Add {
    #[command(flatten)]
    which: Which,
    /// Its own address, or one of each family
    #[arg(value_parser = value::address, required_unless_present = "address6", num_args = 0..=2)]
    address: Vec<Address>,
    /// Its own IPv6 address, as ADDRESS may be too
    #[arg(long, value_name = "ADDRESS", value_parser = value::own6)]
    address6: Option<Own<16>>,
    /// Its id, 0 to 1023, the same on every machine; by default the least free one
    #[arg(long)]
    id: Option<u16>,
    #[command(flatten)]
    fields: Fields,
    /// Begin with health down
    #[arg(long)]
    start_down: bool,
}

#[derive(clap::Args)]
struct Set {
    #[command(flatten)]
    which: Which,
    /// Its own IPv4 address, or none
    #[arg(long, value_parser = value::own4)]
    address: Option<Own<4>>,
    /// Its own IPv6 address, or none
    #[arg(long, value_name = "ADDRESS", value_parser = value::own6)]
    address6: Option<Own<16>>,
    #[command(flatten)]
    fields: Fields,
}

#[derive(clap::Args)]
struct Fields {
    /// Its part of the clients, relative to the others: 1 (the default) to 1000
    #[arg(long)]
    weight: Option<u16>,
    /// up (the default), drain or down
    #[arg(long, value_parser = value::admin)]
    admin: Option<Admin>,
}

#[derive(clap::Args)]
struct Del {
    #[command(flatten)]
    which: Which,
    /// Remove the overrides that name it too
    #[arg(long)]
    overrides: bool,
}

impl Server {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        match self.what {
            What::Add(it) => {
                let terms = it.which.terms.terms(context);
                edit(context, terms, |model, state| add(model, state, &it))
            }
            What::Set(it) => {
                let terms = it.which.terms.terms(context);
                edit(context, terms, |model, _| set(model, &it))
            }
            What::Del(it) => {
                let terms = it.which.terms.terms(context);
                match terms.condition.now {
                    true => end(context, terms, &it),
                    false => edit(context, terms, |model, _| del(model, &it)),
                }
            }
        }
    }
}

fn add(model: &mut Model, state: &State, it: &Add) -> Result<(), Error> {
    let name = it.which.name;
    let pool = pick::pool(model, it.which.pool)?;
    let Some(group) = model.pools.get_mut(&pool) else {
        return Ok(());
    };
    if let Some(stands) = group.servers.get(&name) {
        let mut wanted = *stands;
        addresses(&mut wanted, it)?;
        wanted.id = it.id.unwrap_or(stands.id);
        wanted.start_down |= it.start_down;
        it.fields.put(&mut wanted);
        return match wanted == *stands {
            true => Ok(()),
            false => Err(Error::Refused(format!(
                "server \"{name}\" is there, and otherwise: change it with onehopctl server set"
            ))),
        };
    }
    // One that comes back before it is gone has its id still.
    let leaving = state.leaving(pool);
    let own = leaving.iter().find(|(left, _)| *left == name);
    let free = |id: &u16| {
        let mut ids = group.servers.values().map(|server| server.id);
        !ids.any(|taken| taken == *id) && !leaving.iter().any(|(_, taken)| taken == id)
    };
    let id = it
        .id
        .or(own.map(|(_, id)| *id))
        .or_else(|| (0..MAX_SERVERS).find(free))
        .ok_or_else(|| {
            Error::Refused(format!(
                "pool \"{pool}\" has {MAX_SERVERS} servers, as many as it can"
            ))
        })?;
    let mut server = Wanted {
        name,
        pool: 0,
        id,
        weight: 1,
        admin: Admin::Up,
        start_down: it.start_down,
        address: None,
        address6: None,
    };
    addresses(&mut server, it)?;
    it.fields.put(&mut server);
    group.servers.insert(name, server);
    Ok(())
}

/// Gives a server the addresses that were named, one of each family at most.
fn addresses(server: &mut Wanted, it: &Add) -> Result<(), Error> {
    let mut named4 = None;
    let mut named6 = it.address6.and_then(|Own(address)| address);
    for address in &it.address {
        let taken = match *address {
            Address::V4(address) => named4.replace(address).is_some(),
            Address::V6(address) => named6.replace(address).is_some(),
        };
        if taken {
            return Err(Error::Refused(format!(
                "address \"{address}\" must be the only one of its family: a server has one of each"
            )));
        }
    }
    server.address = named4.or(server.address);
    server.address6 = named6.or(server.address6);
    Ok(())
}

fn set(model: &mut Model, it: &Set) -> Result<(), Error> {
    let name = it.which.name;
    let pool = pick::pool_of_server(model, it.which.pool, name)?;
    let Some(group) = model.pools.get_mut(&pool) else {
        return Ok(());
    };
    let there = pick::not_among(group.servers.keys());
    let server = group
        .servers
        .get_mut(&name)
        .ok_or_else(|| Error::Refused(format!("server \"{name}\" of pool \"{pool}\" {there}")))?;
    server.address = it.address.map_or(server.address, |Own(address)| address);
    server.address6 = it.address6.map_or(server.address6, |Own(address)| address);
    it.fields.put(server);
    Ok(())
}

/// The pool of a server that is to be removed. One that is not there is removed already.
fn pool_of(model: &Model, which: &Which) -> Result<Option<Name>, Error> {
    let has = |pool: &Name| model.pools[pool].servers.contains_key(&which.name);
    let pool = match which.pool {
        Some(_) => pick::pool(model, which.pool)?,
        None if !model.pools.keys().any(has) => return Ok(None),
        None => pick::pool_of_server(model, None, which.name)?,
    };
    Ok(Some(pool))
}

fn del(model: &mut Model, it: &Del) -> Result<(), Error> {
    let (pool, name) = (pool_of(model, &it.which)?, it.which.name);
    if let Some(group) = pool.and_then(|pool| model.pools.get_mut(&pool)) {
        if it.overrides {
            group.overrides.retain(|_, server| *server != name);
        }
        let mut named = group.overrides.iter().filter(|(_, it)| **it == name);
        if let Some((prefix, _)) = named.next() {
            let more = match named.count() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            return Err(Error::Refused(format!(
                "server \"{name}\" is that of override \"{prefix}\"{more}: remove it with --overrides, \
                 or give its clients another one with onehopctl override set"
            )));
        }
        group.servers.remove(&name);
    }
    Ok(())
}

/// Removes a server, and ends its connections. It is made down first, which takes effect in all
/// functions: to drop the older ones would end connections of other servers too.
fn end(context: &mut Context<'_>, terms: Terms, it: &Del) -> Result<(), Error> {
    // Nothing of what is refused is done.
    del(&mut State::read(context.kernel)?.model(), it)?;
    let down = match context.plan {
        true => Outcome::default(),
        false => down(context, terms, &it.which)?,
    };
    let condition = Condition {
        now: false,
        ..terms.condition
    };
    let terms = Terms { condition, ..terms };
    let mut done = edited(context, terms, |model, _| del(model, it))?;
    done.fate = Fate::Move;
    done.outcome.changed |= down.changed;
    done.outcome.moved = done.outcome.moved.max(down.moved);
    done.report(context)
}

fn down(context: &mut Context<'_>, terms: Terms, which: &Which) -> Result<Outcome, Error> {
    let state = State::read(context.kernel)?;
    let Some(pool) = pool_of(&state.everyone(), which)? else {
        return Ok(Outcome::default());
    };
    let is = |name: &Name| *name == which.name;
    let wanted = state.model().pools[&pool].servers.keys().any(is);
    let leaving = state.leaving(pool).iter().any(|(name, _)| is(name));
    let down = match (wanted, leaving) {
        // So that a watchdog cannot bring it up in between.
        (true, _) => Down::Admin(Admin::Down),
        // Nothing else of it can be set.
        (false, true) => Down::Health(Health::Down),
        (false, false) => return Ok(Outcome::default()),
    };
    context.kernel.set(&Request {
        pool,
        server: which.name,
        state: down,
        condition: Condition::default(),
        author: terms.author,
    })
}

impl Fields {
    fn put(&self, server: &mut Wanted) {
        server.weight = self.weight.unwrap_or(server.weight);
        server.admin = self.admin.unwrap_or(server.admin);
    }
}
