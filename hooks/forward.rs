// SPDX-License-Identifier: GPL-2.0

//! Sends a packet on to a server on the link, untouched but for its TTL or hop limit.

use super::family::Family;
use crate::{
    ffi::{
        link::Device,
        neigh::Neighbour,
        rcu::Reader,
        route::Route,
        skb::{IcmpError, Reason, Skb, Verdict},
    },
    state::{hop::Hop, Namespace},
    uapi::Counter,
};

/// Sends the packet to the server of `hop`, on the link of `ifindex`, and names the counter for
/// what became of it.
#[inline(always)]
pub(super) fn send<F: Family>(
    namespace: &Namespace,
    reader: Reader<'_>,
    header: &F::Header,
    hop: &Hop<F::Address>,
    ifindex: u32,
    skb: Skb<F>,
) -> (Verdict, Counter) {
    match send_fast::<F>(namespace, reader, header, hop, ifindex, skb) {
        Ok(verdict) => (verdict, Counter::Handed),
        Err(skb) => send_otherwise::<F>(namespace, reader, *header, hop, ifindex, skb),
    }
}

/// The fast path: for a known neighbour and a packet that fits. Gives back all others.
#[inline(always)]
pub(super) fn send_fast<F: Family>(
    namespace: &Namespace,
    reader: Reader<'_>,
    header: &F::Header,
    hop: &Hop<F::Address>,
    ifindex: u32,
    skb: Skb<F>,
) -> Result<Verdict, Skb<F>> {
    let (Some(server), Some(device)) =
        (hop.address, Device::find(namespace.net(), ifindex, reader))
    else {
        return Err(skb);
    };
    if skb.is_lro() || F::lives(header) <= 1 {
        return Err(skb);
    }
    match Neighbour::find::<F>(&device, server, reader) {
        Some(neighbour) if !neighbour.sent(&skb) && skb.fits(device.mtu()) => {
            let skb = skb.make_writable(&device)?;
            Ok(skb.send_to(&device, &neighbour))
        }
        _ => Err(skb),
    }
}

/// What the fast path has given back, for whichever reason: to tell which costs others nothing
/// here. What is to be sent on all the same is left to the stack's own output, at the price of a
/// route: resolving with its queue and its host unreachable, and fragmenting.
#[cold]
fn send_otherwise<F: Family>(
    namespace: &Namespace,
    reader: Reader<'_>,
    header: F::Header,
    hop: &Hop<F::Address>,
    ifindex: u32,
    skb: Skb<F>,
) -> (Verdict, Counter) {
    let (Some(server), Some(device)) =
        (hop.address, Device::find(namespace.net(), ifindex, reader))
    else {
        return (skb.drop(Reason::NO_ROUTE), Counter::DropUnreachable);
    };
    if skb.is_lro() {
        return (skb.drop(Reason::FILTER), Counter::DropLro);
    }
    if F::lives(&header) <= 1 {
        let error = IcmpError::TimeExceeded;
        return answer::<F>(namespace, header, skb, error, Counter::DropTtl);
    }
    let neighbour = Neighbour::find::<F>(&device, server, reader);
    if neighbour.is_some_and(|neighbour| neighbour.sent(&skb)) {
        return (skb.drop(Reason::FILTER), Counter::DropBounced);
    }
    let Some(route) = Route::<F>::via(namespace.net(), server, device.index()) else {
        return (skb.drop(Reason::NO_ROUTE), Counter::DropNoRoute);
    };
    let mtu = route.mtu();
    if !F::may_be_cut(&header) && !skb.fits(mtu) {
        let error = IcmpError::TooBig(mtu);
        return answer::<F>(namespace, header, skb, error, Counter::DropTooBig);
    }
    match skb.make_writable(&device) {
        Ok(skb) => {
            namespace.count(Counter::Slow);
            (skb.send_through(namespace.net(), route), Counter::Handed)
        }
        Err(skb) => (skb.drop(Reason::NO_MEMORY), Counter::DropNoMemory),
    }
}

/// Drops the packet and tells its sender why.
#[cold]
fn answer<F: Family>(
    namespace: &Namespace,
    header: F::Header,
    mut skb: Skb<F>,
    error: IcmpError,
    counter: Counter,
) -> (Verdict, Counter) {
    skb.answer(namespace.net(), F::source(&header), error);
    let reason = match error {
        IcmpError::TooBig(_) => Reason::TOO_BIG,
        IcmpError::TimeExceeded => Reason::HEADER,
        IcmpError::HostUnreachable => Reason::NO_ROUTE,
    };
    (skb.drop(reason), counter)
}
