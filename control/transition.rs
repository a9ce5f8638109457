// SPDX-License-Identifier: GPL-2.0

//! TRANSITION: what becomes of the older functions of a pool.

use super::{
    change, dump,
    refusal::Refusal,
    routes,
    succession::{in_seconds, queue, with_older, Stay},
};
use crate::{
    ffi::clock::realtime_ns,
    state::{
        config::Config,
        function::Function,
        member::Member,
        older::{Older, Queue},
        pool::Pool,
        Namespace, Turn,
    },
    uapi::{
        self, check, Author, Condition, Health, Image, Invalid, Outcome, Span, Transition, Verb,
        What,
    },
};
use core::fmt;
use kernel::{alloc::KVVec, prelude::*, sync::Arc};

pub(super) fn call(
    namespace: &Arc<Namespace>,
    raw: &mut [u8; Transition::SIZE],
) -> Result<(), Refusal> {
    let request = Transition::decode(raw)?;
    namespace.events().prepare()?;
    let outcome = carry_out(namespace, &mut namespace.turn_of_call()?, &request)?;
    Transition::reply(raw, &outcome);
    Ok(())
}

pub(super) fn refuse(raw: &mut [u8; Transition::SIZE], why: &dyn fmt::Display) {
    Transition::refuse(raw, why);
}

fn carry_out(
    namespace: &Arc<Namespace>,
    turn: &mut Turn<'_>,
    request: &Transition,
) -> Result<Outcome, Refusal> {
    let generation = namespace.generation();
    request.condition.holds(generation)?;
    let config = turn.current().ok_or(Invalid::no_pool(request.pool))?;
    let pool = config
        .pool(&request.pool)
        .ok_or(Invalid::no_pool(request.pool))?;
    let Some(oldest) = pool.older.iter().last() else {
        return Ok(change::unchanged(namespace));
    };
    let generation = generation + 1;
    let (newest, older) = match request.verb {
        Verb::Commit => (pool.newest.clone(), Queue::EMPTY),
        Verb::Extend(span) => {
            let deadline = match span {
                Span::Seconds(seconds) => Some(in_seconds(seconds)),
                Span::Forever | Span::Default => None,
            };
            let older = pool.older.copy()?.extend(deadline, |_| true);
            (pool.newest.clone(), older)
        }
        Verb::Abort => {
            let function = again(pool, oldest, &request.author)?;
            let stay = Stay::new(namespace, &Condition::default());
            let older = queue(Some(pool), &function, stay)?;
            (Arc::new(function, GFP_KERNEL_ACCOUNT)?, older)
        }
    };
    let new = with_older(namespace, Some(pool), newest, older, generation)?;
    let moved = pool.newest.moved(&new.newest)?;
    if request.verb == Verb::Abort {
        // Servers that were removed may have been left out of what routes have done since.
        routes::resolve(namespace.net(), &new, |_, _| {})?;
    }
    let config = config.with(Arc::new(new, GFP_KERNEL_ACCOUNT)?, generation)?;
    if request.verb == Verb::Abort {
        validate(namespace, &config)?;
    }
    let digest = config.digest();
    change::commit(namespace, turn, config, digest)?;
    change::tell(namespace, generation, What::Applied, None, request.author);
    change::tell_begun(namespace, turn, request.author);
    Ok(Outcome {
        generation,
        digest,
        changed: true,
        moved,
    })
}

/// A new function that decides as the oldest one did, in today's mode and with today's health.
fn again(pool: &Pool, oldest: &Older, author: &Author) -> Result<Function> {
    let old = &oldest.function;
    let wanted = uapi::Pool {
        kind: old.wanted.kind,
        prefix4: old.wanted.prefix4,
        prefix6: old.wanted.prefix6,
        rows: old.wanted.rows,
        seed: old.wanted.seed,
        ..*pool.wanted()
    };
    let mut members = KVVec::with_capacity(old.members.len(), GFP_KERNEL_ACCOUNT)?;
    for past in &old.members {
        let now = pool.newest.member_by_id(past.id);
        let mut member = match now.or_else(|| pool.older.member(past.id)) {
            Some(now) => now.clone(),
            None => Member {
                health: Health::Down,
                ..past.clone()
            },
        };
        member.weight = past.weight;
        member.wanted.weight = past.wanted.weight;
        if member.wanted.admin != past.wanted.admin {
            member.wanted.admin = past.wanted.admin;
            member.out_at = None;
            member.changed_at = realtime_ns();
            member.author = *author;
        }
        members.push(member, GFP_KERNEL_ACCOUNT)?;
    }
    Function::new(wanted, members, old.assigned.clone(), Some(old))
}

/// What was valid once may not be so beside what has been added since.
fn validate(namespace: &Namespace, config: &Config) -> Result<(), Refusal> {
    let bytes = dump::wanted(namespace, config)?;
    let image = Image::new(&bytes)?;
    let mut scratch = KVVec::from_elem(0, check::scratch_len(&image), GFP_KERNEL_ACCOUNT)?;
    Ok(check::image(&image, &mut scratch)?)
}
