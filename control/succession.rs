// SPDX-License-Identifier: GPL-2.0

//! From one function of a pool to the next: what APPLY, SERVER and TRANSITION have in common.

use super::refusal::Refusal;
use crate::{
    dispatch::{bitmap::Bitmap, server::State},
    ffi::clock::uptime_ms,
    state::{
        function::Function,
        older::{Queue, Superseded},
        pool::{Parts, Pool},
        tracked::Tracked,
        Namespace,
    },
    uapi::{Condition, Invalid, Method, Span},
};
use kernel::{
    prelude::*,
    sync::{atomic::Relaxed, Arc},
};

/// How long connections stay where they began.
pub(super) enum Stay {
    /// None does, not even those of older functions.
    Now,
    /// Those of older functions do, and of the newest one none.
    No,
    /// Until this [`uptime_ms`]; none: until COMMIT.
    Until(Option<u64>),
}

impl Stay {
    /// As a call asks for.
    pub(super) fn new(namespace: &Namespace, condition: &Condition) -> Self {
        if condition.now {
            return Self::Now;
        }
        match condition.span {
            Span::Default => match namespace.transition_seconds.load(Relaxed) {
                0 => Self::No,
                seconds => Self::Until(Some(in_seconds(seconds))),
            },
            Span::Seconds(seconds) => Self::Until(Some(in_seconds(seconds))),
            Span::Forever => Self::Until(None),
        }
    }
}

/// What the clock says then.
pub(super) fn in_seconds(seconds: u32) -> u64 {
    uptime_ms().saturating_add(u64::from(seconds) * 1000)
}

/// The functions before `new` that still have connections, if it becomes the newest of the pool.
///
/// # Errors
///
/// `EBUSY` if there is no room for another function, if `new` gives the id of a server that is leaving
/// to another one, or if it begins to note connections while there are some it cannot know of;
/// `ENOMEM`.
pub(super) fn queue(old: Option<&Pool>, new: &Function, stay: Stay) -> Result<Queue, Refusal> {
    let (old, superseded) = match (old, stay) {
        (None, _) | (_, Stay::Now) => return Ok(Queue::EMPTY),
        (Some(old), Stay::No) => (old, None),
        (Some(old), Stay::Until(until)) => {
            let function = &old.newest;
            (old, Some(Superseded { function, until }))
        }
    };
    let older = old.older.push(superseded, new)?;
    check_ids(&older, new)?;
    let left = seconds_left(older.next_deadline());
    if older.is_too_long() {
        return Err(Invalid::queue_full(new.wanted.name, left).into());
    }
    let begins_to_track = new.wanted.method == Some(Method::Track) && old.tracked.is_none();
    if begins_to_track && old.is_in_transition() && !older.is_empty() {
        return Err(Invalid::in_transition(new.wanted.name, left).into());
    }
    Ok(older)
}

/// The pool with these functions.
///
/// # Errors
///
/// `ENOMEM`.
pub(super) fn with_older(
    namespace: &Namespace,
    old: Option<&Pool>,
    newest: Arc<Function>,
    older: Queue,
    generation: u64,
) -> Result<Pool> {
    let is_tracking = newest.wanted.method == Some(Method::Track) && !older.is_empty();
    let tracked = match old.and_then(|old| old.tracked.as_ref()) {
        Some(tracked) if is_tracking => Some(tracked.clone()),
        None if is_tracking => Some(Tracked::new(namespace.max_tracked_flows.load(Relaxed))?),
        _ => None,
    };
    let parts = Parts {
        newest,
        older,
        tracked,
        generation,
    };
    Pool::new(parts, old)
}

/// Forgets what was noted of servers that come back with `new`: as they were gone, so are their
/// connections. Those of servers that are leaving still live.
pub(super) fn welcome(old: &Pool, new: &Pool) {
    let Some(tracked) = &new.tracked else {
        return;
    };
    let mut back = Bitmap::EMPTY;
    for member in &new.newest.members {
        let was_away = match old.newest.state_of(member.id) {
            Some(state) => state == State::Down,
            None => old.older.member(member.id).is_none(),
        };
        if was_away && member.server().state != State::Down {
            back.insert(member.id.get());
        }
    }
    if !back.is_empty() {
        tracked.forget(&back);
    }
}

/// An id means one server in all functions, as it is what tells the way.
fn check_ids(older: &Queue, new: &Function) -> Result<(), Refusal> {
    for member in &new.members {
        for function in older.iter().filter(|older| older.names(member.id)) {
            match function.function.member_by_id(member.id) {
                Some(other) if !other.is(member) => {
                    let left = seconds_left(function.deadline);
                    let (id, name) = (member.wanted.id, other.wanted.name);
                    return Err(Invalid::leaving(id, name, left).into());
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Whole seconds until then, at least one.
fn seconds_left(deadline: Option<u64>) -> Option<u64> {
    deadline.map(|deadline| deadline.saturating_sub(uptime_ms()).div_ceil(1000).max(1))
}
