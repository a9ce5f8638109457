// SPDX-License-Identifier: GPL-2.0

//! What becomes of a packet whose client's owners differ, by each way of telling connections apart.
//!
//! New connections begin with the fresh owner, existing ones stay where they began. Other than in
//! steady state that takes more than an address, and each way has its own means: the servers' own
//! sockets ([`broadcast`], [`chance`]) or a dispatcher's records ([`track`]). Everything that is not
//! TCP stays with the oldest owner until that function is retired.

use super::chain::{Chain, Link};
use super::flow::Flow;
use super::function::Owner;
use super::server::ServerId;

/// What a host does with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// It is this host's, by the function that the link names.
    Keep(Link),
    /// It goes to a server.
    Send {
        /// The server, and the function that names it.
        link: Link,
        /// Because it is not this host's, who was asked first.
        passed: bool,
    },
    /// It may be this host's, but no socket says so.
    Unclaimed,
    /// It is another host's, who has it too.
    NotOwner,
    /// Another server takes this host for an owner, and it is none.
    Misdirected,
    /// Nobody lives.
    Nobody,
}

/// Mode `broadcast`: all servers have the packet.
///
/// `is_me` tells this host's ids, `claims` whether one of its sockets is the packet's.
#[inline]
pub fn broadcast(
    chain: &Chain,
    flow: &Flow,
    is_me: impl Fn(ServerId) -> bool,
    claims: impl FnOnce() -> bool,
) -> Course {
    if chain.links().is_empty() {
        return Course::Nobody;
    }
    let Some((_, me)) = find(chain, &is_me) else {
        return Course::NotOwner;
    };
    let goes_to = |owner: Option<ServerId>| match owner {
        Some(owner) if is_me(owner) => Course::Keep(link(chain, owner)),
        Some(_) => Course::NotOwner,
        None => Course::Nobody,
    };
    match flow {
        _ if !chain.is_moved() => Course::Keep(me),
        Flow::Segment(segment) if segment.opens() => goes_to(chain.fresh()),
        Flow::Segment(_) | Flow::Quoted(_) => {
            if claims() {
                Course::Keep(me)
            } else {
                Course::Unclaimed
            }
        }
        // Of use to him only who has the first one.
        Flow::LaterFragment => Course::Keep(me),
        Flow::Other => goes_to(chain.oldest()),
    }
}

/// Mode `peer`, and mode `router` with method `chance`: one host has the packet, and passes it on
/// from owner to owner until one claims it. What nobody claims is dropped by the last: it may be the
/// last by its functions only, while the host that sent the packet on has been told of a newer one.
///
/// `is_member` is whether this host is one of the pool's servers. `from_peer` is whether another of
/// them sent the packet on, and `sent_by` whether it was this one: it is not asked again.
#[inline]
pub fn chance(
    chain: &Chain,
    flow: &Flow,
    is_me: impl Fn(ServerId) -> bool,
    is_member: bool,
    from_peer: bool,
    sent_by: impl Fn(ServerId) -> bool,
    claims: impl FnOnce() -> bool,
) -> Course {
    let me = find(chain, &is_me).filter(|_| is_member);
    let sent = from_peer && is_member;
    let goes_to = |owner: Option<ServerId>| match (owner, me) {
        (None, _) => Course::Nobody,
        (Some(owner), Some(_)) if is_me(owner) => Course::Keep(link(chain, owner)),
        // Who sent it meant this host, by a function that this one has too, or had.
        (Some(_), Some((_, me))) if sent => Course::Keep(me),
        (Some(_), None) if sent => Course::Misdirected,
        (Some(owner), _) => send(link(chain, owner), false),
    };
    match flow {
        _ if !flow.is_whole() => goes_to(chain.oldest()),
        Flow::Segment(segment) if segment.opens() => goes_to(chain.fresh()),
        _ => match me {
            Some((_, me)) if !chain.is_moved() || claims() => Course::Keep(me),
            Some((at, _)) if sent || at == 0 => {
                let mut rest = chain.links().iter().skip(at.saturating_add(1));
                rest.find(|next| !(sent && sent_by(next.server)))
                    .map_or(Course::Unclaimed, |&next| send(next, true))
            }
            None if sent && !chain.links().is_empty() => Course::Misdirected,
            _ => chain
                .links()
                .first()
                .map_or(Course::Nobody, |&first| send(first, false)),
        },
    }
}

/// Mode `router` with method `track`. It asks for no more than the owners at both ends of a chain, and
/// for what this host has `noted` for the connection: with a SYN the one noted now, none if there was
/// no room for it or nobody is live.
#[inline]
pub fn track(newest: Owner, oldest: Link, flow: &Flow, noted: Option<Link>) -> Course {
    match (noted, flow) {
        (Some(link), _) if flow.is_whole() => send(link, false),
        (_, Flow::Segment(segment)) if segment.opens() && newest == Owner::None => Course::Nobody,
        _ => send(oldest, false),
    }
}

/// The newest link that is this host's, and where in the chain it is.
#[inline]
fn find(chain: &Chain, is_me: impl Fn(ServerId) -> bool) -> Option<(usize, Link)> {
    let mut links = chain.links().iter().copied().enumerate();
    links.find(|(_, link)| is_me(link.server))
}

/// The link of one of the chain's owners.
#[inline]
fn link(chain: &Chain, server: ServerId) -> Link {
    let mut links = chain.links().iter().copied();
    links
        .find(|link| link.server == server)
        .unwrap_or(Link { server, age: 0 })
}

#[inline]
const fn send(link: Link, passed: bool) -> Course {
    Course::Send { link, passed }
}
