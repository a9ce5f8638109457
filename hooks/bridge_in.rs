// SPDX-License-Identifier: GPL-2.0

//! Frames that a bridge hands to the host it is on.
//!
//! br_netfilter shows the packet in a frame to the IP hooks where the frame enters the bridge, be it
//! for this host or for others behind it, and then no more. There it is left alone; here, where it
//! is known to be for this host, its mark is taken off, and it is shown as everywhere else.

use super::family::Family;
use crate::{
    ffi::{
        hook::{Bridge, Hook, Place, Point},
        ip::{V4, V6},
        skb::{Skb, Verdict},
    },
    state::{config::Config, Namespace},
};

pub(super) enum BridgeIn {}

impl Hook for BridgeIn {
    type State = Namespace;
    type Protocol = Bridge;

    const POINT: Point = Point::BridgeIn;
    const PRIORITY: i32 = 0;

    fn run(namespace: &Namespace, place: Place<'_>, mut skb: Skb<Bridge>) -> Verdict {
        let config = namespace.config(place.reader());
        if config.is_some_and(|config| concerns(config, skb.linear())) {
            skb.forget_bridge();
        }
        skb.accept()
    }
}

/// Is it a packet to a ghost, or one of those that may be about one?
fn concerns(config: &Config, bytes: &[u8]) -> bool {
    match (V4::parse(bytes), V6::parse(bytes)) {
        (Some(header), _) => V4::pool(config, header.destination).is_some(),
        (_, Some(header)) => {
            V6::needs_more(&header) || V6::pool(config, header.destination).is_some()
        }
        (None, None) => false,
    }
}
