// SPDX-License-Identifier: GPL-2.0

//! Routes of this host's own packets.

use super::{bindings, ip::Family, netns::Net};
use core::marker::PhantomData;

/// Where a route leads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nexthop {
    /// To this host itself.
    Local,
    /// To the address itself, on the link of this device index.
    OnLink(u32),
    /// To some other host first, or nowhere that a frame could be sent.
    Elsewhere,
}

/// A reference to an output route.
///
/// # Invariants
///
/// `ptr` is a route of the family that leads somewhere; one reference to it is ours.
pub(crate) struct Route<F: Family> {
    ptr: *mut bindings::dst_entry,
    _family: PhantomData<F>,
}

impl<F: Family> Route<F> {
    /// The route to `destination`. Any context but hard interrupt.
    pub(crate) fn to(net: &Net, destination: F::Address) -> Option<Self> {
        // SAFETY: The namespace is alive by its type's invariant.
        unsafe { Self::from_raw(F::route(net.as_ptr(), destination, None)) }
    }

    /// A route that gives packets for any destination to the host `server` on the link of
    /// `ifindex`: with FLOWI_FLAG_KNOWN_NH the stack resolves `server`, not the packet's
    /// destination, which would be the ghost. None where the stack does not keep to that: a
    /// server that has gone off the link, or an exception cached for it.
    pub(crate) fn via(net: &Net, server: F::Address, ifindex: u32) -> Option<Self> {
        let ifindex = i32::try_from(ifindex).ok()?;
        // SAFETY: The namespace is alive by its type's invariant.
        let route = unsafe { Self::from_raw(F::route(net.as_ptr(), server, Some(ifindex))) }?;
        // SAFETY: Valid by the invariant.
        unsafe { F::resolves(route.ptr, server) }.then_some(route)
    }

    /// # Safety
    ///
    /// `ptr` came from [`Family::route`], and the reference is ours.
    unsafe fn from_raw(ptr: *mut bindings::dst_entry) -> Option<Self> {
        // SAFETY: By the contract.
        if unsafe { bindings::onehop_rt_is_error(ptr) } {
            // SAFETY: By the contract; an error pointer has no reference, and the call knows.
            unsafe { bindings::onehop_rt_put(ptr) };
            return None;
        }
        // INVARIANT: No error.
        Some(Self {
            ptr,
            _family: PhantomData,
        })
    }

    /// Where it leads, being a route to `destination`.
    pub(crate) fn nexthop(&self, destination: F::Address) -> Nexthop {
        // SAFETY: Valid by the invariant.
        unsafe { F::nexthop(self.ptr, destination) }
    }

    /// Bytes a packet that is sent on may have, as the stack's own forwarding sees it.
    pub(crate) fn mtu(&self) -> u32 {
        // SAFETY: Valid by the invariant.
        unsafe { F::mtu(self.ptr) }
    }

    /// Gives the reference away.
    pub(super) fn into_raw(self) -> *mut bindings::dst_entry {
        core::mem::ManuallyDrop::new(self).ptr
    }
}

impl<F: Family> Drop for Route<F> {
    fn drop(&mut self) {
        // SAFETY: By the invariant the reference is ours.
        unsafe { bindings::onehop_rt_put(self.ptr) };
    }
}

/// Is `address` one of this host's own? Any context but hard interrupt.
pub(crate) fn is_local<F: Family>(net: &Net, address: F::Address) -> bool {
    // SAFETY: The namespace is alive by its type's invariant.
    unsafe { F::is_local(net.as_ptr(), address) }
}

/// How this host reaches `address`, if at all. An address of its own is local in whichever VRF it
/// is. Any context but hard interrupt.
pub(crate) fn nexthop<F: Family>(net: &Net, address: F::Address) -> Nexthop {
    if is_local::<F>(net, address) {
        return Nexthop::Local;
    }
    Route::<F>::to(net, address).map_or(Nexthop::Elsewhere, |route| route.nexthop(address))
}
