// SPDX-License-Identifier: GPL-2.0

//! Packets of this host's own processes: those for a ghost that is elsewhere go to the owner of
//! their client, which is this host.

use super::family::Family;
use crate::{
    dispatch::{client::Client, function::Owner},
    ffi::{
        hook::{Hook, Point},
        rcu::Reader,
        route::Route,
        skb::{Skb, Verdict},
    },
    state::{hop::Way, pool::Pool, Namespace},
    uapi::{Counter, Mode},
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
    fn run(namespace: &Namespace, reader: Reader<'_>, skb: Skb<F>) -> Verdict {
        let Some(config) = namespace.config(reader) else {
            return skb.accept();
        };
        let Some(header) = F::parse(skb.linear()) else {
            return skb.accept();
        };
        let pool = F::pool(config, F::destination(&header));
        let skb = match F::guard_out(namespace, reader, config, &header, skb) {
            Ok(verdict) => return verdict,
            Err(skb) => skb,
        };
        match pool {
            Some(pool) if pool.wanted.mode != Mode::Broadcast && !skb.stays_here() => {
                dispatch::<F>(namespace, pool, &header, skb)
            }
            _ => skb.accept(),
        }
    }
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
    if F::needs_more(header) && skb.pull(F::CLIENT_BYTES as u32).is_err() {
        return refuse(namespace, skb, Counter::DropNoMemory, ENOMEM);
    }
    let client = match F::client(header, skb.linear(), F::destination(header)) {
        Client::Is(client) => client,
        Client::NotOurs(_) => return refuse(namespace, skb, Counter::DropNotDispatched, EPERM),
        Client::Malformed => return refuse(namespace, skb, Counter::DropMalformed, EINVAL),
    };
    let owner = pool.owner(client);
    let Some((id, hop)) = owner.server().and_then(|id| Some((id, F::hop(pool, id)?))) else {
        return refuse(namespace, skb, Counter::DropNoServer, EHOSTUNREACH);
    };
    let route = match (hop.way(), hop.address) {
        (Way::Link(ifindex), Some(server)) => Route::<F>::via(namespace.net(), server, ifindex),
        // The ghost is not local, or the packet would stay here.
        (Way::Local, _) => return refuse(namespace, skb, Counter::DropNotLocal, EHOSTUNREACH),
        _ => return refuse(namespace, skb, Counter::DropUnreachable, EHOSTUNREACH),
    };
    let Some(route) = route else {
        return refuse(namespace, skb, Counter::DropNoRoute, EHOSTUNREACH);
    };
    namespace.count(Counter::Handed);
    pool.count(id, skb.len());
    if matches!(owner, Owner::Draining(_)) {
        namespace.count(Counter::Draining);
    }
    skb.reroute(route)
}

/// Drops the packet and lets its sender know.
fn refuse<F: Family>(
    namespace: &Namespace,
    skb: Skb<F>,
    counter: Counter,
    error: Error,
) -> Verdict {
    namespace.count(counter);
    skb.refuse(error)
}
