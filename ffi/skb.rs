// SPDX-License-Identifier: GPL-2.0

//! A packet in a hook's hands.

use super::{
    bindings,
    hook::{Bridge, Frame},
    ip::Family,
    link::{Device, Mac},
    neigh::Neighbour,
    netns::Net,
    route::Route,
};
use core::{marker::PhantomData, slice};
use kernel::{error::to_result, prelude::*};

/// What a hook answers. Only the methods of [`Skb`] that give the packet away make one, so
/// that no hook can lose a packet or use it afterwards.
pub(crate) struct Verdict(u32);

impl Verdict {
    pub(super) fn into_raw(self) -> u32 {
        self.0
    }
}

/// Why a packet is dropped, in the kernel's own terms: what dropwatch and the `kfree_skb`
/// tracepoint show. Source: include/net/dropreason-core.h.
#[derive(Clone, Copy)]
pub(crate) struct Reason(bindings::skb_drop_reason);

impl Reason {
    pub(crate) const FILTER: Self = Self(bindings::skb_drop_reason_SKB_DROP_REASON_NETFILTER_DROP);
    pub(crate) const HEADER: Self = Self(bindings::skb_drop_reason_SKB_DROP_REASON_IP_INHDR);
    pub(crate) const NO_ROUTE: Self =
        Self(bindings::skb_drop_reason_SKB_DROP_REASON_IP_OUTNOROUTES);
    pub(crate) const NO_MEMORY: Self = Self(bindings::skb_drop_reason_SKB_DROP_REASON_NOMEM);
    pub(crate) const TOO_BIG: Self = Self(bindings::skb_drop_reason_SKB_DROP_REASON_PKT_TOO_BIG);
}

/// An ICMP error of ours (RFC 792, RFC 1191; RFC 4443).
#[derive(Clone, Copy)]
pub(crate) enum IcmpError {
    HostUnreachable,
    TimeExceeded,
    /// With the MTU of the next hop, bytes.
    TooBig(u32),
}

/// A packet of protocol `P` that came up to a hook and has not been given away.
///
/// # Invariants
///
/// `ptr` is a valid `sk_buff` that the running hook owns, with a network header of `P`; but for
/// ARP messages about to be sent, `skb->data` is there. What the header holds is for its reader to
/// test: hooks before ours may have written to it since the stack did.
pub(crate) struct Skb<P> {
    ptr: *mut bindings::sk_buff,
    _protocol: PhantomData<P>,
}

impl<P> Skb<P> {
    /// # Safety
    ///
    /// The type's invariants hold for `ptr`.
    pub(super) unsafe fn from_raw(ptr: *mut bindings::sk_buff) -> Self {
        Self {
            ptr,
            _protocol: PhantomData,
        }
    }

    pub(super) fn as_ptr(&self) -> *mut bindings::sk_buff {
        self.ptr
    }

    /// Length in bytes from the network header on. Not from the IP header's own field,
    /// which is 0 in packets over 64 kB.
    pub(crate) fn len(&self) -> u32 {
        // SAFETY: Valid by the invariant.
        unsafe { (*self.ptr).len }
    }

    /// The bytes at hand without pulling: the network header and what follows.
    pub(crate) fn linear(&self) -> &[u8] {
        // SAFETY: Valid by the invariant; `skb->data` is followed by len - data_len bytes of
        // linear data, of which there are never fewer than none (skb_headlen), which nobody else
        // changes while the hook owns the packet, and we only through `&mut self`.
        unsafe {
            let skb = &*self.ptr;
            slice::from_raw_parts(skb.data, skb.len.wrapping_sub(skb.data_len) as usize)
        }
    }

    /// The bytes at hand from the network header on, where `skb->data` may be before it.
    pub(crate) fn network(&self) -> &[u8] {
        // SAFETY: Valid by the invariant: the linear data end behind the network header.
        unsafe {
            let len = bindings::onehop_skb_network_len(self.ptr);
            slice::from_raw_parts(bindings::onehop_skb_network(self.ptr), len as usize)
        }
    }

    /// The first `bytes` from the network header on, or the whole packet if it is shorter, to
    /// write to.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn network_mut(&mut self, bytes: usize) -> Result<&mut [u8]> {
        let len = u32::try_from(bytes)?;
        // SAFETY: Valid by the invariant, which the call keeps; afterwards the bytes are linear
        // and not shared with anybody.
        unsafe {
            let len = bindings::onehop_skb_network_writable(self.ptr, len);
            let len = usize::try_from(len).or(Err(ENOMEM))?;
            Ok(slice::from_raw_parts_mut(
                bindings::onehop_skb_network(self.ptr),
                len,
            ))
        }
    }

    /// The link address that the frame came from, on Ethernet.
    pub(crate) fn link_source(&self) -> Option<Mac> {
        let mut mac = [0; 6];
        // SAFETY: Valid by the invariant; `mac` has room for the six bytes.
        unsafe { bindings::onehop_skb_link_source(self.ptr, mac.as_mut_ptr()) }.then_some(mac)
    }

    /// Lets the stack take the frame for one to this host alone.
    pub(crate) fn set_to_host(&mut self) {
        // SAFETY: Valid by the invariant.
        unsafe { bindings::onehop_skb_set_to_host(self.ptr) };
    }

    /// Brings the first `bytes`, or the whole packet if it is shorter, into the linear part.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    #[inline]
    pub(crate) fn pull(&mut self, bytes: u32) -> Result {
        if bytes as usize <= self.linear().len() {
            return Ok(());
        }
        // SAFETY: Valid by the invariant, which pulling keeps.
        if unsafe { bindings::onehop_skb_pull(self.ptr, bytes.min(self.len())) } {
            Ok(())
        } else {
            Err(ENOMEM)
        }
    }

    /// Cuts off what is behind the first `length` bytes: short frames are filled up.
    ///
    /// # Errors
    ///
    /// `EINVAL` if it is shorter; `ENOMEM`.
    #[inline(always)]
    pub(crate) fn trim(&mut self, length: u32) -> Result {
        if self.len() <= length {
            return if self.len() == length {
                Ok(())
            } else {
                Err(EINVAL)
            };
        }
        // SAFETY: Valid by the invariant, which trimming keeps.
        to_result(unsafe { bindings::onehop_skb_trim(self.ptr, length) })
    }

    /// How it came. One call for all of it, as every packet for a ghost asks.
    pub(crate) fn traits(&self) -> Traits {
        // SAFETY: Valid by the invariant; `skb->dev` is set on packets received.
        Traits(unsafe { bindings::onehop_skb_traits(self.ptr) })
    }

    /// Was it merged by LRO, which loses what would be needed to send it on?
    #[inline]
    pub(crate) fn is_lro(&self) -> bool {
        // What has been merged is never linear: that spares most packets the call.
        // SAFETY: Valid by the invariant.
        unsafe { (*self.ptr).data_len != 0 && bindings::onehop_skb_is_lro(self.ptr) }
    }

    /// Can it leave through an `mtu` without fragmentation? A GSO packet can if each of its
    /// segments can.
    #[inline(always)]
    pub(crate) fn fits(&self, mtu: u32) -> bool {
        if self.len() <= mtu {
            return true;
        }
        // SAFETY: Valid by the invariant.
        unsafe {
            bindings::onehop_skb_is_gso(self.ptr)
                && bindings::skb_gso_validate_network_len(self.ptr, mtu)
        }
    }

    /// Leaves the packet to the stack, as if the module were not loaded.
    pub(crate) fn accept(self) -> Verdict {
        Verdict(bindings::NF_ACCEPT)
    }

    pub(crate) fn drop(self, reason: Reason) -> Verdict {
        // SAFETY: The packet is ours by the invariant and given away here.
        unsafe { bindings::sk_skb_reason_drop(core::ptr::null_mut(), self.ptr, reason.0) };
        Verdict(bindings::NF_STOLEN)
    }

    /// Drops a packet of this host's own and tells its sender the reason, of [`super::errno`]. It
    /// is the stack that drops it, as a packet that netfilter refused.
    pub(crate) fn refuse(self, errno: u32) -> Verdict {
        // NF_DROP_ERR of linux/netfilter.h.
        Verdict(bindings::NF_DROP | errno << bindings::NF_VERDICT_QBITS)
    }
}

impl<F: Family> Skb<F> {
    /// Makes the IP header ours to write, with headroom for the link header of `device`. Gives
    /// the packet back if there is no memory.
    pub(crate) fn make_writable(self, device: &Device<'_>) -> Result<Writable<F>, Self> {
        // SAFETY: Both valid by their types' invariants; the call keeps ours.
        if unsafe { bindings::onehop_skb_make_writable(self.ptr, device.as_ptr()) } == 0 {
            // INVARIANT: Just made so.
            Ok(Writable(self))
        } else {
            Err(self)
        }
    }

    /// Tells the sender, rate limited by the stack, which also refuses to answer errors,
    /// later fragments and broadcasts.
    pub(crate) fn answer(&mut self, net: &Net, source: F::Address, error: IcmpError) {
        // SAFETY: Valid by the invariant; the namespace is alive by its type's.
        unsafe { F::answer(net.as_ptr(), self.ptr, source, error) };
    }

    /// Is it, one of this host's own, still to be transformed by IPsec? Another route would let it
    /// out in the clear; what comes of it is shown again.
    pub(crate) fn is_to_be_transformed(&self) -> bool {
        // SAFETY: Valid by the invariant.
        unsafe { bindings::onehop_skb_to_transform(self.ptr) }
    }

    /// The host that it, one of this host's own, is routed by way of, if its route names one.
    pub(crate) fn gateway(&self) -> Option<F::Address> {
        // SAFETY: Valid by the invariant; the route, if there is one, is held by the packet.
        unsafe {
            let route = bindings::onehop_skb_dst(self.ptr);
            if route.is_null() {
                None
            } else {
                F::gateway(route)
            }
        }
    }

    /// Lets the stack send it, one of this host's own, by another route.
    pub(crate) fn reroute(self, route: Route<F>) -> Verdict {
        // SAFETY: Valid by the invariant; the route's reference goes to the packet.
        unsafe { bindings::onehop_skb_set_dst(self.ptr, route.into_raw()) };
        self.accept()
    }
}

impl Skb<Bridge> {
    /// Lets the stack show the packet in the frame to all its hooks, as if br_netfilter had not.
    pub(crate) fn forget_bridge(&mut self) {
        // SAFETY: Valid by the invariant.
        unsafe { bindings::onehop_skb_forget_bridge(self.ptr) };
    }
}

impl Skb<Frame> {
    /// How the frame came; see [`FrameTraits`].
    #[inline]
    pub(crate) fn frame(&self) -> FrameTraits {
        // SAFETY: Valid by the invariant; `skb->dev` is set on packets received.
        FrameTraits(unsafe { bindings::onehop_frame_traits(self.ptr) })
    }

    /// The frame as the IP packet in it.
    pub(crate) fn into_packet<F: Family>(self) -> Skb<F> {
        // INVARIANT: `skb->data` is at the network header; its reader tests what it holds.
        Skb {
            ptr: self.ptr,
            _protocol: PhantomData,
        }
    }
}

/// What a frame holds and whose it is.
#[derive(Clone, Copy)]
pub(crate) struct FrameTraits(u32);

impl FrameTraits {
    /// An IPv4 packet.
    #[inline]
    pub(crate) fn is_ipv4(self) -> bool {
        self.0 & bindings::ONEHOP_FRAME_IPV4 != 0
    }

    /// An IPv6 packet.
    #[inline]
    pub(crate) fn is_ipv6(self) -> bool {
        self.0 & bindings::ONEHOP_FRAME_IPV6 != 0
    }

    /// Was it addressed to this host alone?
    #[inline]
    pub(crate) fn is_to_host(self) -> bool {
        self.0 & bindings::ONEHOP_FRAME_TO_HOST != 0
    }

    /// Does it go on to another device above this one, or to another host? VLANs, bonds and
    /// bridges take it on; a device that is promiscuous shows what is not for it. Or is its protocol
    /// off on this device?
    #[inline]
    pub(crate) fn is_passing(self) -> bool {
        self.0 & bindings::ONEHOP_FRAME_PASSING != 0
    }
}

/// How a packet came.
#[derive(Clone, Copy)]
pub(crate) struct Traits(u32);

impl Traits {
    /// Was the frame addressed to this host alone?
    pub(crate) fn is_to_host(self) -> bool {
        self.0 & bindings::ONEHOP_TO_HOST != 0
    }

    /// Did it come in on a loopback device, from this host itself?
    pub(crate) fn is_on_loopback(self) -> bool {
        self.0 & bindings::ONEHOP_ON_LOOPBACK != 0
    }

    /// Is it on the VRF device now, having been on the device it came in on before?
    pub(crate) fn is_on_master(self) -> bool {
        self.0 & bindings::ONEHOP_ON_MASTER != 0
    }

    /// Is it shown by br_netfilter, on its way through a bridge to whomever?
    pub(crate) fn is_bridged(self) -> bool {
        self.0 & bindings::ONEHOP_BRIDGED != 0
    }
}

/// A packet about to be sent on.
///
/// # Invariants
///
/// The header is not shared with anybody, and there is headroom for the link header of the
/// device it was made writable for.
pub(crate) struct Writable<F: Family>(Skb<F>);

impl<F: Family> Writable<F> {
    /// Fast path: out of `device` to a neighbour on it. Like the other takes 1 from the TTL or hop
    /// limit, and ends the packet's owner, route, conntrack entry and timestamp on this host.
    #[inline(always)]
    pub(crate) fn send_to(self, device: &Device<'_>, neighbour: &Neighbour<'_>) -> Verdict {
        let (device, neighbour) = (device.as_ptr(), neighbour.as_ptr());
        // SAFETY: Writable by the invariant, and given away here; device and neighbour live for the
        // read-side critical section that their types carry.
        unsafe { bindings::onehop_skb_neigh_output(self.0.ptr, device, neighbour) };
        Verdict(bindings::NF_STOLEN)
    }

    /// Slow path: through the stack's own output, which fragments, resolves the next hop,
    /// queues the packet meanwhile and answers host unreachable if that fails.
    pub(crate) fn send_through(self, net: &Net, route: Route<F>) -> Verdict {
        // SAFETY: As above; the namespace is alive by its type's invariant, and the route's
        // reference goes to the packet.
        unsafe { bindings::onehop_skb_dst_output(net.as_ptr(), self.0.ptr, route.into_raw()) };
        Verdict(bindings::NF_STOLEN)
    }
}
