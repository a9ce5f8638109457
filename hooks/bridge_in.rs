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
        skb::{Skb, Verdict},
    },
    state::Namespace,
};
use core::marker::PhantomData;

pub(super) struct BridgeIn<F>(PhantomData<F>);

impl<F: Family> Hook for BridgeIn<F> {
    type State = Namespace;
    type Protocol = Bridge;

    const POINT: Point = Point::BridgeIn;
    const PRIORITY: i32 = 0;

    fn run(namespace: &Namespace, place: Place<'_>, mut skb: Skb<Bridge>) -> Verdict {
        let config = namespace.config(place.reader());
        if let (Some(config), Some(header)) = (config, F::parse(skb.linear())) {
            if F::may_concern_ghosts(config, &header) {
                skb.forget_bridge();
            }
        }
        skb.accept()
    }
}
