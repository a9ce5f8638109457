// SPDX-License-Identifier: GPL-2.0

//! A packet in a hook's hands.

use super::{
    bindings,
    neigh::Neighbour,
    netns::Net,
    route::{Device, Route},
};
use core::slice;
use kernel::prelude::*;

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

/// An ICMP error of ours (RFC 792, RFC 1191).
#[derive(Clone, Copy)]
pub(crate) enum IcmpError {
    HostUnreachable,
    TimeExceeded,
    /// With the MTU of the next hop, bytes.
    FragmentationNeeded(u32),
}

/// An IPv4 packet that came up to a hook and has not been given away.
///
/// # Invariants
///
/// `ptr` is a valid `sk_buff` that the running hook owns, with `skb->data` at the network
/// header and the IPv4 header, validated by `ip_rcv_core`, in its linear part.
pub(crate) struct Skb {
    ptr: *mut bindings::sk_buff,
}

impl Skb {
    /// # Safety
    ///
    /// The type's invariants hold for `ptr`.
    pub(super) unsafe fn from_raw(ptr: *mut bindings::sk_buff) -> Self {
        Self { ptr }
    }

    pub(super) fn as_ptr(&self) -> *mut bindings::sk_buff {
        self.ptr
    }

    /// Length in bytes from the network header on. Not from the IPv4 header's own field,
    /// which is 0 in packets over 64 kB.
    pub(crate) fn len(&self) -> u32 {
        // SAFETY: Valid by the invariant.
        unsafe { (*self.ptr).len }
    }

    /// The bytes at hand without pulling: the network header and what follows.
    pub(crate) fn linear(&self) -> &[u8] {
        // SAFETY: Valid by the invariant; `skb->data` is followed by len - data_len bytes of
        // linear data, which nobody else changes while the hook owns the packet, and we only
        // through `&mut self`.
        unsafe {
            let skb = &*self.ptr;
            slice::from_raw_parts(skb.data, skb.len.saturating_sub(skb.data_len) as usize)
        }
    }

    /// Brings the first `bytes`, or the whole packet if it is shorter, into the linear part.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn pull(&mut self, bytes: u32) -> Result {
        // SAFETY: Valid by the invariant, which pulling keeps.
        if unsafe { bindings::onehop_skb_pull(self.ptr, bytes.min(self.len())) } {
            Ok(())
        } else {
            Err(ENOMEM)
        }
    }

    /// Was the frame addressed to this host alone?
    pub(crate) fn is_to_host(&self) -> bool {
        // SAFETY: Valid by the invariant.
        unsafe { bindings::onehop_skb_is_host(self.ptr) }
    }

    /// Is this a bridged frame that br_netfilter shows to the IP hooks?
    pub(crate) fn is_bridged(&self) -> bool {
        // SAFETY: Valid by the invariant.
        unsafe { bindings::onehop_skb_is_bridged(self.ptr) }
    }

    /// Did it come in on a loopback device, from this host itself?
    pub(crate) fn is_on_loopback(&self) -> bool {
        // SAFETY: Valid by the invariant; `skb->dev` is set on packets received.
        unsafe { bindings::onehop_skb_on_loopback(self.ptr) }
    }

    /// Was it merged by LRO, which loses what would be needed to send it on?
    pub(crate) fn is_lro(&self) -> bool {
        // SAFETY: Valid by the invariant.
        unsafe { bindings::onehop_skb_is_lro(self.ptr) }
    }

    /// Can it leave through an `mtu` without fragmentation? A GSO packet can if each of its
    /// segments can.
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

    /// Makes the IPv4 header ours to write, with headroom for the link header of `device`.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn make_writable(&mut self, device: &Device<'_>) -> Result {
        // SAFETY: Both valid by their types' invariants; the call keeps ours.
        let error = unsafe { bindings::onehop_skb_make_writable(self.ptr, device.as_ptr()) };
        kernel::error::to_result(error)
    }

    /// One hop: takes 1 from the TTL and corrects the checksum. After [`Self::make_writable`].
    pub(crate) fn decrease_ttl(&mut self) {
        // SAFETY: Valid by the invariant, the network header in the linear part.
        unsafe { bindings::onehop_skb_decrease_ttl(self.ptr) };
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

    /// Tells the sender, rate limited by the stack, which also refuses to answer errors,
    /// later fragments and broadcasts. `back` is a route the answer could take.
    pub(crate) fn answer(&mut self, back: Route, error: IcmpError) {
        let (kind, code, info) = match error {
            IcmpError::HostUnreachable => {
                (bindings::ICMP_DEST_UNREACH, bindings::ICMP_HOST_UNREACH, 0)
            }
            IcmpError::TimeExceeded => (bindings::ICMP_TIME_EXCEEDED, bindings::ICMP_EXC_TTL, 0),
            IcmpError::FragmentationNeeded(mtu) => {
                (bindings::ICMP_DEST_UNREACH, bindings::ICMP_FRAG_NEEDED, mtu)
            }
        };
        // SAFETY: Valid by the invariant. `icmp_send` says nothing for a packet without a
        // route, which PRE_ROUTING has not looked for yet: hence `back`, whose reference goes
        // to the packet.
        unsafe {
            bindings::onehop_skb_set_dst(self.ptr, back.into_raw());
            bindings::onehop_icmp_send(self.ptr, kind as i32, code as i32, info);
        }
    }

    /// Fast path: out of `device` to a neighbour on it. The packet's owner, route, conntrack
    /// entry and timestamp on this host end here.
    pub(crate) fn send_to(self, device: &Device<'_>, neighbour: &Neighbour<'_>) -> Verdict {
        // SAFETY: The packet is ours by the invariant and given away here; device and
        // neighbour live for the read-side critical section that their types carry.
        unsafe {
            bindings::onehop_skb_detach(self.ptr);
            bindings::onehop_skb_set_out(self.ptr, device.as_ptr());
            bindings::onehop_neigh_output(neighbour.as_ptr(), self.ptr);
        }
        Verdict(bindings::NF_STOLEN)
    }

    /// Slow path: through the stack's own output, which fragments, resolves the next hop,
    /// queues the packet meanwhile and answers host unreachable if that fails.
    pub(crate) fn send_through(self, net: &Net, device: &Device<'_>, route: Route) -> Verdict {
        // SAFETY: As for `send_to`; the route's reference goes to the packet.
        unsafe {
            bindings::onehop_skb_detach(self.ptr);
            bindings::onehop_skb_set_out(self.ptr, device.as_ptr());
            bindings::onehop_skb_set_dst(self.ptr, route.into_raw());
            bindings::onehop_skb_dst_output(net.as_ptr(), self.ptr);
        }
        Verdict(bindings::NF_STOLEN)
    }
}
