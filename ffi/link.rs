// SPDX-License-Identifier: GPL-2.0

//! Network devices, and frames of our own on their links.

use super::{bindings, netns::Net, rcu::Reader};
use core::{marker::PhantomData, ptr::NonNull};
use kernel::prelude::*;

/// A link address (IEEE 802, EUI-48).
pub(crate) type Mac = [u8; 6];

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

/// What kind of packet a frame holds.
#[derive(Clone, Copy)]
pub(crate) enum EtherType {
    Arp,
    Ipv6,
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

    /// # Safety
    ///
    /// `ptr` is null, or a device that lives for `'g`.
    pub(super) unsafe fn from_raw(ptr: *mut bindings::net_device) -> Option<Self> {
        // INVARIANT: By the contract.
        Some(Self {
            ptr: NonNull::new(ptr)?,
            _reader: PhantomData,
        })
    }

    /// The number of the VRF it is in, or 0.
    pub(super) fn master(&self) -> i32 {
        // SAFETY: Valid for `'g`, under the RCU read lock that the type stands for.
        unsafe { bindings::onehop_dev_master(self.ptr.as_ptr()) }
    }

    /// Its number in its namespace.
    pub(crate) fn index(&self) -> u32 {
        // SAFETY: Valid for `'g`.
        unsafe { bindings::onehop_dev_ifindex(self.ptr.as_ptr()) }.unsigned_abs()
    }

    /// Bytes, network header on.
    #[inline]
    pub(crate) fn mtu(&self) -> u32 {
        // SAFETY: Valid for `'g`.
        unsafe { mtu(self.ptr.as_ptr()) }
    }

    /// Its own link address, on Ethernet.
    pub(crate) fn mac(&self) -> Option<Mac> {
        let mut mac = [0; 6];
        // SAFETY: Valid for `'g`; `mac` has room for the six bytes. An address that is being
        // changed may be read half: the next announcement corrects it.
        unsafe { bindings::onehop_dev_mac(self.ptr.as_ptr(), mac.as_mut_ptr()) }.then_some(mac)
    }

    /// Does it lead back to this host?
    pub(crate) fn is_loopback(&self) -> bool {
        // SAFETY: Valid for `'g`.
        unsafe { bindings::onehop_dev_is_loopback(self.ptr.as_ptr()) }
    }

    /// Is it that of a VRF? Packets are shown on it besides the device that they really take.
    pub(crate) fn is_master(&self) -> bool {
        // SAFETY: Valid for `'g`.
        unsafe { bindings::onehop_dev_is_master(self.ptr.as_ptr()) }
    }

    /// Its IPv4 addresses with their masks.
    pub(crate) fn ipv4_addresses(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..).map_while(|nth| {
            let (mut address, mut mask) = (0, 0);
            // SAFETY: Valid for `'g`, under the RCU read lock that the type stands for.
            let found = unsafe {
                bindings::onehop_dev_address4(self.ptr.as_ptr(), nth, &mut address, &mut mask)
            };
            found.then(|| (u32::from_be(address), u32::from_be(mask)))
        })
    }

    /// Sends a frame of our own, past all hooks of the stack. Any context but hard interrupt.
    ///
    /// # Errors
    ///
    /// `ENOMEM`; `EINVAL` if the link takes no such frame.
    pub(crate) fn send(&self, kind: EtherType, to: Mac, payload: &[u8]) -> Result {
        let protocol = match kind {
            EtherType::Arp => bindings::ETH_P_ARP,
            EtherType::Ipv6 => bindings::ETH_P_IPV6,
        };
        let len = u32::try_from(payload.len())?;
        // `to` has as many bytes as the link header takes.
        self.mac().ok_or(EINVAL)?;
        // SAFETY: The device lives for `'g`. The packet is ours until it is freed or queued, and
        // has `len` bytes of data from its network header on, which the copy fills.
        unsafe {
            let skb = bindings::onehop_skb_alloc(self.ptr.as_ptr(), len);
            if skb.is_null() {
                return Err(ENOMEM);
            }
            core::ptr::copy_nonoverlapping(payload.as_ptr(), (*skb).data, payload.len());
            if bindings::onehop_skb_link_header(skb, protocol as u16, to.as_ptr()) < 0 {
                bindings::sk_skb_reason_drop(
                    core::ptr::null_mut(),
                    skb,
                    bindings::skb_drop_reason_SKB_DROP_REASON_DEV_HDR,
                );
                return Err(EINVAL);
            }
            bindings::__dev_queue_xmit(skb, core::ptr::null_mut());
        }
        Ok(())
    }

    pub(super) fn as_ptr(&self) -> *mut bindings::net_device {
        self.ptr.as_ptr()
    }
}

/// A device's MTU by C's READ_ONCE(), see [`super::atomic`]: bindgen does not know the structure, and
/// a function of C's would be a call for each packet.
///
/// # Safety
///
/// `device` is a live device.
#[inline]
pub(super) unsafe fn mtu(device: *const bindings::net_device) -> u32 {
    // SAFETY: By the contract; the field is there, and its writers change it in one store.
    unsafe {
        let mtu = device.byte_add(bindings::ONEHOP_DEV_MTU as usize);
        mtu.cast::<u32>().read_volatile()
    }
}
