// SPDX-License-Identifier: GPL-2.0

//! Packets of clients that have more than one owner: new connections go to the new owner, others stay
//! where they began. What [`super::pre_routing`] and [`super::local_out`] have in common.

use super::family::Family;
use crate::{
    dispatch::{
        addr::Address,
        chain::{Chain, Link, Newest},
        claim,
        course::{self, Course},
        flow::{Flow, Ports},
        server::ServerId,
        sketch,
    },
    ffi::{
        link::Device,
        skb::Skb,
        socket::{self, State, Tuple},
    },
    state::{
        hop::{Hop, Way},
        older::Older,
        pool::Pool,
        Namespace,
    },
    uapi::{Counter, Method, Mode},
};

/// A client that has more than one owner.
pub(super) struct Moved {
    pub(super) client: Address,
    pub(super) newest: Newest,
    /// The first other one.
    pub(super) other: Link,
}

/// How a packet came to this host.
#[derive(Clone, Copy)]
pub(super) enum Origin<'g> {
    /// By a link.
    Link {
        device: &'g Device<'g>,
        /// Whether another server sent it on.
        from_peer: bool,
    },
    /// From its own processes.
    Here,
}

/// One of the owners, and what to count if it gets the packet.
pub(super) struct Owned<'p, F: Family> {
    link: Link,
    pub(super) hop: &'p Hop<F::Address>,
    /// It was another owner's first.
    passed: bool,
    fragment: bool,
    /// Method track had no room for it.
    untracked: bool,
    /// Where its connection is in the sketch of that function, if that can be told.
    slot: Option<u16>,
}

impl Moved {
    /// Whether this host is one of the owners.
    pub(super) fn is_here<F: Family>(&self, pool: &Pool) -> bool {
        here::<F>(pool, &self.chain(pool)).is_some()
    }

    /// The owner of the client's packet, which begins with `header`, or what to count as it has none
    /// here.
    #[inline(always)]
    pub(super) fn owned<'p, F: Family>(
        &self,
        namespace: &Namespace,
        pool: &'p Pool,
        header: &F::Header,
        origin: Origin<'_>,
        skb: &mut Skb<F>,
    ) -> Result<Owned<'p, F>, Counter> {
        if skb.pull(F::flow_bytes(header) as u32).is_err() {
            return Err(Counter::DropNoMemory);
        }
        let flow = F::flow(header, skb.linear(), skb.len());
        let wanted = pool.wanted();
        let (course, untracked) = match (wanted.mode, wanted.method) {
            (Mode::Router, Some(Method::Track) | None) => self.by_record::<F>(pool, header, &flow),
            _ => {
                let case = Case {
                    namespace,
                    pool,
                    header,
                    client: self.client,
                    chain: self.chain(pool),
                };
                (case.course(origin, &flow, skb), false)
            }
        };
        let (link, passed) = match course {
            Course::Keep(link) => (link, false),
            Course::Send { link, passed } => (link, passed),
            Course::Nobody => return Err(Counter::DropNoServer),
            Course::Unclaimed => return Err(Counter::DropUnclaimed),
            Course::NotOwner => return Err(Counter::DropNotOwner),
            Course::Misdirected => return Err(Counter::DropMisdirected),
        };
        let hop = F::hop(pool, link.server).ok_or(Counter::DropUnreachable)?;
        Ok(Owned {
            link,
            hop,
            passed,
            fragment: flow.is_fragment(),
            untracked,
            slot: flow.ports().map(|ports| sketch::slot(self.client, ports)),
        })
    }

    /// Method track: where the packet goes, and whether there was no room to note that.
    #[inline(always)]
    fn by_record<F: Family>(&self, pool: &Pool, header: &F::Header, flow: &Flow) -> (Course, bool) {
        let noted = match flow.ports() {
            Some(ports) => self.noted::<F>(pool, header, flow, ports),
            None => None,
        };
        let oldest = pool.oldest(&self.newest, self.other, self.client);
        let course = course::track(self.newest.owner, oldest, flow, noted);
        (course, noted.is_none() && opens(flow))
    }

    /// Method track: the server that the connection is noted with, from now on if it begins.
    #[inline(never)]
    fn noted<F: Family>(
        &self,
        pool: &Pool,
        header: &F::Header,
        flow: &Flow,
        ports: Ports,
    ) -> Option<Link> {
        let tracked = pool.tracked.as_ref()?;
        let ghost = F::any(F::destination(header));
        let tag = tracked.tag(ghost, self.client, ports);
        let link = |id| pool.link(&self.newest, self.other, self.client, id);
        let is_live = |id| link(id).is_some();
        let server = match flow {
            Flow::Segment(segment) if opens(flow) => {
                let newest = self.newest.owner.server()?;
                let noted = tracked.note(tag, segment.seq, newest, is_live);
                // Without a record of its own it goes where what follows will be thought to belong.
                noted.or_else(|| tracked.find(tag, segment.seq.wrapping_add(1), is_live))
            }
            Flow::Segment(segment) => tracked.find(tag, segment.seq, is_live),
            _ => tracked.find_any(tag, is_live),
        };
        link(server?)
    }

    #[inline(never)]
    fn chain(&self, pool: &Pool) -> Chain {
        pool.owners(&self.newest, self.other, self.client)
    }
}

impl<F: Family> Owned<'_, F> {
    /// Counts a packet of `bytes` that its owner gets.
    #[inline(always)]
    pub(super) fn count(&self, namespace: &Namespace, pool: &Pool, bytes: u32) {
        pool.count(self.link.server, bytes);
        let Some(at) = usize::from(self.link.age).checked_sub(1) else {
            namespace.count(Counter::Newest);
            return;
        };
        namespace.count(Counter::Older);
        if self.passed {
            namespace.count(Counter::Passed);
        } else if let (Some(older), Some(slot)) = (pool.older.get(at), self.slot) {
            older.flows.mark(slot);
        }
        if self.fragment {
            namespace.count(Counter::Fragments);
        }
        if self.untracked {
            namespace.count(Counter::Untracked);
        }
    }
}

/// A packet that the servers' sockets decide on.
struct Case<'a, F: Family> {
    namespace: &'a Namespace,
    pool: &'a Pool,
    header: &'a F::Header,
    client: Address,
    chain: Chain,
}

impl<F: Family> Case<'_, F> {
    #[inline(never)]
    fn course(&self, origin: Origin<'_>, flow: &Flow, skb: &Skb<F>) -> Course {
        if self.pool.wanted().mode != Mode::Broadcast {
            return self.by_chance(origin, flow, skb);
        }
        let claims = || self.claims(origin, flow, skb);
        course::broadcast(&self.chain, flow, |id| is_me::<F>(self.pool, id), claims)
    }

    fn by_chance(&self, origin: Origin<'_>, flow: &Flow, skb: &Skb<F>) -> Course {
        let (is_member, from_peer) = match origin {
            Origin::Link { from_peer, .. } => (self.pool.is_member(), from_peer),
            Origin::Here => (false, false),
        };
        let is_me = |id| is_me::<F>(self.pool, id);
        let sent_by = |id| {
            let mac = F::hop(self.pool, id).and_then(Hop::mac);
            mac.is_some() && mac == skb.link_source()
        };
        let claims = || self.claims(origin, flow, skb);
        course::chance(
            &self.chain,
            flow,
            is_me,
            is_member,
            from_peer,
            sent_by,
            claims,
        )
    }

    /// Whether a socket of this host is the packet's.
    fn claims(&self, origin: Origin<'_>, flow: &Flow, skb: &Skb<F>) -> bool {
        let (Origin::Link { device, .. }, Some(ports), Some(client)) =
            (origin, flow.ports(), F::this(self.client))
        else {
            return false;
        };
        let tuple = Tuple {
            client,
            client_port: ports.client,
            ghost: F::destination(self.header),
            ghost_port: ports.ghost,
        };
        let net = self.namespace.net();
        let socket = match socket::connection::<F>(net, device, &tuple) {
            State::None => claim::Socket::None,
            State::Full => claim::Socket::Full,
            State::Opening(una, next) => claim::Socket::Opening { una, next },
            State::Request(isn) => claim::Socket::Request { isn },
            State::TimeWait(rcv_nxt) => claim::Socket::TimeWait { rcv_nxt },
        };
        match flow {
            Flow::Segment(segment) if socket.claims(segment) => true,
            // A listener that is short of room keeps no request: the number it gave the client says
            // it all.
            Flow::Segment(segment) if segment.acknowledges() && self.may_hold_cookie() => {
                F::tcp_offset(self.header)
                    .is_some_and(|offset| socket::has_cookie(net, device, &tuple, skb, offset))
            }
            Flow::Quoted(_) => socket.claims_quoted(),
            _ => false,
        }
    }

    /// Whether this host may have answered the client lately: its new connections are this host's, or
    /// were until just now.
    fn may_hold_cookie(&self) -> bool {
        let Some(here) = here::<F>(self.pool, &self.chain) else {
            return false;
        };
        let superseded = usize::from(here.age).checked_sub(1);
        let superseded = superseded.and_then(|at| self.pool.older.get(at));
        self.chain.fresh() == Some(here.server) || superseded.is_some_and(Older::is_recent)
    }
}

/// The owner that this host is.
fn here<F: Family>(pool: &Pool, chain: &Chain) -> Option<Link> {
    let mut links = chain.links().iter();
    links.find(|link| is_me::<F>(pool, link.server)).copied()
}

fn is_me<F: Family>(pool: &Pool, id: ServerId) -> bool {
    F::hop(pool, id).is_some_and(|hop| hop.way() == Way::Local)
}

/// A connection that begins, and is to be noted: fragments go to the oldest owner all the same.
fn opens(flow: &Flow) -> bool {
    matches!(flow, Flow::Segment(segment) if segment.opens()) && !flow.is_fragment()
}
