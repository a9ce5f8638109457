// SPDX-License-Identifier: GPL-2.0

//! Words that packets read, and that others, or other packets, write.

use kernel::sync::atomic::{Atomic, AtomicType};

/// C's READ_ONCE(): one load, in no order but that of what is read through its value. The same as
/// [`Atomic::load`] with `Relaxed`, which is a function of C's, and a call of one for each packet.
#[inline(always)]
pub(crate) fn read_once<T: AtomicType>(place: &Atomic<T>) -> T {
    // SAFETY: The place is valid and aligned for `T` and lives as long as the reference. Whoever
    // writes to it does so atomically, for which a volatile load is no race in the kernel's memory
    // model.
    unsafe { place.as_ptr().read_volatile() }
}

/// C's WRITE_ONCE(), likewise: the same as [`Atomic::store`] with `Relaxed`.
#[inline(always)]
pub(crate) fn write_once<T: AtomicType>(place: &Atomic<T>, value: T) {
    // SAFETY: As above; nor is a volatile store a race with whoever reads and writes atomically.
    unsafe { place.as_ptr().write_volatile(value) }
}
