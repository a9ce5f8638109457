// SPDX-License-Identifier: GPL-2.0

//! The functions before a pool's newest one: where the connections are that began under them.

use super::{function::Function, member::Member, sketch::Sketch};
use crate::{
    dispatch::{
        bitmap::Bitmap,
        server::ServerId,
        transition::{adds_nothing, takes_back, Past, MAX_FUNCTIONS},
    },
    ffi::{clock::uptime_ms, task},
};
use kernel::{prelude::*, sync::Arc};

/// How long after a change hosts may still hear of it: until then new connections go by the
/// functions before it in mode broadcast, or two servers would begin the same one.
const SETTLING_MS: u64 = 2000;

/// A handshake takes as long as a packet there and back.
const HANDSHAKE_MS: u64 = 2000;

/// How long before a function is retired to tell of it.
const NOTICE_MS: u64 = 10_000;

/// A function that has been superseded. It never changes any more, but that servers drop out of it.
#[derive(Clone)]
pub(crate) struct Older {
    pub(crate) function: Arc<Function>,
    /// When it is retired, [`crate::ffi::clock::uptime_ms`]; none: by COMMIT only.
    pub(crate) deadline: Option<u64>,
    /// When it was superseded.
    superseded: u64,
    pub(crate) flows: Arc<Sketch>,
    /// Servers that have been down since it was superseded: their connections are no more.
    gone: Bitmap,
    /// Whether its rows are the newest function's.
    shares: bool,
}

impl Older {
    /// As the law sees it. Any context.
    #[inline]
    pub(crate) fn past(&self) -> Past<'_> {
        Past::new(self.function.view(), &self.gone, self.shares)
    }

    /// When to tell how many connections it will cost to retire it: in good time, but not before it
    /// can be known.
    pub(crate) fn notice(&self) -> Option<u64> {
        let deadline = self.deadline?;
        let middle = self.superseded.midpoint(deadline);
        Some(deadline.saturating_sub(NOTICE_MS).max(middle))
    }

    /// Whether that has been told, as far as this deadline is concerned.
    pub(crate) fn is_told(&self) -> bool {
        self.deadline
            .is_none_or(|deadline| self.flows.is_told(deadline))
    }

    /// Whether hosts may just have heard of its end, and a handshake that began before be under way.
    /// Any context.
    pub(crate) fn is_recent(&self) -> bool {
        uptime_ms() < self.superseded.saturating_add(SETTLING_MS + HANDSHAKE_MS)
    }

    /// Whether it has connections on a server.
    pub(crate) fn names(&self, id: ServerId) -> bool {
        let state = self.function.state_of(id);
        !self.gone.contains(id.get()) && state.is_some_and(|state| self.function.admits(state))
    }
}

/// From the newer to the older.
///
/// # Invariants
///
/// At most [`MAX_FUNCTIONS`] - 1, each of which names an owner for some client that the newer ones
/// do not.
pub(crate) struct Queue(KVec<Older>);

/// The newest function, about to be superseded.
pub(crate) struct Superseded<'a> {
    pub(crate) function: &'a Arc<Function>,
    /// When it is retired; none: by COMMIT only.
    pub(crate) until: Option<u64>,
}

impl Queue {
    /// No function before the newest.
    pub(crate) const EMPTY: Self = Self(KVec::new());

    /// At most 7, but for a queue that is too long.
    pub(crate) fn len(&self) -> u32 {
        self.0.len() as u32
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// From the newer to the older.
    pub(crate) fn iter(&self) -> core::slice::Iter<'_, Older> {
        self.0.iter()
    }

    /// Those from this one on.
    #[inline]
    pub(crate) fn from(&self, at: usize) -> &[Older] {
        self.0.get(at..).unwrap_or(&[])
    }

    pub(crate) fn get(&self, at: usize) -> Option<&Older> {
        self.0.get(at)
    }

    /// A server that has connections by one of these functions.
    pub(crate) fn member(&self, id: ServerId) -> Option<&Member> {
        let older = self.iter().find(|older| older.names(id))?;
        older.function.member_by_id(id)
    }

    /// What the queue becomes when `new` supersedes the newest function, which is `kept` until then, or
    /// not at all. May be one too long.
    ///
    /// # Errors
    ///
    /// `ENOMEM`; `EINTR` if the process is being killed.
    pub(crate) fn push(&self, kept: Option<Superseded<'_>>, new: &Function) -> Result<Self> {
        let mut list = KVec::with_capacity(self.0.len() + 1, GFP_KERNEL_ACCOUNT)?;
        if let Some(kept) = kept {
            let superseded = Older {
                function: kept.function.clone(),
                deadline: kept.until,
                superseded: uptime_ms(),
                flows: Sketch::new()?,
                gone: Bitmap::EMPTY,
                shares: false,
            };
            list.push(superseded, GFP_KERNEL_ACCOUNT)?;
        }
        for older in &self.0 {
            list.push(older.clone(), GFP_KERNEL_ACCOUNT)?;
        }
        for older in &mut list {
            older.shares = older.function.shares_rows(new);
            for id in new.down() {
                older.gone.insert(id.get());
            }
        }
        Self::of(list, new)
    }

    /// What is left of the queue of those to keep, when the servers `gone` have no connections any more.
    ///
    /// # Errors
    ///
    /// `ENOMEM`; `EINTR` if the process is being killed.
    pub(crate) fn revise(
        &self,
        newest: &Function,
        gone: &Bitmap,
        keep: impl Fn(usize) -> bool,
    ) -> Result<Self> {
        let mut list = KVec::with_capacity(self.0.len(), GFP_KERNEL_ACCOUNT)?;
        for (_, older) in self.0.iter().enumerate().filter(|(at, _)| keep(*at)) {
            let mut older = older.clone();
            for id in gone.iter() {
                older.gone.insert(id);
            }
            list.push(older, GFP_KERNEL_ACCOUNT)?;
        }
        Self::of(list, newest)
    }

    /// The same functions, those for which `which` holds not retired before `deadline`; none: before
    /// COMMIT.
    pub(crate) fn extend(mut self, deadline: Option<u64>, which: impl Fn(&Older) -> bool) -> Self {
        for older in self.0.iter_mut().filter(|older| which(older)) {
            older.deadline = later(older.deadline, deadline);
        }
        self
    }

    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn copy(&self) -> Result<Self> {
        let mut list = KVec::with_capacity(self.0.len(), GFP_KERNEL_ACCOUNT)?;
        for older in &self.0 {
            list.push(older.clone(), GFP_KERNEL_ACCOUNT)?;
        }
        Ok(Self(list))
    }

    /// Whether a function is to be retired at `now`: not before those between it and the newest one if
    /// that has taken a client back from them, as an undone change does. Else what began before the
    /// change would have to go where it was in between, and then back.
    pub(crate) fn is_due(&self, at: usize, newest: &Function, now: u64) -> bool {
        let Some((older, newer)) = self.0.get(at).zip(self.0.get(..at)) else {
            return false;
        };
        let is_over = |older: &Older| older.deadline.is_some_and(|deadline| deadline <= now);
        let stay = newer
            .iter()
            .filter(|newer| !is_over(newer))
            .map(Older::past);
        is_over(older) && !takes_back(&older.past(), stay, &newest.view())
    }

    /// Drops what adds nothing to the newer ones.
    fn of(list: KVec<Older>, newest: &Function) -> Result<Self> {
        let mut kept: KVec<Older> = KVec::with_capacity(list.len(), GFP_KERNEL_ACCOUNT)?;
        for older in list {
            task::pause()?;
            let newer = kept.iter().rev().map(Older::past);
            // Those that speak for it must do so for as long as it would.
            let outlives = |newer: &Older| later(newer.deadline, older.deadline) == newer.deadline;
            if !(kept.iter().all(outlives) && adds_nothing(&older.past(), newer, &newest.view())) {
                kept.push(older, GFP_KERNEL_ACCOUNT)?;
            }
        }
        Ok(Self(kept))
    }

    /// How many functions, from the newest on, some hosts may not have yet. Any context.
    pub(crate) fn settling(&self) -> usize {
        let since = uptime_ms().saturating_sub(SETTLING_MS);
        let young = self.0.iter().take_while(|older| older.superseded > since);
        young.count()
    }

    /// Whether there are more than a pool may have.
    pub(crate) fn is_too_long(&self) -> bool {
        self.0.len() >= MAX_FUNCTIONS
    }

    /// When the next one is retired.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        self.0.iter().filter_map(|older| older.deadline).min()
    }
}

/// The later of two deadlines; none is never.
fn later(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    Some(a?.max(b?))
}
