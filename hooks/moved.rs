// SPDX-License-Identifier: GPL-2.0

//! Packets of clients that have more than one owner: new connections go to the new owner, others stay
//! where they began. What [`super::pre_routing`] and [`super::local_out`] have in common.

use super::family::Family;
use crate::{
    dispatch::{
        addr::Address,
        claim,
        course::{self, Course},
        flow::Flow,
        server::ServerId,
        transition::{Chain, Link, Newest},
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

impl Moved {
    /// With all its owners, and the packet it is about, which begins with `header`.
    pub(super) fn case<'a, F: Family>(
        &self,
        namespace: &'a Namespace,
        pool: &'a Pool,
        header: &'a F::Header,
    ) -> Case<'a, F> {
        Case {
            namespace,
            pool,
            header,
            client: self.client,
            chain: pool.owners(&self.newest, self.other, self.client),
        }
    }
}

/// A packet of such a client.
pub(super) struct Case<'a, F: Family> {
    namespace: &'a Namespace,
    pool: &'a Pool,
    header: &'a F::Header,
    client: Address,
    chain: Chain,
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

/// What becomes of the packet.
pub(super) struct Destined {
    pub(super) course: Course,
    flow: Flow,
    /// Method track had no room for it.
    untracked: bool,
}

impl<F: Family> Case<'_, F> {
    /// Whether this host is one of the owners.
    pub(super) fn is_here(&self) -> bool {
        self.here().is_some()
    }

    /// What becomes of the packet; none if there is no memory to look.
    #[inline]
    pub(super) fn destined(&self, origin: Origin<'_>, skb: &mut Skb<F>) -> Option<Destined> {
        skb.pull(F::flow_bytes(self.header) as u32).ok()?;
        let flow = F::flow(self.header, skb.linear(), skb.len());
        let wanted = self.pool.wanted();
        let mut untracked = false;
        let course = match (wanted.mode, wanted.method) {
            (Mode::Router, Some(Method::Track) | None) => {
                let record = self.record(&flow);
                untracked = record.is_none() && opens(&flow);
                course::track(&self.chain, &flow, record)
            }
            (Mode::Broadcast, _) => {
                let claims = || self.claims(origin, &flow, skb);
                course::broadcast(&self.chain, &flow, |id| self.is_me(id), claims)
            }
            (Mode::Router | Mode::Peer, _) => self.by_chance(origin, &flow, skb),
        };
        Some(Destined {
            course,
            flow,
            untracked,
        })
    }

    fn by_chance(&self, origin: Origin<'_>, flow: &Flow, skb: &Skb<F>) -> Course {
        let (is_member, from_peer) = match origin {
            Origin::Link { from_peer, .. } => (self.pool.is_member(), from_peer),
            Origin::Here => (false, false),
        };
        let is_me = |id| self.is_me(id);
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

    /// Method track: the server that the connection is noted with, from now on if it begins.
    fn record(&self, flow: &Flow) -> Option<ServerId> {
        let tracked = self.pool.tracked.as_ref()?;
        let ghost = F::any(F::destination(self.header));
        let tag = tracked.tag(ghost, self.client, flow.ports()?);
        let is_live = |id| self.chain.names(id);
        match flow {
            Flow::Segment(segment) if opens(flow) => {
                let newest = self.chain.newest().server()?;
                let noted = tracked.note(tag, segment.seq, newest, is_live);
                // Without a record of its own it goes where what follows will be thought to belong.
                noted.or_else(|| tracked.find(tag, segment.seq.wrapping_add(1), is_live))
            }
            Flow::Segment(segment) => tracked.find(tag, segment.seq, is_live),
            _ => tracked.find_any(tag, is_live),
        }
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
        let Some(here) = self.here() else {
            return false;
        };
        let superseded = usize::from(here.age).checked_sub(1);
        let superseded = superseded.and_then(|at| self.pool.older.get(at));
        self.chain.fresh() == Some(here.server) || superseded.is_some_and(Older::is_recent)
    }

    /// The owner that this host is.
    fn here(&self) -> Option<Link> {
        let mut links = self.chain.links().iter();
        links.find(|link| self.is_me(link.server)).copied()
    }

    fn is_me(&self, id: ServerId) -> bool {
        F::hop(self.pool, id).is_some_and(|hop| hop.way() == Way::Local)
    }

    /// Counts a packet of `bytes` that was handed over or kept for the sake of this link.
    pub(super) fn count(&self, destined: &Destined, link: Link, bytes: u32) {
        self.pool.count(link.server, bytes);
        let Some(at) = usize::from(link.age).checked_sub(1) else {
            self.namespace.count(Counter::Newest);
            return;
        };
        self.namespace.count(Counter::Older);
        if let Course::Send { passed: true, .. } = destined.course {
            self.namespace.count(Counter::Passed);
        } else if let (Some(older), Some(ports)) = (self.pool.older.get(at), destined.flow.ports())
        {
            older.flows.mark(self.client, ports);
        }
        if destined.flow.is_fragment() {
            self.namespace.count(Counter::Fragments);
        }
        if destined.untracked {
            self.namespace.count(Counter::Untracked);
        }
    }
}

/// A connection that begins, and is to be noted: fragments go to the oldest owner all the same.
fn opens(flow: &Flow) -> bool {
    matches!(flow, Flow::Segment(segment) if segment.opens()) && !flow.is_fragment()
}
