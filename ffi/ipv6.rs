// SPDX-License-Identifier: GPL-2.0

//! IPv6 in the stack. Twin of [`super::ipv4`].

use super::{
    bindings,
    hook::Protocol,
    ip::Family,
    link::Device,
    netns::Net,
    route::Nexthop,
    skb::IcmpError,
    socket::{Devices, Tuple},
};
use core::ptr;
use kernel::prelude::*;

/// IPv6 packets.
pub(crate) enum V6 {}

impl Protocol for V6 {
    const NUMBER: u32 = bindings::NFPROTO_IPV6;
}

/// Whether this host has IPv6 at all.
fn has_ipv6() -> bool {
    // SAFETY: An FFI call that only looks at a boot parameter.
    unsafe { bindings::onehop_has_ipv6() }
}

/// The address as the stack's functions take it.
pub(super) fn in6(address: [u8; 16]) -> bindings::in6_addr {
    bindings::in6_addr {
        in6_u: bindings::in6_addr__bindgen_ty_1 { u6_addr8: address },
    }
}

/// The address of this host that it would send from on `device` to `destination` (RFC 6724). Any
/// context but hard interrupt.
pub(crate) fn source_address(
    net: &Net,
    device: &Device<'_>,
    destination: [u8; 16],
) -> Option<[u8; 16]> {
    // SAFETY: Both live by their types' invariants.
    unsafe { select(net.as_ptr(), device.as_ptr(), destination) }
}

/// # Safety
///
/// `net` and `device` live.
unsafe fn select(
    net: *mut bindings::net,
    device: *mut bindings::net_device,
    destination: [u8; 16],
) -> Option<[u8; 16]> {
    let (destination, mut source) = (in6(destination), in6([0; 16]));
    // SAFETY: By the contract; the addresses are ours, and every bit pattern is one.
    unsafe {
        let error = bindings::ipv6_dev_get_saddr(net, device, &destination, 0, &mut source);
        (error == 0).then_some(source.in6_u.u6_addr8)
    }
}

impl Family for V6 {
    type Address = [u8; 16];

    unsafe fn neighbour(
        device: *mut bindings::net_device,
        address: [u8; 16],
    ) -> *mut bindings::neighbour {
        // There is no way that leads here without IPv6.
        // SAFETY: By the contract.
        unsafe { bindings::onehop_neigh6(device, &in6(address)) }
    }

    unsafe fn solicit(device: *mut bindings::net_device, address: [u8; 16]) {
        let address = in6(address);
        // SAFETY: By the contract.
        unsafe {
            if !bindings::onehop_neigh6_exists(device, &address) {
                bindings::onehop_neigh6_solicit(device, &address);
            }
        }
    }

    unsafe fn is_local(net: *mut bindings::net, address: [u8; 16]) -> bool {
        if !has_ipv6() {
            return false;
        }
        let own = in6(address);
        // SAFETY: By the contract; no device to prefer.
        let found = unsafe {
            bindings::ipv6_chk_addr(net, &own, ptr::null(), 0) != 0
                || bindings::onehop_is_local6_in_vrf(net, &own)
        };
        if found {
            return true;
        }
        // A whole prefix may be local, by a route (AnyIP).
        // SAFETY: By the contract; the reference is given back.
        unsafe {
            let route = Self::route(net, address, None);
            let local = bindings::onehop_rt6_flags(route) & bindings::RTF_LOCAL != 0;
            bindings::onehop_rt_put(route);
            local
        }
    }

    unsafe fn route(
        net: *mut bindings::net,
        to: [u8; 16],
        via: Option<i32>,
    ) -> *mut bindings::dst_entry {
        if !has_ipv6() {
            return Error::from_errno(-(bindings::EAFNOSUPPORT as i32)).to_ptr();
        }
        let mut flow = bindings::flowi6 {
            daddr: in6(to),
            ..Default::default()
        };
        if let Some(ifindex) = via {
            flow.__fl_common.flowic_oif = ifindex;
            flow.__fl_common.flowic_flags = bindings::FLOWI_FLAG_KNOWN_NH as u8;
        }
        // SAFETY: By the contract; `flow` is ours. Always a route, perhaps one that is an error.
        unsafe { bindings::ip6_route_output_flags(net, ptr::null(), &mut flow, 0) }
    }

    unsafe fn nexthop(route: *mut bindings::dst_entry, to: [u8; 16]) -> Nexthop {
        // SAFETY: By the contract.
        let (flags, ifindex) = unsafe {
            (
                bindings::onehop_rt6_flags(route),
                bindings::onehop_rt_ifindex(route),
            )
        };
        // SAFETY: By the contract.
        let direct = flags & bindings::RTF_GATEWAY == 0 || unsafe { Self::resolves(route, to) };
        match u32::try_from(ifindex) {
            _ if flags & bindings::RTF_LOCAL != 0 => Nexthop::Local,
            Ok(ifindex) if direct => Nexthop::OnLink(ifindex),
            _ => Nexthop::Elsewhere,
        }
    }

    unsafe fn resolves(route: *mut bindings::dst_entry, to: [u8; 16]) -> bool {
        // What the stack would resolve for a packet to nobody: the answer must be `to` even so.
        // SAFETY: By the contract.
        unsafe { bindings::onehop_rt6_resolves(route, &in6(to)) }
    }

    unsafe fn gateway(route: *mut bindings::dst_entry) -> Option<[u8; 16]> {
        let mut gateway = in6([0; 16]);
        // SAFETY: By the contract; `gateway` is ours, and every bit pattern is an address.
        unsafe {
            let has = bindings::onehop_rt6_gateway(route, &mut gateway);
            has.then_some(gateway.in6_u.u6_addr8)
        }
    }

    unsafe fn mtu(route: *mut bindings::dst_entry) -> u32 {
        // SAFETY: By the contract.
        unsafe { bindings::onehop_rt6_mtu(route) }
    }

    unsafe fn answer(
        net: *mut bindings::net,
        skb: *mut bindings::sk_buff,
        source: [u8; 16],
        error: IcmpError,
    ) {
        let (kind, code, info) = match error {
            IcmpError::HostUnreachable => (
                bindings::ICMPV6_DEST_UNREACH,
                bindings::ICMPV6_ADDR_UNREACH,
                0,
            ),
            IcmpError::TimeExceeded => (
                bindings::ICMPV6_TIME_EXCEED,
                bindings::ICMPV6_EXC_HOPLIMIT,
                0,
            ),
            IcmpError::TooBig(mtu) => (bindings::ICMPV6_PKT_TOOBIG, 0, mtu),
        };
        // Where the ghost is an address of this host, the stack would speak in its name; so we do
        // only if RFC 6724 prefers it to all others on the device.
        // SAFETY: By the contract; the packet is ours to give a device.
        unsafe {
            let mut device = bindings::onehop_skb_dev(skb);
            if device.is_null() {
                // A packet of this host's own.
                device = bindings::onehop_skb_set_on_loopback(skb, net);
            }
            let from = select(net, device, source).map(in6);
            let from = from.as_ref().map_or(ptr::null(), ptr::from_ref);
            bindings::onehop_icmpv6_send(skb, kind as u8, code as u8, info, from);
        }
    }

    unsafe fn connection(
        net: *mut bindings::net,
        tuple: &Tuple<[u8; 16]>,
        devices: Devices,
    ) -> *mut bindings::sock {
        // SAFETY: By the contract.
        unsafe {
            bindings::onehop_tcp6_connection(
                net,
                &in6(tuple.client),
                tuple.client_port.to_be(),
                &in6(tuple.ghost),
                tuple.ghost_port.to_be(),
                devices.bound,
                devices.slave,
            )
        }
    }

    unsafe fn listener(
        net: *mut bindings::net,
        tuple: &Tuple<[u8; 16]>,
        devices: Devices,
    ) -> *mut bindings::sock {
        // SAFETY: By the contract.
        unsafe {
            bindings::onehop_tcp6_listener(
                net,
                &in6(tuple.client),
                tuple.client_port.to_be(),
                &in6(tuple.ghost),
                tuple.ghost_port.to_be(),
                devices.bound,
                devices.slave,
            )
        }
    }

    unsafe fn has_cookie(skb: *const bindings::sk_buff, offset: u32) -> bool {
        // SAFETY: By the contract.
        unsafe { bindings::onehop_skb_cookie6(skb, offset) }
    }
}
