// SPDX-License-Identifier: GPL-2.0

//! What the stack does in its own way for each address family. The twins are [`super::ipv4`] and
//! [`super::ipv6`].

use super::{
    bindings,
    hook::Protocol,
    route::Nexthop,
    skb::IcmpError,
    socket::{Devices, Tuple},
};

pub(crate) use super::{ipv4::V4, ipv6::V6};

/// An address family. Its functions serve the safe types of ffi: [`super::route::Route`],
/// [`super::neigh::Neighbour`], [`super::skb::Skb`].
pub(crate) trait Family: Protocol + 'static {
    /// In network byte order.
    type Address: Copy + PartialEq;

    /// The neighbour entry of `address` on a device, if there is one that could be sent to now.
    ///
    /// # Safety
    ///
    /// The device lives, under the RCU read lock, which bounds the life of what is returned.
    unsafe fn neighbour(
        device: *mut bindings::net_device,
        address: Self::Address,
    ) -> *mut bindings::neighbour;

    /// Begins to resolve `address` on a device, unless there is an entry that is being resolved, has
    /// been, or has failed.
    ///
    /// # Safety
    ///
    /// The device lives, under the RCU read lock.
    unsafe fn solicit(device: *mut bindings::net_device, address: Self::Address);

    /// Whether `address` is one of this host's, in any of its VRFs. Any context.
    ///
    /// # Safety
    ///
    /// `net` lives.
    unsafe fn is_local(net: *mut bindings::net, address: Self::Address) -> bool;

    /// A route of this host's own packets to `to`; or, out of the device `via`, one that resolves
    /// `to` whatever the packet's destination. A reference, an error pointer or a route that says
    /// so itself. Any context but hard interrupt.
    ///
    /// # Safety
    ///
    /// `net` lives.
    unsafe fn route(
        net: *mut bindings::net,
        to: Self::Address,
        via: Option<i32>,
    ) -> *mut bindings::dst_entry;

    /// Where `route` leads, being one to `to`.
    ///
    /// # Safety
    ///
    /// `route` came from [`Self::route`] and is no error pointer.
    unsafe fn nexthop(route: *mut bindings::dst_entry, to: Self::Address) -> Nexthop;

    /// Whether `route` gives packets for any destination to `to`.
    ///
    /// # Safety
    ///
    /// As for [`Self::nexthop`].
    unsafe fn resolves(route: *mut bindings::dst_entry, to: Self::Address) -> bool;

    /// The host that `route` leads to first, if it names one.
    ///
    /// # Safety
    ///
    /// As for [`Self::nexthop`].
    unsafe fn gateway(route: *mut bindings::dst_entry) -> Option<Self::Address>;

    /// Bytes a packet that is sent on may have.
    ///
    /// # Safety
    ///
    /// As for [`Self::nexthop`].
    unsafe fn mtu(route: *mut bindings::dst_entry) -> u32;

    /// Tells `source`, the packet's sender, of an error.
    ///
    /// # Safety
    ///
    /// `net` lives; `skb` is ours, a packet of this family that was received.
    unsafe fn answer(
        net: *mut bindings::net,
        skb: *mut bindings::sk_buff,
        source: Self::Address,
        error: IcmpError,
    );

    /// The TCP socket of a connection, of a request for one, or of what is left of one, with a
    /// reference; null if there is none. Any context but hard interrupt.
    ///
    /// # Safety
    ///
    /// `net` lives.
    unsafe fn connection(
        net: *mut bindings::net,
        tuple: &Tuple<Self::Address>,
        devices: Devices,
    ) -> *mut bindings::sock;

    /// The TCP socket that listens for such a connection; null if there is none.
    ///
    /// # Safety
    ///
    /// `net` lives; under the RCU read lock, which bounds the life of what is returned.
    unsafe fn listener(
        net: *mut bindings::net,
        tuple: &Tuple<Self::Address>,
        devices: Devices,
    ) -> *mut bindings::sock;

    /// Whether the TCP header at `offset` acknowledges a SYN cookie of this host.
    ///
    /// # Safety
    ///
    /// `skb` is a packet of this family whose TCP header is in the linear part.
    unsafe fn has_cookie(skb: *const bindings::sk_buff, offset: u32) -> bool;
}
