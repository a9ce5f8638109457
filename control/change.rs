// SPDX-License-Identifier: GPL-2.0

//! What APPLY and SERVER have in common: making a new configuration the one that packets meet,
//! and telling of it.

use super::refusal::Refusal;
use crate::{
    ffi::{clock::realtime_ns, fib::RouteWatch, rcu::Prepared, task},
    hooks,
    state::{config::Config, Namespace, Turn},
    uapi::{Author, Event, Name, Outcome, What},
};
use kernel::{prelude::*, sync::Arc};

/// How often to try to read out a routing table that changes meanwhile.
const MAX_TRIES: u32 = 16;

/// Sees to it that route changes are heard of. Without the turn: ending a watch, which a failure
/// to start one does, waits for work that takes it.
///
/// # Errors
///
/// `ENOMEM`; `EBUSY` if routes change too fast; `EINTR` if the process is being killed.
pub(super) fn watch_routes(namespace: &Arc<Namespace>) -> Result {
    if namespace.turn().data().watch.is_some() {
        return Ok(());
    }
    let mut tries = 1;
    let watch = loop {
        match RouteWatch::new(namespace.net(), namespace.clone()) {
            Err(error) if error == EBUSY && tries < MAX_TRIES => tries += 1,
            watch => break watch?,
        }
        task::pause()?;
    };
    // Another caller may have been faster; then ours ends once the turn is given back.
    let spare = namespace.turn().data().watch.replace(watch);
    drop(spare);
    Ok(())
}

/// What stands, as the reply of a call that changed nothing.
pub(super) fn unchanged(namespace: &Namespace) -> Outcome {
    Outcome {
        generation: namespace.generation(),
        digest: namespace.digest(),
        changed: false,
        moved: 0,
    }
}

/// Swaps `config` in, the next generation. New packets may meet the old one until the hooks are
/// there, and never half of each. Everything that can fail comes before the swap.
///
/// # Errors
///
/// `ENOMEM`; the old configuration stands.
pub(super) fn commit(
    namespace: &Arc<Namespace>,
    turn: &mut Turn<'_>,
    config: Config,
    digest: u64,
) -> Result<(), Refusal> {
    let has_ghosts = !config.ghosts().is_empty();
    let generation = config.generation;
    let has_pools = !config.pools().is_empty();
    let config = if has_pools {
        Some(Prepared::new(config)?)
    } else {
        None
    };
    if has_ghosts && turn.data().hook.is_none() {
        turn.data().hook = Some(hooks::start(namespace)?);
    }
    namespace.replace(turn, config, generation, digest);
    if !has_ghosts {
        turn.data().hook = None;
    }
    Ok(())
}

/// Tells readers of the device and the log of a change.
pub(super) fn tell(
    namespace: &Namespace,
    generation: u64,
    what: What,
    server: Option<(Name, Name)>,
    author: Author,
) {
    if namespace.logs_changes() {
        log(generation, what, server, &author);
    }
    namespace.events().push(Event {
        time: realtime_ns(),
        generation,
        what,
        pool: server.map(|(pool, _)| pool),
        server: server.map(|(_, name)| name),
        author,
    });
}

fn log(generation: u64, what: What, server: Option<(Name, Name)>, author: &Author) {
    let (actor, reason) = (author.actor.as_str(), author.reason.as_str());
    let by = if actor.is_empty() { "" } else { " by " };
    let why = if reason.is_empty() { "" } else { ": " };
    let (field, value) = match what {
        What::Admin(admin) => ("admin", admin.name()),
        What::Health(health) => ("health", health.name()),
        _ => ("", ""),
    };
    match server {
        Some((pool, name)) => pr_info!(
            "generation {}: {}/{} {} {}{}{}{}{}\n",
            generation,
            pool.as_str(),
            name.as_str(),
            field,
            value,
            by,
            actor,
            why,
            reason
        ),
        None => pr_info!(
            "generation {}: applied{}{}{}{}\n",
            generation,
            by,
            actor,
            why,
            reason
        ),
    }
}
