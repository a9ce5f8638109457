// SPDX-License-Identifier: GPL-2.0

//! The way to a server, resolved when it is set and again when routes change.

use crate::ffi::{atomic::read_once, link::Mac};
use kernel::sync::atomic::{Atomic, Relaxed};

/// How a server is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// No address of the family, no route, or not on link.
    None,
    /// This host is the server.
    Local,
    /// On the link of this device index.
    Link(u32),
}

/// What a packet needs to know of its server: one word that the route watch renews in place,
/// so that a route change costs no new table.
pub(crate) struct Hop<A> {
    /// Primary address; none where a server has none of the family, and in the gaps between ids.
    pub(crate) address: Option<A>,
    /// Whether the way has ever been to this host, 0 or 1.
    was_local: Atomic<i8>,
    way: Atomic<u64>,
    /// The link address it was last seen to have, in mode peer.
    mac: Atomic<u64>,
}

const NONE: u64 = 0;
const LOCAL: u64 = 1 << 32;
const LINK: u64 = 1 << 33;

/// Set in a link address that is known.
const KNOWN: u64 = 1 << 48;

impl<A: Copy + PartialEq> Hop<A> {
    /// To a server that is not reached yet.
    pub(crate) fn new(address: Option<A>) -> Self {
        Self {
            address,
            was_local: Atomic::new(0),
            way: Atomic::new(NONE),
            mac: Atomic::new(0),
        }
    }

    /// Takes over what was known of the same address.
    pub(crate) fn inherit(self, old: Option<&Self>) -> Self {
        if let Some(old) = old.filter(|old| old.address == self.address) {
            self.was_local.store(old.was_local.load(Relaxed), Relaxed);
            self.way.store(old.way.load(Relaxed), Relaxed);
            self.mac.store(old.mac.load(Relaxed), Relaxed);
        }
        self
    }

    /// Any context.
    #[inline]
    pub(crate) fn way(&self) -> Way {
        match read_once(&self.way) {
            LOCAL => Way::Local,
            // The low half is the index.
            way if way & LINK != 0 => Way::Link(way as u32),
            _ => Way::None,
        }
    }

    /// Sets the way. Returns whether it was another. Under the writers' turn.
    pub(crate) fn set(&self, way: Way) -> bool {
        if way == Way::Local {
            self.was_local.store(1, Relaxed);
        }
        let new = encode(way);
        self.way.xchg(new, Relaxed) != new
    }

    /// Whether the address is this host's own, or ever was: one that is away for a moment must not
    /// open the guard.
    pub(crate) fn was_local(&self) -> bool {
        self.was_local.load(Relaxed) != 0
    }

    pub(crate) fn mac(&self) -> Option<Mac> {
        let known = self.mac.load(Relaxed);
        let [_, _, mac @ ..] = known.to_be_bytes();
        (known & KNOWN != 0).then_some(mac)
    }

    /// Sets the link address. Returns whether it was another. Under the writers' turn.
    pub(crate) fn set_mac(&self, mac: Mac) -> bool {
        let [a, b, c, d, e, f] = mac;
        let new = u64::from_be_bytes([0, 0, a, b, c, d, e, f]) | KNOWN;
        self.mac.xchg(new, Relaxed) != new
    }
}

fn encode(way: Way) -> u64 {
    match way {
        Way::None => NONE,
        Way::Local => LOCAL,
        Way::Link(ifindex) => LINK | u64::from(ifindex),
    }
}
