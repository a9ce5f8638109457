// SPDX-License-Identifier: GPL-2.0

//! Blocks in the kernel's notifier chains.

use super::bindings;
use core::mem::offset_of;
use kernel::{prelude::*, types::Opaque};

/// Who is told.
pub(super) trait Listener {
    /// In the context of the chain, which may be atomic.
    ///
    /// # Safety
    ///
    /// `event` and `info` are what the chain that the block is in tells.
    unsafe fn hear(&self, event: c_ulong, info: *mut c_void);
}

/// A block and whom it tells, in one place, that one is found by the other.
pub(super) struct Block<L: Listener> {
    notifier: Opaque<bindings::notifier_block>,
    listener: L,
}

// SAFETY: The block is the chain's, which has a lock of its own; nothing here touches it.
unsafe impl<L: Listener + Send> Send for Block<L> {}

impl<L: Listener> Block<L> {
    /// In a box, as the chain needs it where it is: to be taken out of it before it is freed.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(super) fn new(listener: L) -> Result<KBox<Self>> {
        let notifier = Opaque::new(bindings::notifier_block {
            notifier_call: Some(enter::<L>),
            ..Default::default()
        });
        let block = Self { notifier, listener };
        Ok(KBox::new(block, GFP_KERNEL_ACCOUNT)?)
    }

    pub(super) fn as_ptr(&self) -> *mut bindings::notifier_block {
        self.notifier.get()
    }

    pub(super) fn listener(&self) -> &L {
        &self.listener
    }
}

/// # Safety
///
/// Called by a chain with a block of [`Block<L>`], which is not freed before it is out of the chain.
unsafe extern "C" fn enter<L: Listener>(
    notifier: *mut bindings::notifier_block,
    event: c_ulong,
    info: *mut c_void,
) -> c_int {
    // SAFETY: By the contract.
    unsafe {
        let block = &*notifier
            .byte_sub(offset_of!(Block<L>, notifier))
            .cast::<Block<L>>();
        block.listener.hear(event, info);
    }
    0
}
