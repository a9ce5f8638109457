// SPDX-License-Identifier: GPL-2.0

//! SERVER: the admin state or the health of one server, at the cost of its own rows.

use super::{change, refusal::Refusal};
use crate::{
    ffi::clock::realtime_ns,
    state::pool::{Member, Pool},
    state::{Namespace, Turn},
    uapi::{Invalid, Outcome, Set, State, What},
};
use core::fmt;
use kernel::{alloc::KVVec, prelude::*, sync::Arc};

pub(super) fn call(namespace: &Arc<Namespace>, raw: &mut [u8; Set::SIZE]) -> Result<(), Refusal> {
    let request = Set::decode(raw)?;
    namespace.events().prepare()?;
    let outcome = set(namespace, &mut namespace.turn(), &request)?;
    Set::reply(raw, &outcome);
    Ok(())
}

pub(super) fn refuse(raw: &mut [u8; Set::SIZE], why: &dyn fmt::Display) {
    Set::refuse(raw, why);
}

fn set(namespace: &Arc<Namespace>, turn: &mut Turn<'_>, request: &Set) -> Result<Outcome, Refusal> {
    let generation = namespace.generation();
    request.condition.holds(generation)?;
    let config = turn.current().ok_or(Invalid::no_pool(request.pool))?;
    let old = config
        .pool(&request.pool)
        .ok_or(Invalid::no_pool(request.pool))?;
    let member = old
        .member(&request.server)
        .ok_or(Invalid::no_server(request.server))?;
    if has(member, request.state) {
        return Ok(change::unchanged(namespace));
    }
    let generation = generation + 1;
    let new = Arc::new(changed(old, request, generation)?, GFP_KERNEL_ACCOUNT)?;
    let moved = old.moved(&new)?;
    let config = config.with(new, generation)?;
    let digest = config.digest();
    change::commit(namespace, turn, config, digest)?;
    let what = match request.state {
        State::Admin(admin) => What::Admin(admin),
        State::Health(health) => What::Health(health),
    };
    let server = Some((request.pool, request.server));
    change::tell(namespace, generation, what, server, request.author);
    Ok(Outcome {
        generation,
        digest,
        changed: true,
        moved,
    })
}

fn has(member: &Member, state: State) -> bool {
    match state {
        State::Admin(admin) => member.wanted.admin == admin,
        State::Health(health) => member.health == health,
    }
}

/// The pool with the one server changed.
fn changed(old: &Pool, request: &Set, generation: u64) -> Result<Pool> {
    let mut members = KVVec::with_capacity(old.members.len(), GFP_KERNEL_ACCOUNT)?;
    members.extend_from_slice(&old.members, GFP_KERNEL_ACCOUNT)?;
    for member in members
        .iter_mut()
        .filter(|m| m.wanted.name == request.server)
    {
        match request.state {
            State::Admin(admin) => member.wanted.admin = admin,
            State::Health(health) => member.health = health,
        }
        member.changed_at = realtime_ns();
        member.author = request.author;
    }
    Pool::build(old.wanted, members, Some(old), generation)
}
