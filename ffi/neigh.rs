// SPDX-License-Identifier: GPL-2.0

//! Entries of the ARP table.

use super::{bindings, rcu::Reader, route::Device, skb::Skb};
use core::{marker::PhantomData, ptr::NonNull};

/// A host on a link whose link address is known.
///
/// Looked up for each packet and never held: a held entry survives a link flap as a dead
/// one with the old address.
///
/// # Invariants
///
/// `ptr` is a neighbour found in the RCU read-side critical section `'g`.
pub(crate) struct Neighbour<'g> {
    ptr: NonNull<bindings::neighbour>,
    _reader: PhantomData<&'g ()>,
}

impl<'g> Neighbour<'g> {
    /// The entry of `address`, if there is one that could be sent to now.
    pub(crate) fn find(device: &Device<'g>, address: [u8; 4], _reader: Reader<'g>) -> Option<Self> {
        // SAFETY: The device lives and the RCU read lock is held for `'g`.
        let ptr = unsafe { bindings::onehop_neigh4(device.as_ptr(), u32::from_ne_bytes(address)) };
        let ptr = NonNull::new(ptr)?;
        // SAFETY: Just found, and not freed in `'g`.
        if !unsafe { bindings::onehop_neigh_is_valid(ptr.as_ptr()) } {
            return None;
        }
        Some(Self {
            ptr,
            _reader: PhantomData,
        })
    }

    /// Is this the host that sent us the frame of `skb`, by its link address?
    pub(crate) fn sent(&self, skb: &Skb) -> bool {
        // SAFETY: Both valid by their types' invariants. The link address may change under
        // us: then the answer is that of just before or after, or no.
        unsafe { bindings::onehop_neigh_sent(self.ptr.as_ptr(), skb.as_ptr()) }
    }

    pub(super) fn as_ptr(&self) -> *mut bindings::neighbour {
        self.ptr.as_ptr()
    }
}
