// SPDX-License-Identifier: GPL-2.0

//! A pool: its newest function, those before it, and the ways to the servers of all of them.

use super::{
    function::Function,
    hop::{Hop, Way},
    member::Member,
    older::{Older, Queue},
    stance::{Here, Stance},
    tracked::Tracked,
    traffic::{Total, Traffic},
};
use crate::{
    dispatch::{
        addr::Address,
        chain::{Chain, Link, Newest},
        server::ServerId,
        transition::Past,
    },
    ffi::atomic::read_once,
    uapi::{Method, Mode},
};
use kernel::{
    alloc::KVVec,
    prelude::*,
    sync::{
        atomic::{Atomic, Relaxed},
        Arc,
    },
};

/// What a pool is made of, besides what it inherits.
pub(crate) struct Parts {
    pub(crate) newest: Arc<Function>,
    pub(crate) older: Queue,
    /// There with method track while there are older functions.
    pub(crate) tracked: Option<Arc<Tracked>>,
    /// The generation it is made for.
    pub(crate) generation: u64,
}

/// Immutable but for the ways in its hops; a change makes a new one.
pub(crate) struct Pool {
    pub(crate) newest: Arc<Function>,
    pub(crate) older: Queue,
    pub(crate) tracked: Option<Arc<Tracked>>,
    pub(crate) generation: u64,
    /// The generation in which the latest transition began; 0: none did.
    pub(crate) begun: u64,
    /// By id, of all functions.
    hops4: KVVec<Hop<[u8; 4]>>,
    /// By id.
    hops6: KVVec<Hop<[u8; 16]>>,
    /// A [`Here`], follows from the hops.
    here: Atomic<i8>,
    traffic: Arc<Traffic>,
}

impl Pool {
    /// Goes on from `old`, the same pool as it was.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new(parts: Parts, old: Option<&Self>) -> Result<Self> {
        let Parts {
            newest,
            older,
            tracked,
            generation,
        } = parts;
        let (known4, known6) = (old.map(|old| &*old.hops4), old.map(|old| &*old.hops6));
        let hops4 = hops(&newest, &older, |member| member.wanted.address, known4)?;
        let hops6 = hops(&newest, &older, |member| member.wanted.address6, known6)?;
        let traffic = Traffic::new(hops4.len(), old.map(|old| &old.traffic))?;
        let superseded = older.iter().next().map(|older| &older.function);
        let begun = match (old, superseded) {
            (Some(old), Some(superseded)) if Arc::ptr_eq(&old.newest, superseded) => generation,
            (Some(old), _) => old.begun,
            (None, _) => 0,
        };
        let pool = Self {
            newest,
            older,
            tracked,
            generation,
            begun,
            hops4,
            hops6,
            here: Atomic::new(0),
            traffic,
        };
        pool.find_itself();
        Ok(pool)
    }

    /// As the operator wants it. Any context.
    #[inline]
    pub(crate) fn wanted(&self) -> &crate::uapi::Pool {
        &self.newest.wanted
    }

    /// Who owns a client by the newest function. Any context.
    #[inline(always)]
    pub(crate) fn newest(&self, client: Address) -> Newest {
        match self.newest.plain_view() {
            Some(view) => Newest::of(&view, client),
            None => self.newest_overridden(client),
        }
    }

    // Apart, so that where nothing is overridden the view never becomes one in memory.
    #[inline(never)]
    fn newest_overridden(&self, client: Address) -> Newest {
        Newest::of(&self.newest.view(), client)
    }

    /// The first other owner of a client by the older functions. Any context. By itself, and given all
    /// by value, as the packets of pools with one function must not pay for it.
    #[inline(never)]
    pub(crate) fn other(&self, newest: Newest, client: Address) -> Option<Link> {
        newest.first_other(self.older.iter().map(Older::past), client)
    }

    /// All owners of a client that has an other one than the newest. Any context.
    pub(crate) fn owners(&self, newest: &Newest, other: Link, client: Address) -> Chain {
        Chain::after(newest, other, self.behind(other), client, self.settling())
    }

    /// The oldest of them. Any context.
    #[inline(always)]
    pub(crate) fn oldest(&self, newest: &Newest, other: Link, client: Address) -> Link {
        newest.oldest(other, self.behind(other), client)
    }

    /// The one that is this server, if it is one of them. Any context.
    #[inline(always)]
    pub(crate) fn link(
        &self,
        newest: &Newest,
        other: Link,
        client: Address,
        id: ServerId,
    ) -> Option<Link> {
        newest.link(other, self.behind(other), client, id)
    }

    /// The functions older than the one that names the first other owner.
    #[inline]
    fn behind(&self, other: Link) -> impl Iterator<Item = Past<'_>> + Clone {
        let older = self.older.from(other.age.into());
        older.iter().map(Older::past)
    }

    /// All owners of a client, however many. Any context.
    pub(crate) fn all_owners(&self, client: Address) -> Chain {
        let older = self.older.iter().map(Older::past);
        Chain::of(&self.newest.view(), older, client, self.settling())
    }

    /// How many of the newest functions do not decide on new connections yet. With method track one
    /// host decides alone.
    #[inline]
    fn settling(&self) -> usize {
        match self.wanted().method {
            Some(Method::Track) => 0,
            Some(Method::Chance) | None => self.older.settling(),
        }
    }

    /// How many functions there are.
    pub(crate) fn functions(&self) -> u32 {
        1 + self.older.len()
    }

    /// Whether there are connections that began under another function. Any context.
    #[inline]
    pub(crate) fn is_in_transition(&self) -> bool {
        !self.older.is_empty()
    }

    /// Does it matter to this host whether another server sent a packet on? A dispatcher that is none
    /// takes what comes from one as a client's. Any context.
    #[inline]
    pub(crate) fn asks_peers(&self) -> bool {
        self.wanted().mode == Mode::Peer || (self.wanted().has_peers() && self.is_member())
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

    /// The servers of all functions, each once.
    pub(crate) fn servers(&self) -> impl Iterator<Item = &Member> {
        Iterator::chain(self.newest.members.iter(), self.leaving())
    }

    /// The servers that only older functions have, each once.
    pub(crate) fn leaving(&self) -> impl Iterator<Item = &Member> {
        let ids = self
            .ids()
            .filter(|id| self.newest.member_by_id(*id).is_none());
        ids.filter_map(|id| self.older.member(id))
    }

    /// All that can be an id here.
    fn ids(&self) -> impl Iterator<Item = ServerId> {
        (0..).map_while(ServerId::from_row).take(self.hops4.len())
    }

    /// Notes whether this host is one of the servers, after ways have changed.
    pub(crate) fn find_itself(&self) {
        let local = |id: &ServerId| {
            self.hop4(*id).is_some_and(Hop::was_local) || self.hop6(*id).is_some_and(Hop::was_local)
        };
        let here = self
            .ids()
            .filter(local)
            .map(|id| match self.newest.state_of(id) {
                Some(state) if self.newest.admits(state) => Here::Live,
                _ => Here::Member,
            });
        let here = here.max().unwrap_or(Here::No);
        self.here.store(here as i8, Relaxed);
    }

    /// Is this host one of the servers? Any context.
    pub(crate) fn is_member(&self) -> bool {
        Here::from_number(read_once(&self.here)) != Here::No
    }

    /// What this host does about ARP and ND for the pool's ghosts; `answers` is what ANSWER
    /// says. Any context.
    pub(crate) fn stance(&self, answers: bool) -> Stance {
        let here = Here::from_number(read_once(&self.here));
        Stance::of(self.wanted().mode, self.wanted().shape, here, answers)
    }

    /// Counts a packet for a server. Any context.
    #[inline(always)]
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
}

/// The ways to the servers of all functions by one family, as far as they were known. An id has the
/// address that the newest function to have it says.
fn hops<A: Copy + PartialEq>(
    newest: &Function,
    older: &Queue,
    address: fn(&Member) -> Option<A>,
    old: Option<&[Hop<A>]>,
) -> Result<KVVec<Hop<A>>> {
    let functions = || {
        let older = older.iter().map(|older| &*older.function);
        Iterator::chain(core::iter::once(newest), older)
    };
    let last = |function: &Function| function.members.last().map(|member| member.id.get());
    let number = functions()
        .filter_map(last)
        .max()
        .map_or(0, |last| last + 1);
    let mut hops = KVVec::with_capacity(usize::from(number), GFP_KERNEL_ACCOUNT)?;
    for id in (0..number).map_while(ServerId::from_row) {
        let member = functions().find_map(|function| function.member_by_id(id));
        let known = old.and_then(|old| old.get(hops.len()));
        let hop = Hop::new(member.and_then(address)).inherit(known);
        hops.push(hop, GFP_KERNEL_ACCOUNT)?;
    }
    Ok(hops)
}
