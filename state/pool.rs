// SPDX-License-Identifier: GPL-2.0

//! A pool: its servers and their frozen dispatch function.

use super::{
    hop::{Hop, Way},
    stance::{Here, Stance},
    traffic::{Total, Traffic},
};
use crate::{
    dispatch::{
        addr::{Address, Prefixes},
        digest,
        function::{self, Function, Law, Owner},
        hash::{self, RowCount},
        revision::Revision,
        server::{self as law, ServerId, Weight},
        siphash::Keyed,
    },
    ffi::task,
    uapi::{Admin, Author, Health, Kind, Name},
};
use kernel::{
    alloc::KVVec,
    prelude::*,
    sync::{
        atomic::{Atomic, Relaxed},
        Arc,
    },
};

/// Rows ranked between two chances for others to run: a few milliseconds' work at 1024
/// servers.
const CHUNK: usize = 256;

/// Clients sampled to estimate how many a change moves, where rows cannot be compared.
const SAMPLE: u32 = 16384;

/// A server with its health and history.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) wanted: crate::uapi::Server,
    pub(crate) id: ServerId,
    pub(crate) weight: Weight,
    pub(crate) health: Health,
    /// Last change of admin or health, ns since 1970; 0: never.
    pub(crate) changed_at: u64,
    pub(crate) author: Author,
    /// The counters of its id when it was added.
    pub(crate) before: Total,
}

impl Member {
    fn admin(&self) -> law::Admin {
        match self.wanted.admin {
            Admin::Up => law::Admin::Up,
            Admin::Drain => law::Admin::Drain,
            Admin::Down => law::Admin::Down,
        }
    }

    fn health(&self) -> law::Health {
        match self.health {
            Health::Up => law::Health::Up,
            Health::Down => law::Health::Down,
        }
    }

    fn server(&self) -> law::Server {
        law::Server {
            id: self.id,
            weight: self.weight,
            state: law::State::effective(self.admin(), self.health()),
        }
    }
}

/// Immutable but for the ways in its hops; a change makes a new one.
pub(crate) struct Pool {
    pub(crate) wanted: crate::uapi::Pool,
    pub(crate) members: KVVec<Member>,
    pub(crate) digest: u64,
    /// The generation it was made for.
    pub(crate) generation: u64,
    law: Law,
    /// As `members`, by ascending id.
    servers: KVVec<law::Server>,
    /// Empty for kind mod.
    rows: KVVec<u16>,
    /// By id.
    hops4: KVVec<Hop<[u8; 4]>>,
    /// By id.
    hops6: KVVec<Hop<[u8; 16]>>,
    /// A [`Here`], follows from the hops.
    here: Atomic<i8>,
    traffic: Arc<Traffic>,
}

impl Pool {
    /// Builds a pool of valid parts; `members` by ascending id. Rows that `old`, the same
    /// pool as it was, has right are taken over. May take a second, lets others run.
    ///
    /// # Errors
    ///
    /// `ENOMEM`; `EINTR` if the process is being killed; `EINVAL` if the parts are not valid.
    pub(crate) fn build(
        wanted: crate::uapi::Pool,
        members: KVVec<Member>,
        old: Option<&Self>,
        generation: u64,
    ) -> Result<Self> {
        let mut servers = KVVec::with_capacity(members.len(), GFP_KERNEL_ACCOUNT)?;
        for member in &members {
            servers.push(member.server(), GFP_KERNEL_ACCOUNT)?;
        }
        let prefixes =
            Prefixes::new(wanted.prefix4.into(), wanted.prefix6.into()).or(Err(EINVAL))?;
        let kind = match wanted.kind {
            Kind::Mod => function::Kind::Mod,
            Kind::Hash => function::Kind::Hash {
                keyed: Keyed::new(wanted.seed),
                rows: RowCount::new(wanted.rows).or(Err(EINVAL))?,
            },
        };
        let law = Law::new(kind, prefixes, &servers).or(Err(EINVAL))?;
        let rows = rank(&kind, &servers, old)?;
        let hops4 = hops(
            &members,
            |member| member.address,
            old.map(|old| &*old.hops4),
        )?;
        let hops6 = hops(
            &members,
            |member| member.address6,
            old.map(|old| &*old.hops6),
        )?;
        let traffic = Traffic::new(hops4.len(), old.map(|old| &old.traffic))?;
        let digest = digest::pool(&law, &servers);
        let pool = Self {
            wanted,
            members,
            digest,
            generation,
            law,
            servers,
            rows,
            hops4,
            hops6,
            here: Atomic::new(0),
            traffic,
        };
        pool.find_itself();
        Ok(pool)
    }

    fn function(&self) -> Function<'_> {
        Function::new(&self.law, &self.servers, &self.rows)
    }

    /// Who owns a client. Any context.
    #[inline]
    pub(crate) fn owner(&self, client: Address) -> Owner {
        self.function().owner(client)
    }

    /// Who owns a client, by which rule, and who would follow.
    pub(crate) fn explain(
        &self,
        client: Address,
        followers: &mut [ServerId],
    ) -> (function::Explanation, usize) {
        let function = self.function();
        (
            function.explain(client),
            function.succession(client, followers),
        )
    }

    /// The way to a server by IPv4. Any context.
    #[inline]
    pub(crate) fn hop4(&self, id: ServerId) -> Option<&Hop<[u8; 4]>> {
        self.hops4.get(usize::from(id.get()))
    }

    /// The way to a server by IPv6. Any context.
    #[inline]
    pub(crate) fn hop6(&self, id: ServerId) -> Option<&Hop<[u8; 16]>> {
        self.hops6.get(usize::from(id.get()))
    }

    /// Whether a server has this IPv4 address.
    pub(crate) fn has_server4(&self, address: [u8; 4]) -> bool {
        self.hops4.iter().any(|hop| hop.address == Some(address))
    }

    /// Whether a server has this IPv6 address.
    pub(crate) fn has_server6(&self, address: [u8; 16]) -> bool {
        self.hops6.iter().any(|hop| hop.address == Some(address))
    }

    /// Both ways to a server.
    pub(crate) fn ways(&self, id: ServerId) -> [Way; 2] {
        [
            self.hop4(id).map_or(Way::None, Hop::way),
            self.hop6(id).map_or(Way::None, Hop::way),
        ]
    }

    /// Notes whether this host is one of the servers, after ways have changed.
    pub(crate) fn find_itself(&self) {
        let local = |server: &&law::Server| {
            self.hop4(server.id).is_some_and(Hop::was_local)
                || self.hop6(server.id).is_some_and(Hop::was_local)
        };
        let serving = self.law.serving();
        let here = self.servers.iter().filter(local).map(|server| {
            if serving.admits(server.state) {
                Here::Live
            } else {
                Here::Member
            }
        });
        let here = here.max().unwrap_or(Here::No);
        self.here.store(here as i8, Relaxed);
    }

    /// Is this host one of the servers? Any context.
    pub(crate) fn is_member(&self) -> bool {
        Here::from_number(self.here.load(Relaxed)) != Here::No
    }

    /// What this host does about ARP and ND for the pool's ghosts; `answers` is what ANSWER
    /// says. Any context.
    pub(crate) fn stance(&self, answers: bool) -> Stance {
        let here = Here::from_number(self.here.load(Relaxed));
        Stance::of(self.wanted.mode, self.wanted.shape, here, answers)
    }

    /// Counts a packet for a server. Any context.
    #[inline]
    pub(crate) fn count(&self, id: ServerId, bytes: u32) {
        self.traffic.count(id, bytes);
    }

    /// What a server has been given since it was added.
    pub(crate) fn traffic_of(&self, member: &Member) -> Total {
        self.traffic.total(member.id).since(member.before)
    }

    /// What the counters of an id say, whoever had it.
    pub(crate) fn traffic_of_id(&self, id: ServerId) -> Total {
        self.traffic.total(id)
    }

    pub(crate) fn member(&self, name: &Name) -> Option<&Member> {
        self.members
            .iter()
            .find(|member| member.wanted.name == *name)
    }

    /// How many clients have another owner in `new`, in parts per million: exactly where the
    /// same rows serve both, else by a sample of IPv4 addresses. Lets others run.
    ///
    /// # Errors
    ///
    /// `EINTR` if the process is being killed.
    pub(crate) fn moved(&self, new: &Self) -> Result<u32> {
        if self.digest == new.digest {
            return Ok(0);
        }
        let same_rows = self.law.kind() == new.law.kind()
            && self.law.prefixes() == new.law.prefixes()
            && !self.rows.is_empty();
        let (moved, all) = if same_rows {
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
fn rank(kind: &function::Kind, servers: &[law::Server], old: Option<&Pool>) -> Result<KVVec<u16>> {
    let function::Kind::Hash { keyed, rows: count } = kind else {
        return Ok(KVVec::new());
    };
    let number = usize::try_from(count.get())?;
    let mut rows = KVVec::with_capacity(number, GFP_KERNEL_ACCOUNT)?;
    let revision = match old {
        Some(old) if old.law.kind() == kind => {
            rows.extend_from_slice(&old.rows, GFP_KERNEL_ACCOUNT)?;
            Some(Revision::new(&old.servers, servers))
        }
        _ => {
            rows.resize(number, hash::NONE, GFP_KERNEL_ACCOUNT)?;
            None
        }
    };
    let mut first = 0;
    for chunk in rows.chunks_mut(CHUNK) {
        task::pause()?;
        match &revision {
            Some(revision) => {
                revision.apply(keyed, first, chunk);
            }
            None => hash::fill(keyed, servers, first, chunk),
        }
        first += u32::try_from(chunk.len())?;
    }
    Ok(rows)
}

/// The ways to all servers by one family, as far as they were known.
fn hops<A: Copy + PartialEq>(
    members: &[Member],
    address: fn(&crate::uapi::Server) -> Option<A>,
    old: Option<&[Hop<A>]>,
) -> Result<KVVec<Hop<A>>> {
    let number = members
        .last()
        .map_or(0, |member| usize::from(member.id.get()) + 1);
    let mut hops = KVVec::with_capacity(number, GFP_KERNEL_ACCOUNT)?;
    for member in members {
        while hops.len() < usize::from(member.id.get()) {
            hops.push(Hop::new(None), GFP_KERNEL_ACCOUNT)?;
        }
        let known = old.and_then(|old| old.get(hops.len()));
        let hop = Hop::new(address(&member.wanted)).inherit(known);
        hops.push(hop, GFP_KERNEL_ACCOUNT)?;
    }
    Ok(hops)
}
