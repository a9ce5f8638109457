// SPDX-License-Identifier: GPL-2.0

//! A dispatch function with all that it came from, frozen.

use super::{assigned::Assigned, member::Member};
use crate::{
    dispatch::{
        addr::{Address, Prefixes},
        digest,
        function::{self as law, Law},
        hash::{self, RowCount},
        revision::Revision,
        server::{Server, ServerId, State},
        siphash::Keyed,
        transition::shares_rows,
    },
    ffi::task,
    uapi::{Kind, Name},
};
use kernel::{alloc::KVVec, prelude::*, sync::Arc};

/// Rows ranked between two chances for others to run: a few milliseconds' work at 1024
/// servers.
const CHUNK: usize = 256;

/// Clients sampled to estimate how many a change moves, where rows cannot be compared.
const SAMPLE: u32 = 16384;

/// Immutable; a change makes a new one.
pub(crate) struct Function {
    pub(crate) wanted: crate::uapi::Pool,
    /// By ascending id.
    pub(crate) members: KVVec<Member>,
    pub(crate) assigned: Arc<Assigned>,
    /// Equal digest, equal decisions.
    pub(crate) digest: u64,
    law: Law,
    /// As `members`.
    servers: KVVec<Server>,
    /// Empty for kind mod.
    rows: KVVec<u16>,
}

impl Function {
    /// Builds a function of valid parts; `members` by ascending id, and as many rows assigned as the
    /// kind says. Rows that `old` has right are taken over. May take a second, lets others run.
    ///
    /// # Errors
    ///
    /// `ENOMEM`; `EINTR` if the process is being killed; `EINVAL` if the parts are not valid.
    pub(crate) fn new(
        wanted: crate::uapi::Pool,
        members: KVVec<Member>,
        assigned: Arc<Assigned>,
        old: Option<&Self>,
    ) -> Result<Self> {
        let mut servers = KVVec::with_capacity(members.len(), GFP_KERNEL_ACCOUNT)?;
        for member in &members {
            servers.push(member.server(), GFP_KERNEL_ACCOUNT)?;
        }
        let prefixes =
            Prefixes::new(wanted.prefix4.into(), wanted.prefix6.into()).or(Err(EINVAL))?;
        let keyed = Keyed::new(wanted.seed);
        let rows = || RowCount::new(wanted.rows).or(Err(EINVAL));
        let kind = match wanted.kind {
            Kind::Mod => law::Kind::Mod,
            Kind::Hash => law::Kind::Hash {
                keyed,
                rows: rows()?,
            },
            Kind::Table => law::Kind::Table {
                keyed,
                rows: rows()?,
            },
        };
        let law = Law::new(kind, prefixes, &servers).or(Err(EINVAL))?;
        let old =
            old.filter(|old| old.law.kind() == &kind && *old.assigned.table == *assigned.table);
        let rows = rank(&kind, &servers, &assigned.table, old)?;
        let digest = digest::pool(&law, &servers, assigned.explicit());
        Ok(Self {
            wanted,
            members,
            assigned,
            digest,
            law,
            servers,
            rows,
        })
    }

    /// As the law sees it. Any context.
    #[inline]
    pub(crate) fn view(&self) -> law::Function<'_> {
        law::Function::new(&self.law, &self.servers, &self.rows, self.assigned.ranges())
    }

    /// The same, where nothing is overridden. Any context.
    #[inline(always)]
    pub(crate) fn plain_view(&self) -> Option<law::Function<'_>> {
        let none = self.assigned.ranges().is_empty();
        none.then(|| law::Function::new(&self.law, &self.servers, &self.rows, &[]))
    }

    /// Who owns a client. Any context.
    #[inline]
    pub(crate) fn owner(&self, client: Address) -> law::Owner {
        self.view().owner(client)
    }

    /// The effective state of a server, if it is one of this function's.
    pub(crate) fn state_of(&self, id: ServerId) -> Option<State> {
        let at = self.servers.binary_search_by_key(&id, |server| server.id);
        at.ok()
            .and_then(|at| self.servers.get(at))
            .map(|it| it.state)
    }

    /// Whether a server in `state` has clients.
    pub(crate) fn admits(&self, state: State) -> bool {
        self.law.serving().admits(state)
    }

    /// The servers that are down.
    pub(crate) fn down(&self) -> impl Iterator<Item = ServerId> + '_ {
        let down = self.servers.iter().filter(|it| it.state == State::Down);
        down.map(|server| server.id)
    }

    pub(crate) fn member(&self, name: &Name) -> Option<&Member> {
        let mut members = self.members.iter();
        members.find(|member| member.wanted.name == *name)
    }

    pub(crate) fn member_by_id(&self, id: ServerId) -> Option<&Member> {
        let at = self.members.binary_search_by_key(&id, |member| member.id);
        at.ok().and_then(|at| self.members.get(at))
    }

    /// Whether every client has the same row in both, or is laid down alike.
    pub(crate) fn shares_rows(&self, other: &Self) -> bool {
        shares_rows(&self.view(), &other.view())
    }

    /// How many clients have another owner in `new`, in parts per million: exactly where the
    /// same rows serve both, else by a sample of IPv4 addresses. Overrides are too few clients to
    /// count. Lets others run.
    ///
    /// # Errors
    ///
    /// `EINTR` if the process is being killed.
    pub(crate) fn moved(&self, new: &Self) -> Result<u32> {
        if self.digest == new.digest {
            return Ok(0);
        }
        let (moved, all) = if self.law.ranks_alike(&new.law) {
            let differ = self.rows.iter().zip(&new.rows).filter(|(a, b)| a != b);
            (differ.count() as u64, self.rows.len() as u64)
        } else {
            (self.moved_in_sample(new)?, u64::from(SAMPLE))
        };
        Ok(u32::try_from(moved * 1_000_000 / all).unwrap_or(1_000_000))
    }

    fn moved_in_sample(&self, new: &Self) -> Result<u64> {
        let mut moved = 0;
        for number in 0..SAMPLE {
            if number % 256 == 0 {
                task::pause()?;
            }
            // An odd multiplier visits addresses all over the space, each once.
            let client = Address::V4(number.wrapping_mul(0x9e37_79b1).to_be_bytes());
            if self.owner(client).server() != new.owner(client).server() {
                moved += 1;
            }
        }
        Ok(moved)
    }
}

/// The winners of all rows.
///
/// `old` is of the same kind, with the same rows assigned.
fn rank(
    kind: &law::Kind,
    servers: &[Server],
    table: &[u16],
    old: Option<&Function>,
) -> Result<KVVec<u16>> {
    let Some((keyed, count)) = kind.ranked() else {
        return Ok(KVVec::new());
    };
    let number = usize::try_from(count.get())?;
    let mut rows = KVVec::with_capacity(number, GFP_KERNEL_ACCOUNT)?;
    let revision = match old {
        Some(old) => {
            rows.extend_from_slice(&old.rows, GFP_KERNEL_ACCOUNT)?;
            Some(Revision::new(&old.servers, servers))
        }
        None => {
            rows.resize(number, hash::NONE, GFP_KERNEL_ACCOUNT)?;
            None
        }
    };
    let mut first = 0;
    for chunk in rows.chunks_mut(CHUNK) {
        task::pause()?;
        match &revision {
            Some(revision) => {
                revision.apply(keyed, table, first, chunk);
            }
            None => hash::fill(keyed, servers, table, first, chunk),
        }
        first += u32::try_from(chunk.len())?;
    }
    Ok(rows)
}
