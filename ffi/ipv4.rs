// SPDX-License-Identifier: GPL-2.0

//! IPv4 in the stack. Twin of [`super::ipv6`].

use super::{
    bindings,
    hook::Protocol,
    ip::Family,
    route::Nexthop,
    skb::IcmpError,
    socket::{Devices, Tuple},
};

/// IPv4 packets.
pub(crate) enum V4 {}

impl Protocol for V4 {
    const NUMBER: u32 = bindings::NFPROTO_IPV4;
}

impl Family for V4 {
    type Address = [u8; 4];

    unsafe fn neighbour(
        device: *mut bindings::net_device,
        address: [u8; 4],
    ) -> *mut bindings::neighbour {
        // SAFETY: By the contract.
        unsafe { bindings::onehop_neigh4(device, u32::from_ne_bytes(address)) }
    }

    unsafe fn solicit(device: *mut bindings::net_device, address: [u8; 4]) {
        let address = u32::from_ne_bytes(address);
        // SAFETY: By the contract.
        unsafe {
            if !bindings::onehop_neigh4_exists(device, address) {
                bindings::onehop_neigh4_solicit(device, address);
            }
        }
    }

    unsafe fn is_local(net: *mut bindings::net, address: [u8; 4]) -> bool {
        // SAFETY: By the contract; without a reference the device is only compared with null.
        let device = unsafe { bindings::__ip_dev_find(net, u32::from_ne_bytes(address), false) };
        !device.is_null()
    }

    unsafe fn route(
        net: *mut bindings::net,
        to: [u8; 4],
        via: Option<i32>,
    ) -> *mut bindings::dst_entry {
        let mut flow = bindings::flowi4 {
            daddr: u32::from_ne_bytes(to),
            ..Default::default()
        };
        if let Some(ifindex) = via {
            flow.__fl_common.flowic_oif = ifindex;
            flow.__fl_common.flowic_flags = bindings::FLOWI_FLAG_KNOWN_NH as u8;
        }
        // SAFETY: By the contract; `flow` is ours. The route begins with its dst_entry.
        unsafe { bindings::ip_route_output_flow(net, &mut flow, core::ptr::null()) }.cast()
    }

    unsafe fn nexthop(route: *mut bindings::dst_entry, to: [u8; 4]) -> Nexthop {
        // SAFETY: By the contract.
        let (kind, gateway, ifindex) = unsafe {
            (
                bindings::onehop_rt4_type(route),
                bindings::onehop_rt4_has_gateway(route),
                bindings::onehop_rt_ifindex(route),
            )
        };
        // A route that could not be cached names the destination as its own gateway.
        // SAFETY: By the contract.
        let direct = !gateway || unsafe { Self::resolves(route, to) };
        match (kind, u32::try_from(ifindex)) {
            (bindings::RTN_LOCAL, _) => Nexthop::Local,
            (bindings::RTN_UNICAST, Ok(ifindex)) if direct => Nexthop::OnLink(ifindex),
            _ => Nexthop::Elsewhere,
        }
    }

    unsafe fn resolves(route: *mut bindings::dst_entry, to: [u8; 4]) -> bool {
        // SAFETY: By the contract.
        unsafe { bindings::onehop_rt4_resolves(route, u32::from_ne_bytes(to)) }
    }

    unsafe fn gateway(route: *mut bindings::dst_entry) -> Option<[u8; 4]> {
        let mut gateway = 0;
        // SAFETY: By the contract; `gateway` is ours.
        let has = unsafe { bindings::onehop_rt4_gateway(route, &mut gateway) };
        has.then(|| gateway.to_ne_bytes())
    }

    unsafe fn mtu(route: *mut bindings::dst_entry) -> u32 {
        // SAFETY: By the contract.
        unsafe { bindings::onehop_rt4_mtu(route) }
    }

    unsafe fn answer(
        net: *mut bindings::net,
        skb: *mut bindings::sk_buff,
        source: [u8; 4],
        error: IcmpError,
    ) {
        let (kind, code, info) = match error {
            IcmpError::HostUnreachable => {
                (bindings::ICMP_DEST_UNREACH, bindings::ICMP_HOST_UNREACH, 0)
            }
            IcmpError::TimeExceeded => (bindings::ICMP_TIME_EXCEEDED, bindings::ICMP_EXC_TTL, 0),
            IcmpError::TooBig(mtu) => {
                (bindings::ICMP_DEST_UNREACH, bindings::ICMP_FRAG_NEEDED, mtu)
            }
        };
        // SAFETY: By the contract. `icmp_send` says nothing for a packet without a route, which
        // PRE_ROUTING has not looked for yet: hence one back to the sender, whose reference goes to
        // the packet.
        unsafe {
            if bindings::onehop_skb_dst(skb).is_null() {
                let back = Self::route(net, source, None);
                if bindings::onehop_rt_is_error(back) {
                    bindings::onehop_rt_put(back);
                    return;
                }
                bindings::onehop_skb_set_dst(skb, back);
            }
            bindings::onehop_icmp_send(skb, kind as i32, code as i32, info);
        }
    }

    unsafe fn connection(
        net: *mut bindings::net,
        tuple: &Tuple<[u8; 4]>,
        devices: Devices,
    ) -> *mut bindings::sock {
        // SAFETY: By the contract.
        unsafe {
            bindings::onehop_tcp4_connection(
                net,
                u32::from_ne_bytes(tuple.client),
                tuple.client_port.to_be(),
                u32::from_ne_bytes(tuple.ghost),
                tuple.ghost_port.to_be(),
                devices.bound,
                devices.slave,
            )
        }
    }

    unsafe fn listener(
        net: *mut bindings::net,
        tuple: &Tuple<[u8; 4]>,
        devices: Devices,
    ) -> *mut bindings::sock {
        // SAFETY: By the contract.
        unsafe {
            bindings::onehop_tcp4_listener(
                net,
                u32::from_ne_bytes(tuple.client),
                tuple.client_port.to_be(),
                u32::from_ne_bytes(tuple.ghost),
                tuple.ghost_port.to_be(),
                devices.bound,
                devices.slave,
            )
        }
    }

    unsafe fn has_cookie(skb: *const bindings::sk_buff, offset: u32) -> bool {
        // SAFETY: By the contract.
        unsafe { bindings::onehop_skb_cookie4(skb, offset) }
    }
}
