// SPDX-License-Identifier: GPL-2.0

//! onehop: many servers behind one IP address, without state.
//!
//! Packet bytes -> flow -> owner -> verdict -> act. `dispatch` decides, purely; `hooks` read
//! packets and act; `state` is what they read; `control` changes it on behalf of user space, in
//! the terms of `uapi`; `ffi` is the way into the kernel, and the only unsafe code.
//! Documentation/design.md has the whole picture.

use kernel::{miscdevice::MiscDeviceRegistration, prelude::*};

mod control;
#[allow(dead_code, unreachable_pub)]
#[path = "dispatch/lib.rs"]
mod dispatch;
mod ffi;
mod hooks;
mod state;
#[path = "uapi/lib.rs"]
mod uapi;

/// Of the module, as `onehopctl version` shows it.
pub(crate) const VERSION: &str = "0.1.0";

module! {
    type: Onehop,
    name: "onehop",
    authors: ["The onehop developers"],
    description: "Many servers behind one IP address, without state",
    license: "GPL",
}

/// The loaded module. Nobody can open the device any more when the namespaces go.
#[pin_data]
struct Onehop {
    #[pin]
    device: MiscDeviceRegistration<control::device::Device>,
    namespaces: ffi::netns::Registration<state::Namespace>,
}

impl kernel::InPlaceModule for Onehop {
    fn init(_module: &'static ThisModule) -> impl PinInit<Self, Error> {
        try_pin_init!(Self {
            namespaces: ffi::netns::Registration::new()?,
            device <- MiscDeviceRegistration::register(control::device::OPTIONS),
        })
    }
}
