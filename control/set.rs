// SPDX-License-Identifier: GPL-2.0

//! SERVER: the admin state or the health of one server, at the cost of its own rows.

use super::{
    change,
    refusal::Refusal,
    succession::{in_seconds, queue, with_older, Stay},
};
use crate::{
    dispatch::bitmap::Bitmap,
    ffi::clock::realtime_ns,
    state::{function::Function, member::Member, pool::Pool, Namespace, Turn},
    uapi::{Admin, Health, Invalid, Outcome, Set, Span, State, What},
};
use core::fmt;
use kernel::{alloc::KVVec, prelude::*, sync::Arc};

pub(super) fn call(namespace: &Arc<Namespace>, raw: &mut [u8; Set::SIZE]) -> Result<(), Refusal> {
    let request = Set::decode(raw)?;
    namespace.events().prepare()?;
    let outcome = set(namespace, &mut namespace.turn_of_call()?, &request)?;
    Set::reply(raw, &outcome);
    Ok(())
}

pub(super) fn refuse(raw: &mut [u8; Set::SIZE], why: &dyn fmt::Display) {
    Set::refuse(raw, why);
}

fn set(namespace: &Arc<Namespace>, turn: &mut Turn<'_>, request: &Set) -> Result<Outcome, Refusal> {
    let stands = namespace.generation();
    request.condition.holds(stands)?;
    let config = turn.current().ok_or(Invalid::no_pool(request.pool))?;
    let old = config
        .pool(&request.pool)
        .ok_or(Invalid::no_pool(request.pool))?;
    let generation = stands + 1;
    let new = match old.newest.member(&request.server) {
        Some(member) if has(member, request) => return Ok(change::unchanged(namespace)),
        Some(member) => changed(namespace, old, member, request, generation)?,
        None => without(namespace, old, request, generation)?,
    };
    let moved = old.newest.moved(&new.newest)?;
    let config = config.with(Arc::new(new, GFP_KERNEL_ACCOUNT)?, generation)?;
    let outcome = Outcome {
        generation: if request.condition.dry_run {
            stands
        } else {
            generation
        },
        digest: config.digest(),
        changed: true,
        moved,
    };
    if request.condition.dry_run {
        return Ok(outcome);
    }
    change::commit(namespace, turn, config, outcome.digest)?;
    let what = match request.state {
        State::Admin(admin) => What::Admin(admin),
        State::Health(health) => What::Health(health),
    };
    let server = Some((request.pool, request.server));
    change::tell(namespace, generation, what, server, request.author);
    change::tell_begun(namespace, turn, request.author);
    Ok(outcome)
}

/// A drain with a time of its own is new each time, and one without it is another.
fn has(member: &Member, request: &Set) -> bool {
    match request.state {
        State::Admin(admin) => {
            let has_time = member.out_at.is_some() || out_at(request).is_some();
            member.wanted.admin == admin && !has_time
        }
        State::Health(health) => member.health == health,
    }
}

/// When the connections of the server are to end, if that is to be a drain with a time.
fn out_at(request: &Set) -> Option<u64> {
    match (request.state, request.condition.span) {
        (State::Admin(Admin::Drain), Span::Seconds(seconds)) => Some(in_seconds(seconds)),
        _ => None,
    }
}

/// The pool with the one server changed.
fn changed(
    namespace: &Namespace,
    old: &Pool,
    member: &Member,
    request: &Set,
    generation: u64,
) -> Result<Pool, Refusal> {
    let mut new = member.clone();
    match request.state {
        State::Admin(admin) => {
            new.wanted.admin = admin;
            new.out_at = out_at(request);
        }
        State::Health(health) => new.health = health,
    }
    new.changed_at = realtime_ns();
    new.author = request.author;
    let mut members = KVVec::with_capacity(old.newest.members.len(), GFP_KERNEL_ACCOUNT)?;
    members.extend_from_slice(&old.newest.members, GFP_KERNEL_ACCOUNT)?;
    for slot in members.iter_mut().filter(|it| it.id == member.id) {
        *slot = new.clone();
    }
    let function = Function::new(
        *old.wanted(),
        members,
        old.newest.assigned.clone(),
        Some(&old.newest),
    )?;
    let stay = Stay::new(namespace, &request.condition);
    let mut older = queue(Some(old), &function, stay)?;
    if new.out_at.is_some() {
        // If it drained already, its connections are those of functions with other times.
        older = older.extend(new.out_at, |older| older.names(new.id));
    }
    let newest = Arc::new(function, GFP_KERNEL_ACCOUNT)?;
    Ok(with_older(namespace, Some(old), newest, older, generation)?)
}

/// The pool without the connections of a server that is leaving.
fn without(
    namespace: &Namespace,
    old: &Pool,
    request: &Set,
    generation: u64,
) -> Result<Pool, Refusal> {
    let mut leaving = old.leaving();
    let Some(member) = leaving.find(|member| member.wanted.name == request.server) else {
        return Err(Invalid::no_server(request.server).into());
    };
    if request.state != State::Health(Health::Down) {
        return Err(Invalid::is_leaving(request.server).into());
    }
    let mut gone = Bitmap::EMPTY;
    gone.insert(member.id.get());
    let older = old.older.revise(&old.newest, &gone, |_| true)?;
    let newest = old.newest.clone();
    Ok(with_older(namespace, Some(old), newest, older, generation)?)
}
