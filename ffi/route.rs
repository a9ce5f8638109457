// SPDX-License-Identifier: GPL-2.0

//! IPv4 routes and the devices they lead to.

use super::{bindings, netns::Net, rcu::Reader};
use core::{marker::PhantomData, ptr::NonNull};
use kernel::error::from_err_ptr;

/// A network device, for the length of a read-side critical section: no reference is held,
/// so that none can keep a device from being removed.
///
/// # Invariants
///
/// `ptr` is a device found in the RCU read-side critical section `'g`.
pub(crate) struct Device<'g> {
    ptr: NonNull<bindings::net_device>,
    _reader: PhantomData<&'g ()>,
}

impl<'g> Device<'g> {
    pub(crate) fn find(net: &Net, ifindex: u32, _reader: Reader<'g>) -> Option<Self> {
        let ifindex = i32::try_from(ifindex).ok()?;
        // SAFETY: The namespace is alive by the type's invariant and the RCU read lock is
        // held for `'g`.
        let ptr = unsafe { bindings::dev_get_by_index_rcu(net.as_ptr(), ifindex) };
        // INVARIANT: Found in `'g`.
        Some(Self {
            ptr: NonNull::new(ptr)?,
            _reader: PhantomData,
        })
    }

    /// Bytes, network header on.
    pub(crate) fn mtu(&self) -> u32 {
        // SAFETY: Valid for `'g`; a word that its writers change in one store.
        unsafe { bindings::onehop_dev_mtu(self.ptr.as_ptr()) }
    }

    pub(super) fn as_ptr(&self) -> *mut bindings::net_device {
        self.ptr.as_ptr()
    }
}

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
/// `ptr` is a valid `rtable`, one reference to it is ours.
pub(crate) struct Route {
    ptr: *mut bindings::rtable,
}

impl Route {
    /// The route of this host's own packets to `destination`. Any context but hard interrupt.
    pub(crate) fn to(net: &Net, destination: [u8; 4]) -> Option<Self> {
        Self::look_up(
            net,
            bindings::flowi4 {
                daddr: u32::from_ne_bytes(destination),
                ..Default::default()
            },
        )
    }

    /// A route that gives packets for any destination to the host `server` on the link of
    /// `ifindex`: with FLOWI_FLAG_KNOWN_NH the stack resolves `server`, not the packet's
    /// destination, which would be the ghost. None where the stack does not keep to that: a
    /// server that has gone off the link, or an exception cached for it.
    pub(crate) fn via(net: &Net, server: [u8; 4], ifindex: u32) -> Option<Self> {
        let mut flow = bindings::flowi4 {
            daddr: u32::from_ne_bytes(server),
            ..Default::default()
        };
        flow.__fl_common.flowic_oif = i32::try_from(ifindex).ok()?;
        flow.__fl_common.flowic_flags = u8::try_from(bindings::FLOWI_FLAG_KNOWN_NH).ok()?;
        Self::look_up(net, flow).filter(|route| route.has_gateway(server))
    }

    fn look_up(net: &Net, mut flow: bindings::flowi4) -> Option<Self> {
        // SAFETY: The namespace is alive by its type's invariant; `flow` is ours.
        let ptr =
            unsafe { bindings::ip_route_output_flow(net.as_ptr(), &mut flow, core::ptr::null()) };
        // INVARIANT: A route that is no error comes with a reference.
        from_err_ptr(ptr).ok().map(|ptr| Self { ptr })
    }

    /// Where it leads, being a route to `destination`.
    pub(crate) fn nexthop(&self, destination: [u8; 4]) -> Nexthop {
        // SAFETY: Valid by the invariant.
        let (kind, gateway, ifindex) = unsafe {
            (
                bindings::onehop_rt_type(self.ptr),
                bindings::onehop_rt_has_gateway(self.ptr),
                bindings::onehop_rt_ifindex(self.ptr),
            )
        };
        // A route that could not be cached names the destination as its own gateway.
        let direct = !gateway || self.has_gateway(destination);
        match (kind, u32::try_from(ifindex)) {
            (bindings::RTN_LOCAL, _) => Nexthop::Local,
            (bindings::RTN_UNICAST, Ok(ifindex)) if direct => Nexthop::OnLink(ifindex),
            _ => Nexthop::Elsewhere,
        }
    }

    fn has_gateway(&self, gateway: [u8; 4]) -> bool {
        // SAFETY: Valid by the invariant.
        unsafe { bindings::onehop_rt_has_gateway4(self.ptr, u32::from_ne_bytes(gateway)) }
    }

    /// Bytes a packet that is sent on may have, as `ip_forward` sees it.
    pub(crate) fn mtu(&self) -> u32 {
        // SAFETY: Valid by the invariant.
        unsafe { bindings::onehop_rt_mtu(self.ptr) }
    }

    /// Gives the reference away.
    pub(super) fn into_raw(self) -> *mut bindings::rtable {
        core::mem::ManuallyDrop::new(self).ptr
    }
}

impl Drop for Route {
    fn drop(&mut self) {
        // SAFETY: By the invariant the reference is ours.
        unsafe { bindings::onehop_rt_put(self.ptr) };
    }
}

/// Is `address` one of this host's own? Any context.
pub(crate) fn is_local(net: &Net, address: [u8; 4]) -> bool {
    // SAFETY: The namespace is alive by its type's invariant.
    let kind = unsafe { bindings::inet_addr_type(net.as_ptr(), u32::from_ne_bytes(address)) };
    kind == bindings::RTN_LOCAL
}
