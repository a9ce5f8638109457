// SPDX-License-Identifier: GPL-2.0

//! Packets of this host's own processes: those for a ghost that is elsewhere go to the owner of
//! their client, which is this host.

use super::{
    decide::{decide, Decision},
    family::Family,
    moved::{Moved, Origin},
};
use crate::{
    ffi::{
        errno::{EHOSTUNREACH, EINVAL, ENOMEM, EPERM},
        hook::{Hook, Place, Point},
        link::Device,
        route::Route,
        skb::{IcmpError, Skb, Verdict},
    },
    state::{
        hop::{Hop, Way},
        pool::Pool,
        Namespace,
    },
    uapi::{Counter, Mode, Policy},
};
use core::marker::PhantomData;
use kernel::prelude::*;

pub(super) struct LocalOut<F>(PhantomData<F>);

impl<F: Family> Hook for LocalOut<F> {
    type State = Namespace;
    type Protocol = F;

    const POINT: Point = Point::LocalOut;

    // The last: whatever changes destination or route has its say before.
    const PRIORITY: i32 = i32::MAX;

    #[inline]
    fn run(namespace: &Namespace, place: Place<'_>, skb: Skb<F>) -> Verdict {
        let Some(config) = namespace.config(place.reader()) else {
            return skb.accept();
        };
        let Some((header, pool)) = F::find(config, skb.linear()) else {
            return skb.accept();
        };
        let skb = match F::guard_out(namespace, place, config, &header, skb) {
            Ok(verdict) => return verdict,
            Err(skb) => skb,
        };
        match pool {
            Some(pool) if is_for_us::<F>(pool, place, &skb) => {
                dispatch::<F>(namespace, pool, &header, skb)
            }
            _ => skb.accept(),
        }
    }
}

/// Leaves alone what is routed by way of a server: whoever made that route wants that server, to
/// probe it for example.
fn is_for_us<F: Family>(pool: &Pool, place: Place<'_>, skb: &Skb<F>) -> bool {
    pool.wanted().mode != Mode::Broadcast
        && leaves(place, skb)
        && skb
            .gateway()
            .is_none_or(|gateway| !F::has_server(pool, gateway))
}

/// Is this the last time that the packet is shown, and does it leave this host? In a VRF it is shown
/// on the VRF's device first; and what stays in a VRF only there. What IPsec is to transform is
/// shown again afterwards.
fn leaves<F: Family>(place: Place<'_>, skb: &Skb<F>) -> bool {
    let inward = |device: Device<'_>| device.is_loopback() || device.is_master();
    !place.output().is_none_or(inward) && !skb.is_to_be_transformed()
}

/// From header to verdict. The stack sends the packet: only its route is another, one that
/// resolves the owner and not the ghost.
fn dispatch<F: Family>(
    namespace: &Namespace,
    pool: &Pool,
    header: &F::Header,
    mut skb: Skb<F>,
) -> Verdict {
    namespace.count(Counter::Seen);
    if !namespace.is_enabled() {
        return refuse(namespace, skb, Counter::DropDisabled, EPERM);
    }
    let owned = match decide::<F>(pool, header, &mut skb) {
        Decision::Owned(owned) => owned,
        Decision::Moved(client) => return moved::<F>(namespace, pool, header, &client, skb),
        Decision::Nobody => return nobody::<F>(namespace, pool, header, skb),
        Decision::NotOurs(_) => return refuse(namespace, skb, Counter::DropNotDispatched, EPERM),
        Decision::Malformed => return refuse(namespace, skb, Counter::DropMalformed, EINVAL),
        Decision::NoMemory => return refuse(namespace, skb, Counter::DropNoMemory, ENOMEM),
    };
    match route::<F>(namespace, owned.hop) {
        Ok(route) => {
            namespace.count(Counter::Handed);
            owned.count(namespace, pool, skb.len());
            skb.reroute(route)
        }
        Err(counter) => refuse(namespace, skb, counter, EHOSTUNREACH),
    }
}

/// The same for a client that has more than one owner.
#[cold]
fn moved<F: Family>(
    namespace: &Namespace,
    pool: &Pool,
    header: &F::Header,
    client: &Moved,
    mut skb: Skb<F>,
) -> Verdict {
    let owned = match client.owned::<F>(namespace, pool, header, Origin::Here, &mut skb) {
        Ok(owned) => owned,
        Err(Counter::DropNoMemory) => return refuse(namespace, skb, Counter::DropNoMemory, ENOMEM),
        Err(_) => return nobody::<F>(namespace, pool, header, skb),
    };
    match route::<F>(namespace, owned.hop) {
        Ok(route) => {
            namespace.count(Counter::Handed);
            owned.count(namespace, pool, skb.len());
            skb.reroute(route)
        }
        Err(counter) => refuse(namespace, skb, counter, EHOSTUNREACH),
    }
}

/// A route to the server, or the counter for why there is none.
fn route<F: Family>(namespace: &Namespace, hop: &Hop<F::Address>) -> Result<Route<F>, Counter> {
    match (hop.way(), hop.address) {
        (Way::Link(ifindex), Some(server)) => {
            Route::<F>::via(namespace.net(), server, ifindex).ok_or(Counter::DropNoRoute)
        }
        // The ghost is not local, or the packet would stay here.
        (Way::Local, _) => Err(Counter::DropNotLocal),
        _ => Err(Counter::DropUnreachable),
    }
}

/// Nobody lives: the pool's policy.
fn nobody<F: Family>(
    namespace: &Namespace,
    pool: &Pool,
    header: &F::Header,
    mut skb: Skb<F>,
) -> Verdict {
    if pool.wanted().policy == Policy::Drop {
        return refuse(namespace, skb, Counter::DropNoServer, EPERM);
    }
    let source = F::source(header);
    skb.answer(namespace.net(), source, IcmpError::HostUnreachable);
    refuse(namespace, skb, Counter::DropNoServer, EHOSTUNREACH)
}

/// Drops the packet and lets its sender know.
fn refuse<F: Family>(namespace: &Namespace, skb: Skb<F>, counter: Counter, errno: u32) -> Verdict {
    namespace.count(counter);
    skb.refuse(errno)
}
