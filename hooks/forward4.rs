// SPDX-License-Identifier: GPL-2.0

//! Sends an IPv4 packet on to a server on the link, untouched but for its TTL.

use crate::{
    dispatch::ipv4::Header,
    ffi::{
        neigh::Neighbour,
        rcu::Reader,
        route::{Device, Route},
        skb::{IcmpError, Reason, Skb, Verdict},
    },
    state::Namespace,
    uapi::Counter,
};

/// Where a server is.
pub(super) struct Server {
    /// Primary address.
    pub(super) address: [u8; 4],
    /// The device whose link it is on.
    pub(super) ifindex: u32,
}

/// Sends the packet, and names the counter for what became of it.
///
/// The fast path is for a known neighbour and a packet that fits. Everything else is left to
/// the stack's own output, at the price of a route: resolving with its queue and its host
/// unreachable, and fragmenting.
#[inline]
pub(super) fn send(
    namespace: &Namespace,
    reader: Reader<'_>,
    header: &Header,
    server: &Server,
    skb: Skb,
) -> (Verdict, Counter) {
    let Some(device) = Device::find(namespace.net(), server.ifindex, reader) else {
        return (skb.drop(Reason::NO_ROUTE), Counter::DropUnreachable);
    };
    if skb.is_lro() {
        return (skb.drop(Reason::FILTER), Counter::DropLro);
    }
    if header.ttl <= 1 {
        return answer(
            namespace,
            header,
            skb,
            IcmpError::TimeExceeded,
            Counter::DropTtl,
        );
    }
    let neighbour = Neighbour::find(&device, server.address, reader);
    if neighbour
        .as_ref()
        .is_some_and(|neighbour| neighbour.sent(&skb))
    {
        return (skb.drop(Reason::FILTER), Counter::DropBounced);
    }
    match neighbour {
        Some(neighbour) if skb.fits(device.mtu()) => match skb.make_writable(&device) {
            Ok(skb) => (skb.send_to(&device, &neighbour), Counter::Handed),
            Err(skb) => (skb.drop(Reason::NO_MEMORY), Counter::DropNoMemory),
        },
        _ => send_slowly(namespace, header, server, &device, skb),
    }
}

#[cold]
fn send_slowly(
    namespace: &Namespace,
    header: &Header,
    server: &Server,
    device: &Device<'_>,
    skb: Skb,
) -> (Verdict, Counter) {
    let Some(route) = Route::via(namespace.net(), server.address, server.ifindex) else {
        return (skb.drop(Reason::NO_ROUTE), Counter::DropNoRoute);
    };
    let mtu = route.mtu();
    if header.dont_fragment && !skb.fits(mtu) {
        let error = IcmpError::FragmentationNeeded(mtu);
        return answer(namespace, header, skb, error, Counter::DropTooBig);
    }
    match skb.make_writable(device) {
        Ok(skb) => {
            namespace.count(Counter::Slow);
            (skb.send_through(namespace.net(), route), Counter::Handed)
        }
        Err(skb) => (skb.drop(Reason::NO_MEMORY), Counter::DropNoMemory),
    }
}

/// Drops the packet and tells its sender why.
#[cold]
fn answer(
    namespace: &Namespace,
    header: &Header,
    mut skb: Skb,
    error: IcmpError,
    counter: Counter,
) -> (Verdict, Counter) {
    if let Some(back) = Route::to(namespace.net(), header.source) {
        skb.answer(back, error);
    }
    let reason = match error {
        IcmpError::FragmentationNeeded(_) => Reason::TOO_BIG,
        IcmpError::TimeExceeded => Reason::HEADER,
        IcmpError::HostUnreachable => Reason::NO_ROUTE,
    };
    (skb.drop(reason), counter)
}
