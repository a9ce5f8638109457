// SPDX-License-Identifier: GPL-2.0

//! Packets just received: those for a ghost go to the owner of their client, which may be this
//! host.

use super::{
    decide::{decide, Decision},
    family::Family,
    forward,
    moved::{Moved, Origin},
};
use crate::{
    ffi::{
        hook::{Hook, Place, Point},
        rcu::Reader,
        route,
        skb::{IcmpError, Reason, Skb, Verdict},
    },
    state::{config::Config, hop::Way, pool::Pool, table::Start, Namespace},
    uapi::{Counter, Mode, Policy},
};
use core::marker::PhantomData;

pub(super) struct PreRouting<F>(PhantomData<F>);

impl<F: Family> Hook for PreRouting<F> {
    type State = Namespace;
    type Protocol = F;

    const POINT: Point = Point::PreRouting;

    // After chains at raw before defragmentation's own -500, so that ghost traffic can be
    // filtered there; before defragmentation (-400) and connection tracking (-200).
    const PRIORITY: i32 = -460;

    #[inline]
    fn run(namespace: &Namespace, place: Place<'_>, skb: Skb<F>) -> Verdict {
        let Some(config) = namespace.config(place.reader()) else {
            return skb.accept();
        };
        match F::glance(config, skb.linear()) {
            Some(start) => receive(namespace, place, config, start, skb),
            None => skb.accept(),
        }
    }
}

/// What may be for a ghost. Apart: all other packets need neither its registers nor its stack.
#[inline(never)]
fn receive<F: Family>(
    namespace: &Namespace,
    place: Place<'_>,
    config: &Config,
    start: Start,
    skb: Skb<F>,
) -> Verdict {
    let Some((header, pool)) = F::read(config, start, skb.linear()) else {
        return skb.accept();
    };
    let skb = match F::guard_in(namespace, place, config, &header, skb) {
        Ok(verdict) => return verdict,
        Err(skb) => skb,
    };
    let Some(pool) = pool else {
        return skb.accept();
    };
    let traits = skb.traits();
    if traits.is_bridged() || traits.is_on_loopback() || traits.is_on_master() {
        return skb.accept();
    }
    namespace.count(Counter::Seen);
    if !namespace.is_enabled() {
        return drop(namespace, skb, Counter::DropDisabled, Reason::FILTER);
    }
    let packet = Packet {
        header,
        shared: !traits.is_to_host(),
    };
    if packet.shared && pool.wanted().mode != Mode::Broadcast {
        return leave::<F>(namespace, pool, packet, skb);
    }
    dispatch::<F>(namespace, place, pool, packet, skb)
}

/// A packet for a ghost, and how it came. By value to functions of their own: a reference would have
/// it written to memory for all packets.
struct Packet<F: Family> {
    header: F::Header,
    /// In a frame to several hosts.
    shared: bool,
}

/// From header to verdict.
#[inline]
fn dispatch<F: Family>(
    namespace: &Namespace,
    place: Place<'_>,
    pool: &Pool,
    packet: Packet<F>,
    mut skb: Skb<F>,
) -> Verdict {
    let header = &packet.header;
    let owned = match decide::<F>(pool, header, &mut skb) {
        Decision::Owned(owned) => owned,
        Decision::Moved(client) => {
            return moved::<F>(namespace, place, pool, packet, &client, skb);
        }
        Decision::Nobody => return refuse::<F>(namespace, pool, *header, skb),
        Decision::NotOurs(_) => return leave::<F>(namespace, pool, packet, skb),
        Decision::Malformed => return drop(namespace, skb, Counter::DropMalformed, Reason::HEADER),
        Decision::NoMemory => {
            return drop(namespace, skb, Counter::DropNoMemory, Reason::NO_MEMORY)
        }
    };
    let bytes = skb.len();
    let (verdict, counter) = match owned.hop.way() {
        Way::Local => keep::<F>(namespace, packet, skb),
        Way::Link(_) | Way::None if pool.wanted().mode == Mode::Broadcast => {
            (skb.drop(Reason::FILTER), Counter::DropNotOwner)
        }
        Way::Link(_) if pool.asks_peers() && from_peer(namespace, place.reader(), &skb) => {
            (skb.drop(Reason::FILTER), Counter::DropMisdirected)
        }
        Way::Link(ifindex) => {
            forward::send::<F>(namespace, place.reader(), header, owned.hop, ifindex, skb)
        }
        Way::None => (skb.drop(Reason::NO_ROUTE), Counter::DropUnreachable),
    };
    namespace.count(counter);
    if matches!(counter, Counter::Handed | Counter::Local) {
        owned.count(namespace, pool, bytes);
    }
    verdict
}

/// What becomes of the packet of a client that has more than one owner.
#[inline(never)]
fn moved<F: Family>(
    namespace: &Namespace,
    place: Place<'_>,
    pool: &Pool,
    packet: Packet<F>,
    client: &Moved,
    mut skb: Skb<F>,
) -> Verdict {
    let (header, reader) = (&packet.header, place.reader());
    let Some(device) = place.input() else {
        return leave::<F>(namespace, pool, packet, skb);
    };
    let origin = Origin::Link {
        device: &device,
        from_peer: pool.asks_peers() && from_peer(namespace, reader, &skb),
    };
    let owned = match client.owned::<F>(namespace, pool, header, origin, &mut skb) {
        Ok(owned) => owned,
        Err(Counter::DropNoServer) => return refuse::<F>(namespace, pool, *header, skb),
        Err(counter) => {
            let reason = match counter {
                Counter::DropNoMemory => Reason::NO_MEMORY,
                _ => Reason::FILTER,
            };
            return drop(namespace, skb, counter, reason);
        }
    };
    let bytes = skb.len();
    let (verdict, counter) = match owned.hop.way() {
        Way::Local => keep::<F>(namespace, packet, skb),
        Way::Link(ifindex) => {
            forward::send::<F>(namespace, reader, header, owned.hop, ifindex, skb)
        }
        Way::None => (skb.drop(Reason::NO_ROUTE), Counter::DropUnreachable),
    };
    namespace.count(counter);
    if matches!(counter, Counter::Handed | Counter::Local) {
        owned.count(namespace, pool, bytes);
    }
    verdict
}

/// This host is the owner. The stack takes no TCP segment from a frame to several hosts, and
/// answers none with an ICMP error: there the frame is declared one to this host alone.
fn keep<F: Family>(
    namespace: &Namespace,
    packet: Packet<F>,
    mut skb: Skb<F>,
) -> (Verdict, Counter) {
    if !route::is_local::<F>(namespace.net(), F::destination(&packet.header)) {
        return (skb.drop(Reason::FILTER), Counter::DropNotLocal);
    }
    if packet.shared {
        skb.set_to_host();
    }
    (skb.accept(), Counter::Local)
}

/// Has another server already sent the packet on? Then it takes this host for the owner, by
/// another function than ours. Sent on again it could go round and round; and kept, be answered by
/// a reset. The client tries again.
pub(super) fn from_peer<F: Family>(
    namespace: &Namespace,
    reader: Reader<'_>,
    skb: &Skb<F>,
) -> bool {
    skb.link_source()
        .is_some_and(|mac| namespace.is_peer(mac, reader))
}

/// Not a packet to dispatch: the stack's, but only if the ghost is this host's own. Else the
/// stack would route it, back to where it came from, and send a redirect for the ghost. Nor if all
/// servers have got it: all of them would answer.
#[cold]
fn leave<F: Family>(namespace: &Namespace, pool: &Pool, packet: Packet<F>, skb: Skb<F>) -> Verdict {
    let to_all = packet.shared && pool.wanted().mode == Mode::Broadcast;
    if !to_all && route::is_local::<F>(namespace.net(), F::destination(&packet.header)) {
        namespace.count(Counter::Local);
        return skb.accept();
    }
    drop(namespace, skb, Counter::DropNotDispatched, Reason::FILTER)
}

/// Nobody lives: the pool's policy.
#[cold]
fn refuse<F: Family>(
    namespace: &Namespace,
    pool: &Pool,
    header: F::Header,
    mut skb: Skb<F>,
) -> Verdict {
    if pool.wanted().policy == Policy::Reject {
        skb.answer(
            namespace.net(),
            F::source(&header),
            IcmpError::HostUnreachable,
        );
    }
    drop(namespace, skb, Counter::DropNoServer, Reason::FILTER)
}

#[cold]
fn drop<F: Family>(
    namespace: &Namespace,
    skb: Skb<F>,
    counter: Counter,
    reason: Reason,
) -> Verdict {
    namespace.count(counter);
    skb.drop(reason)
}
