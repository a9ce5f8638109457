// SPDX-License-Identifier: GPL-2.0

//! IPv4 packets just received: those for a ghost go to the owner of their client.

use super::forward4;
use crate::{
    dispatch::{
        function::Owner,
        ipv4::{self, Client, Header},
    },
    ffi::{
        hook::{Hook, Point},
        rcu::Reader,
        route::{self, Route},
        skb::{IcmpError, Reason, Skb, Verdict},
    },
    state::{hop::Way, pool::Pool, Namespace},
    uapi::{Counter, Policy},
};

const ICMP: u8 = 1;

pub(super) struct PreRouting4;

impl Hook for PreRouting4 {
    type State = Namespace;

    const POINT: Point = Point::PreRouting4;

    // After chains at raw before defragmentation's own -500, so that ghost traffic can be
    // filtered there; before defragmentation (-400) and connection tracking (-200).
    const PRIORITY: i32 = -460;

    #[inline]
    fn run(namespace: &Namespace, reader: Reader<'_>, skb: Skb) -> Verdict {
        let Some(config) = namespace.config(reader) else {
            return skb.accept();
        };
        let Ok(header) = Header::parse(skb.linear()) else {
            return skb.accept();
        };
        let Some(pool) = config.pool_of_ghost(header.destination) else {
            return skb.accept();
        };
        let traits = skb.traits();
        if traits.is_passing_bridge() || traits.is_on_loopback() || traits.is_on_master() {
            return skb.accept();
        }
        namespace.count(Counter::Seen);
        if !namespace.is_enabled() {
            return drop(namespace, skb, Counter::DropDisabled, Reason::FILTER);
        }
        if !traits.is_to_host() {
            return leave(namespace, &header, skb);
        }
        dispatch(namespace, reader, pool, &header, skb)
    }
}

/// From header to verdict, for a packet to this host.
#[inline]
fn dispatch(
    namespace: &Namespace,
    reader: Reader<'_>,
    pool: &Pool,
    header: &Header,
    mut skb: Skb,
) -> Verdict {
    // Only ICMP is read beyond its header, and then in the first fragment only.
    if header.protocol == ICMP
        && header.fragment_offset == 0
        && skb.pull(ipv4::CLIENT_BYTES as u32).is_err()
    {
        return drop(namespace, skb, Counter::DropNoMemory, Reason::NO_MEMORY);
    }
    let client = match header.client(skb.linear(), header.destination) {
        Client::Is(client) => client,
        Client::NotOurs(_) => return leave(namespace, header, skb),
        Client::Malformed => return drop(namespace, skb, Counter::DropMalformed, Reason::HEADER),
    };
    let owner = pool.owner(client);
    let Some((id, hop)) = owner.server().and_then(|id| Some((id, pool.hop(id)?))) else {
        return refuse(namespace, pool, header, skb);
    };
    let bytes = skb.len();
    let (verdict, counter) = match hop.way() {
        Way::Link(ifindex) => {
            let server = forward4::Server {
                address: hop.address,
                ifindex,
            };
            forward4::send(namespace, reader, header, &server, skb)
        }
        Way::Local if route::is_local(namespace.net(), header.destination) => {
            (skb.accept(), Counter::Local)
        }
        Way::Local => (skb.drop(Reason::FILTER), Counter::DropNotLocal),
        Way::None => (skb.drop(Reason::NO_ROUTE), Counter::DropUnreachable),
    };
    namespace.count(counter);
    if matches!(counter, Counter::Handed | Counter::Local) {
        pool.count(id, bytes);
        if matches!(owner, Owner::Draining(_)) {
            namespace.count(Counter::Draining);
        }
    }
    verdict
}

/// Not a packet to dispatch: the stack's, but only if the ghost is this host's own. Else the
/// stack would route it, back to where it came from, and send a redirect for the ghost.
#[cold]
fn leave(namespace: &Namespace, header: &Header, skb: Skb) -> Verdict {
    if route::is_local(namespace.net(), header.destination) {
        namespace.count(Counter::Local);
        return skb.accept();
    }
    drop(namespace, skb, Counter::DropNotDispatched, Reason::FILTER)
}

/// Nobody lives: the pool's policy.
#[cold]
fn refuse(namespace: &Namespace, pool: &Pool, header: &Header, mut skb: Skb) -> Verdict {
    if pool.wanted.policy == Policy::Reject {
        if let Some(back) = Route::to(namespace.net(), header.source) {
            skb.answer(back, IcmpError::HostUnreachable);
        }
    }
    drop(namespace, skb, Counter::DropNoServer, Reason::FILTER)
}

#[cold]
fn drop(namespace: &Namespace, skb: Skb, counter: Counter, reason: Reason) -> Verdict {
    namespace.count(counter);
    skb.drop(reason)
}
