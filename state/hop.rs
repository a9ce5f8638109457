// SPDX-License-Identifier: GPL-2.0

//! The way to a server, resolved when it is set and again when routes change.

use kernel::sync::atomic::{Atomic, Relaxed};

/// How a server is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// No route, or not on link.
    None,
    /// This host is the server.
    Local,
    /// On the link of this device index.
    Link(u32),
}

/// What a packet needs to know of its server: one word that the route watch renews in place,
/// so that a route change costs no new table.
pub(crate) struct Hop {
    /// Primary address; 0.0.0.0 in the gaps between ids.
    pub(crate) address: [u8; 4],
    way: Atomic<u64>,
}

const NONE: u64 = 0;
const LOCAL: u64 = 1 << 32;
const LINK: u64 = 1 << 33;

impl Hop {
    /// For the ids that no server has.
    pub(crate) fn nowhere() -> Self {
        Self::new([0; 4], Way::None)
    }

    pub(crate) fn new(address: [u8; 4], way: Way) -> Self {
        Self {
            address,
            way: Atomic::new(encode(way)),
        }
    }

    /// Any context.
    #[inline]
    pub(crate) fn way(&self) -> Way {
        match self.way.load(Relaxed) {
            LOCAL => Way::Local,
            // The low half is the index.
            way if way & LINK != 0 => Way::Link(way as u32),
            _ => Way::None,
        }
    }

    /// Sets the way. Returns whether it was another. Under the writers' turn.
    pub(crate) fn set(&self, way: Way) -> bool {
        let new = encode(way);
        self.way.xchg(new, Relaxed) != new
    }
}

fn encode(way: Way) -> u64 {
    match way {
        Way::None => NONE,
        Way::Local => LOCAL,
        Way::Link(ifindex) => LINK | u64::from(ifindex),
    }
}
