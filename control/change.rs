// SPDX-License-Identifier: GPL-2.0

//! What APPLY and SERVER have in common: making a new configuration the one that packets meet,
//! and telling of it.

use super::{answer, deadlines, links, peers, refusal::Refusal, succession};
use crate::{
    dispatch::addr::Family,
    ffi::{
        clock::realtime_ns, fib::RouteWatch, hook::Registration, neigh::NeighbourWatch,
        rcu::Prepared, task,
    },
    hooks,
    state::{config::Config, pool::Pool, Namespace, Turn},
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
    if namespace.turn_of_call()?.data().watch.is_some() {
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
    let spare = keep(&mut namespace.turn_of_call()?.data().watch, watch);
    drop(spare);
    Ok(())
}

/// Sees to it that changed neighbours are heard of. Without the turn, as for routes.
///
/// # Errors
///
/// `ENOMEM`; `EINTR` if the process is being killed.
pub(super) fn watch_neighbours(namespace: &Arc<Namespace>) -> Result {
    if namespace.turn_of_call()?.data().neighbours.is_some() {
        return Ok(());
    }
    let watch = NeighbourWatch::new(namespace.net(), namespace.clone())?;
    let spare = keep(&mut namespace.turn_of_call()?.data().neighbours, watch);
    drop(spare);
    Ok(())
}

/// Puts what was made without the turn in its place. Another caller may have been faster; then it is
/// given back, to be dropped without the turn.
pub(super) fn keep<T>(place: &mut Option<T>, made: T) -> Option<T> {
    if place.is_some() {
        return Some(made);
    }
    place.replace(made)
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
    let has = |family| {
        let mut ghosts = config.ghosts().iter();
        ghosts.any(|ghost| ghost.address.family() == family)
    };
    let (has4, has6) = (has(Family::V4), has(Family::V6));
    let generation = config.generation;
    let new_ghosts = turn
        .current()
        .is_none_or(|old| old.ghosts() != config.ghosts());
    let is_empty = config.pools().is_empty() && config.devices().is_empty();
    let links = links::prepare(namespace, links::plan(&config, namespace.answers())?)?;
    let config = if is_empty {
        None
    } else {
        Some(Prepared::new(config)?)
    };
    let started4 = start(namespace, turn.data().hooks4.is_none() && has4, Family::V4)?;
    let started6 = start(namespace, turn.data().hooks6.is_none() && has6, Family::V6)?;
    let fewer = retired(turn.current(), config.as_deref().map(|config| &**config))?;
    // Nothing fails any more.
    welcome(turn.current(), config.as_deref().map(|config| &**config));
    let control = turn.data();
    control.hooks4 = started4.or(control.hooks4.take());
    control.hooks6 = started6.or(control.hooks6.take());
    namespace.replace(turn, config, generation, digest);
    for (pool, functions) in fewer {
        tell_pool(namespace, What::Retired(functions), pool, Author::default());
    }
    if let Some(links) = links {
        links::settle(namespace, links);
    }
    let control = turn.data();
    if !has4 {
        control.hooks4 = None;
    }
    if !has6 {
        control.hooks6 = None;
    }
    if new_ghosts {
        answer::begin(namespace, &namespace.links().lock());
    }
    peers::look(namespace, turn);
    deadlines::look(turn);
    Ok(())
}

/// The pools that stay with fewer functions, and how many they have left.
fn retired(old: Option<&Config>, new: Option<&Config>) -> Result<KVec<(Name, u32)>> {
    let mut retired = KVec::new();
    for (old, new) in changed(old, new) {
        if new.functions() < old.functions() {
            retired.push((new.wanted().name, new.functions()), GFP_KERNEL)?;
        }
    }
    Ok(retired)
}

fn welcome(old: Option<&Config>, new: Option<&Config>) {
    for (old, new) in changed(old, new) {
        succession::welcome(old, new);
    }
}

/// The pools that stay, but not as they are.
fn changed<'a>(
    old: Option<&'a Config>,
    new: Option<&'a Config>,
) -> impl Iterator<Item = (&'a Pool, &'a Pool)> {
    let pools = new.map_or(&[][..], |new| new.pools()).iter();
    let pairs = pools.filter_map(move |new| Some((old?.pool(&new.wanted().name)?, new)));
    let changed = pairs.filter(|(old, new)| !Arc::ptr_eq(old, new));
    changed.map(|(old, new)| (&**old, &**new))
}

fn start(
    namespace: &Arc<Namespace>,
    is_wanted: bool,
    family: Family,
) -> Result<Option<Registration<Namespace>>> {
    is_wanted
        .then(|| hooks::start(namespace, family))
        .transpose()
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

/// Tells of the transitions that began with the change just made.
pub(super) fn tell_begun(namespace: &Namespace, turn: &Turn<'_>, author: Author) {
    let config = turn.current();
    let pools = config.map_or(&[][..], |config| config.pools());
    for pool in pools
        .iter()
        .filter(|pool| pool.begun == namespace.generation())
    {
        tell_pool(
            namespace,
            What::Begun(pool.functions()),
            pool.wanted().name,
            author,
        );
    }
}

/// Tells readers of the device and the log of what happened to a pool.
pub(super) fn tell_pool(namespace: &Namespace, what: What, pool: Name, author: Author) {
    let generation = namespace.generation();
    if namespace.logs_changes() {
        log_pool(generation, what, pool, &author);
    }
    namespace.events().push(Event {
        time: realtime_ns(),
        generation,
        what,
        pool: Some(pool),
        server: None,
        author,
    });
}

fn log_pool(generation: u64, what: What, pool: Name, author: &Author) {
    let (words, number) = match what {
        What::Begun(functions) => ("transition begins, functions:", functions),
        What::Ending(flows) => ("function retires in 10 s or less, connections lost:", flows),
        What::Retired(functions) => ("functions left:", functions),
        What::TrackFull(noted) => ("no room to note more connections than", noted),
        _ => return,
    };
    let actor = author.actor.as_str();
    pr_info!(
        "generation {}: {}: {} {}{}{}\n",
        generation,
        pool.as_str(),
        words,
        number,
        if actor.is_empty() { "" } else { " by " },
        actor
    );
}

fn log(generation: u64, what: What, server: Option<(Name, Name)>, author: &Author) {
    let (actor, reason) = (author.actor.as_str(), author.reason.as_str());
    let by = if actor.is_empty() { "" } else { " by " };
    let why = if reason.is_empty() { "" } else { ": " };
    let (field, value) = match what {
        What::Admin(admin) => ("admin", admin.name()),
        What::Health(health) => ("health", health.name()),
        What::Drained => ("drain", "over"),
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
            "generation {}: {}{}{}{}{}\n",
            generation,
            match what {
                What::Answer(true) => "answers for ghosts",
                What::Answer(false) => "answers no more",
                _ => "applied",
            },
            by,
            actor,
            why,
            reason
        ),
    }
}
