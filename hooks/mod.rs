// SPDX-License-Identifier: GPL-2.0

//! The hooks: read the packet, decide (dispatch), act (ffi). One file each.
//!
//! A new hook is a type that implements [`hook::Hook`] in a file of its own, and its place in one of
//! the lists here.

mod arp;
mod bridge_in;
mod decide;
mod family;
mod forward;
mod guard;
mod ingress;
mod local_out;
mod moved;
mod nd;
mod pre_routing;

use crate::{
    dispatch::addr::Family,
    ffi::{
        hook::{Entry, Registration},
        ip::{V4, V6},
        netdev::DeviceRef,
    },
    state::Namespace,
};
use kernel::{prelude::*, sync::Arc};

/// Lets packets of one family in. May sleep.
///
/// # Errors
///
/// `ENOMEM`; then no hook is registered.
pub(crate) fn start(namespace: &Arc<Namespace>, family: Family) -> Result<Registration<Namespace>> {
    let v4 = [
        Entry::of::<pre_routing::PreRouting<V4>>(),
        Entry::of::<local_out::LocalOut<V4>>(),
        Entry::of::<arp::ArpIn>(),
        Entry::of::<arp::ArpOut>(),
        Entry::of::<bridge_in::BridgeIn<V4>>(),
    ];
    let v6 = [
        Entry::of::<pre_routing::PreRouting<V6>>(),
        Entry::of::<local_out::LocalOut<V6>>(),
        Entry::of::<bridge_in::BridgeIn<V6>>(),
    ];
    let entries = match family {
        Family::V4 => &v4[..],
        Family::V6 => &v6[..],
    };
    Registration::new(namespace.net(), namespace.clone(), entries)
}

/// Lets frames of one device in, of both families. May sleep.
///
/// # Errors
///
/// `ENOMEM`; then no hook is registered.
pub(crate) fn start_on(
    namespace: &Arc<Namespace>,
    device: DeviceRef,
) -> Result<Registration<Namespace>> {
    let entry = Entry::of::<ingress::Ingress>();
    Registration::on(namespace.net(), namespace.clone(), device, &entry)
}
