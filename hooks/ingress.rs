// SPDX-License-Identifier: GPL-2.0

//! Frames of a device that the configuration names: what can be done with one before the stack has
//! spent anything on it. In mode broadcast what other servers own ends here; in modes router and
//! peer what needs nothing of the stack is sent on from here.
//!
//! Only a short cut: [`super::pre_routing`] decides on all that is let through, and counts it. So
//! the verdict is the same with it, without it, or under a VLAN, bond or bridge that hides it.

use super::{
    decide::{decide, Decision},
    family::Family,
    forward,
    pre_routing::from_peer,
};
use crate::{
    dispatch::client::NotOurs,
    ffi::{
        hook::{Frame, Hook, Place, Point},
        ip::{V4, V6},
        rcu::Reader,
        skb::{FrameTraits, Reason, Skb, Verdict},
    },
    state::{config::Config, hop::Way, pool::Pool, Namespace},
    uapi::{Counter, Mode},
};

pub(super) enum Ingress {}

impl Hook for Ingress {
    type State = Namespace;
    type Protocol = Frame;

    const POINT: Point = Point::Ingress;

    // After chains of nftables, which come at 0 and below.
    const PRIORITY: i32 = 100;

    #[inline]
    fn run(namespace: &Namespace, place: Place<'_>, skb: Skb<Frame>) -> Verdict {
        let Some(config) = namespace.config(place.reader()) else {
            return skb.accept();
        };
        let frame = skb.frame();
        if frame.is_passing() {
            skb.accept()
        } else if frame.is_ipv4() {
            receive::<V4>(namespace, place.reader(), config, frame, skb.into_packet())
        } else if frame.is_ipv6() {
            receive::<V6>(namespace, place.reader(), config, frame, skb.into_packet())
        } else {
            skb.accept()
        }
    }
}

#[inline]
fn receive<F: Family>(
    namespace: &Namespace,
    reader: Reader<'_>,
    config: &Config,
    frame: FrameTraits,
    mut skb: Skb<F>,
) -> Verdict {
    // The stack has not pulled anything yet.
    if skb.linear().len() < 40 && skb.pull(40).is_err() {
        return skb.accept();
    }
    let Some((header, Some(pool))) = F::find(config, skb.linear()) else {
        return skb.accept();
    };
    if pool.wanted().mode == Mode::Broadcast {
        filter::<F>(namespace, pool, header, skb)
    } else if frame.is_to_host() && !F::needs_more(&header) {
        pass_on::<F>(namespace, reader, pool, &header, skb)
    } else {
        skb.accept()
    }
}

/// Mode broadcast.
#[inline(never)]
fn filter<F: Family>(
    namespace: &Namespace,
    pool: &Pool,
    header: F::Header,
    mut skb: Skb<F>,
) -> Verdict {
    match decide::<F>(pool, &header, &mut skb) {
        // Not a packet that is dispatched, so not one that `enabled` stops.
        Decision::NotOurs(NotOurs::Neighbour) => keep(skb),
        _ if !namespace.is_enabled() => drop(namespace, skb, Counter::DropDisabled),
        Decision::Owned(owned) => match owned.hop.way() {
            Way::Link(_) | Way::None => drop(namespace, skb, Counter::DropNotOwner),
            Way::Local => keep(skb),
        },
        // What may be this host's.
        Decision::Moved(client) => {
            if client.is_here::<F>(pool) {
                keep(skb)
            } else {
                drop(namespace, skb, Counter::DropNotOwner)
            }
        }
        _ => skb.accept(),
    }
}

/// Modes router and peer: sends on what needs no more than that, of what the stack would let
/// through to PRE_ROUTING just so.
#[inline(always)]
fn pass_on<F: Family>(
    namespace: &Namespace,
    reader: Reader<'_>,
    pool: &Pool,
    header: &F::Header,
    mut skb: Skb<F>,
) -> Verdict {
    // The stack would trim it, too.
    let length = F::sound_length(skb.linear());
    if !namespace.is_enabled() || length.is_none_or(|length| skb.trim(length).is_err()) {
        return skb.accept();
    }
    let Decision::Owned(owned) = decide::<F>(pool, header, &mut skb) else {
        return skb.accept();
    };
    let Way::Link(ifindex) = owned.hop.way() else {
        return skb.accept();
    };
    if pool.asks_peers() && from_peer(namespace, reader, &skb) {
        return skb.accept();
    }
    let bytes = skb.len();
    match forward::send_fast::<F>(namespace, reader, header, owned.hop, ifindex, skb) {
        Ok(verdict) => {
            namespace.count_handed();
            owned.count(namespace, pool, bytes);
            verdict
        }
        Err(skb) => skb.accept(),
    }
}

/// Lets a packet that is this host's through. IPv6 may test before PRE_ROUTING already whether the
/// frame was to this host alone (`drop_unicast_in_l2_multicast`).
#[inline]
fn keep<F: Family>(mut skb: Skb<F>) -> Verdict {
    skb.set_to_host();
    skb.accept()
}

#[inline]
fn drop<F: Family>(namespace: &Namespace, skb: Skb<F>, counter: Counter) -> Verdict {
    namespace.count(Counter::Seen);
    namespace.count(counter);
    skb.drop(Reason::FILTER)
}
