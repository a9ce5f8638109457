// SPDX-License-Identifier: GPL-2.0

//! What APPLY and SERVER have in common: making a new configuration the one that packets meet,
//! and telling of it.

use super::refusal::Refusal;
use crate::{
    ffi::{clock::realtime_ns, fib::RouteWatch, rcu::Prepared},
    hooks,
    state::{config::Config, Namespace, Turn},
    uapi::{Author, Event, Name, Outcome, What},
};
use kernel::{prelude::*, sync::Arc};

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
/// `ENOMEM`, `EBUSY`; the old configuration stands.
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
    if has_pools && turn.data().watch.is_none() {
        turn.data().watch = Some(RouteWatch::new(namespace.net(), namespace.clone())?);
    }
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
    let (field, value) = match what {
        What::Admin(admin) => ("admin", admin.name()),
        What::Health(health) => ("health", health.name()),
        _ => ("", ""),
    };
    match server {
        Some((pool, name)) => pr_info!(
            "generation {}: {}/{} {} {} by {}: {}\n",
            generation,
            pool.as_str(),
            name.as_str(),
            field,
            value,
            actor,
            reason
        ),
        None => pr_info!(
            "generation {}: applied by {}: {}\n",
            generation,
            actor,
            reason
        ),
    }
}
