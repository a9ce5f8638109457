// SPDX-License-Identifier: GPL-2.0

//! Retires functions and ends timed drains when their time has come, and tells of it before.

use super::{change, succession::with_older};
use crate::{
    dispatch::bitmap::Bitmap,
    ffi::{
        clock::uptime_ms,
        work::{Again, Work},
    },
    state::{
        config::Config, function::Function, member::Member, pool::Pool, sketch::TICK_MS, Namespace,
        Turn,
    },
    uapi::{Author, Name, What},
};
use kernel::{alloc::KVVec, pr_warn_once, prelude::*, sync::Arc};

/// After a failure for want of memory.
const RETRY_MS: u32 = 1000;

/// Sees to it that time has its effect. Without the turn: ending the spare of two waits for a run,
/// which takes it.
///
/// # Errors
///
/// `ENOMEM`; `EINTR` if the process is being killed.
pub(super) fn watch(namespace: &Arc<Namespace>) -> Result {
    if namespace.turn_of_call()?.data().deadlines.is_some() {
        return Ok(());
    }
    let work = Work::new(namespace.clone(), run)?;
    let spare = change::keep(&mut namespace.turn_of_call()?.data().deadlines, work);
    drop(spare);
    Ok(())
}

/// Looks at the deadlines again, after they have changed.
pub(super) fn look(turn: &mut Turn<'_>) {
    let pools = turn.current().map_or(&[][..], |config| config.pools());
    let is_needed = pools.iter().any(|pool| next(pool, 0).is_some());
    if let Some(work) = turn.data().deadlines.as_ref().filter(|_| is_needed) {
        work.hurry();
    }
}

fn run(namespace: &Arc<Namespace>) -> Again {
    let mut turn = namespace.turn();
    // Not while the namespace is coming down.
    turn.data().deadlines.as_ref()?;
    let now = uptime_ms();
    let config = turn.current()?;
    for pool in config.pools() {
        notice(namespace, pool, now);
    }
    match revised(namespace, config, now) {
        Ok(None) => {}
        Ok(Some((new, drained))) => {
            let digest = new.digest();
            if change::commit(namespace, &mut turn, new, digest).is_err() {
                return Some(RETRY_MS);
            }
            for (pool, server, author) in drained {
                let (generation, server) = (namespace.generation(), Some((pool, server)));
                change::tell(namespace, generation, What::Drained, server, author);
            }
        }
        Err(_) => {
            pr_warn_once!("no memory to retire a function\n");
            return Some(RETRY_MS);
        }
    }
    let pools = turn.current()?.pools().iter();
    let next = pools.filter_map(|pool| next(pool, now)).min()?;
    Some(
        u32::try_from(next.saturating_sub(now))
            .unwrap_or(u32::MAX)
            .max(1),
    )
}

/// Counts connections and tells what is to come.
fn notice(namespace: &Namespace, pool: &Pool, now: u64) {
    for older in pool.older.iter() {
        older.flows.tick(now);
        let is_near = older.notice().is_some_and(|notice| notice <= now);
        if let (Some(deadline), true, false) = (older.deadline, is_near, older.is_told()) {
            older.flows.set_told(deadline);
            tell(namespace, pool, What::Ending(older.flows.estimate()));
        }
    }
    if let Some(tracked) = pool.tracked.as_ref().filter(|tracked| tracked.tell_full()) {
        tell(namespace, pool, What::TrackFull(tracked.noted()));
    }
}

fn tell(namespace: &Namespace, pool: &Pool, what: What) {
    change::tell_pool(namespace, what, pool.wanted().name, Author::default());
}

/// A timed drain that is over: the pool, the server, who wanted it.
type Drained = (Name, Name, Author);

/// The configuration without what is over, and the drains among that; none if nothing is.
fn revised(
    namespace: &Namespace,
    config: &Config,
    now: u64,
) -> Result<Option<(Config, KVec<Drained>)>> {
    let mut revised: Option<Config> = None;
    let mut drained = KVec::new();
    for pool in config.pools() {
        let mut out = Bitmap::EMPTY;
        for member in pool.newest.members.iter().filter(|it| is_over(it, now)) {
            out.insert(member.id.get());
            let names = (pool.wanted().name, member.wanted.name, member.author);
            drained.push(names, GFP_KERNEL)?;
        }
        let stays = |at| !pool.older.is_due(at, &pool.newest, now);
        if out.is_empty() && (0..pool.older.iter().len()).all(stays) {
            continue;
        }
        let newest = if out.is_empty() {
            pool.newest.clone()
        } else {
            Arc::new(without_times(pool, now)?, GFP_KERNEL_ACCOUNT)?
        };
        let older = pool.older.revise(&newest, &out, stays)?;
        let new = with_older(namespace, Some(pool), newest, older, pool.generation)?;
        let new = Arc::new(new, GFP_KERNEL_ACCOUNT)?;
        let config = revised.as_ref().unwrap_or(config);
        revised = Some(config.with(new, config.generation)?);
    }
    Ok(revised.map(|revised| (revised, drained)))
}

fn is_over(member: &Member, now: u64) -> bool {
    member.out_at.is_some_and(|out_at| out_at <= now)
}

/// The newest function, in which no drain is about to be over.
fn without_times(pool: &Pool, now: u64) -> Result<Function> {
    let old = &pool.newest;
    let mut members = KVVec::with_capacity(old.members.len(), GFP_KERNEL_ACCOUNT)?;
    members.extend_from_slice(&old.members, GFP_KERNEL_ACCOUNT)?;
    for member in members.iter_mut().filter(|it| is_over(it, now)) {
        member.out_at = None;
    }
    Function::new(old.wanted, members, old.assigned.clone(), Some(old))
}

/// When there is something to do for a pool.
fn next(pool: &Pool, now: u64) -> Option<u64> {
    let drains = pool.newest.members.iter().filter_map(|it| it.out_at);
    let drains = drains.min();
    if !pool.is_in_transition() {
        return drains;
    }
    // What is kept beyond its deadline is due with a newer one.
    let older = pool.older.iter().filter_map(|older| {
        if older.is_told() {
            older.deadline.filter(|deadline| *deadline > now)
        } else {
            older.notice()
        }
    });
    let next = older.min().unwrap_or(u64::MAX);
    let next = next.min(drains.unwrap_or(u64::MAX));
    Some(next.min(now + TICK_MS))
}
