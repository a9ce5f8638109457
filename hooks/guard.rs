// SPDX-License-Identifier: GPL-2.0

//! What the guards of ARP and ND have in common.

use crate::{
    ffi::skb::{Reason, Skb, Verdict},
    state::{pool::Pool, stance::Stance, Namespace},
    uapi::Counter,
};

/// What this host does, on one device, about ARP and ND for a ghost of `pool`. It answers on the
/// devices of the configuration only, and only while it also takes the packets.
pub(super) fn stance(namespace: &Namespace, pool: Option<&Pool>, ifindex: u32) -> Stance {
    let Some(pool) = pool else {
        return Stance::Free;
    };
    let speaks = namespace.is_enabled() && namespace.links().has(ifindex);
    match pool.stance(namespace.answers() && speaks) {
        Stance::Group(_) if !speaks => Stance::Silent,
        stance => stance,
    }
}

/// Ends a question that the module has answered in the stack's place.
pub(super) fn answered<P>(namespace: &Namespace, skb: Skb<P>) -> Verdict {
    namespace.count(Counter::Answered);
    skb.drop(Reason::FILTER)
}

/// Ends a message that would tie a ghost to this host.
pub(super) fn stop<P>(namespace: &Namespace, skb: Skb<P>) -> Verdict {
    namespace.count(Counter::Guarded);
    skb.drop(Reason::FILTER)
}
