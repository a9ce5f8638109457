// SPDX-License-Identifier: GPL-2.0

//! The hooks: read the packet, decide (dispatch), act (ffi). One file each.
//!
//! A new hook is a unit type that implements [`hook::Hook`] in a file of its own, and its place
//! in [`start`].

mod forward4;
mod pre_routing4;

use crate::{ffi::hook, state::Namespace};
use kernel::{prelude::*, sync::Arc};

/// Lets packets in. May sleep.
///
/// # Errors
///
/// `ENOMEM`; then no hook is registered.
pub(crate) fn start(namespace: &Arc<Namespace>) -> Result<hook::Registration<Namespace>> {
    hook::Registration::new::<pre_routing4::PreRouting4>(namespace.net(), namespace.clone())
}
