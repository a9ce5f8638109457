// SPDX-License-Identifier: GPL-2.0

//! Words that packets read, and that others, or other packets, write: on 64 bits.

use kernel::sync::atomic::{Atomic, AtomicType};

/// C's READ_ONCE(): one load, in no order but that of what is read through its value. The same as
/// [`Atomic::load`] with `Relaxed`, which is a function of C's, and a call of one for each packet.
#[inline(always)]
pub(crate) fn read_once<T: AtomicType>(place: &Atomic<T>) -> T {
    const { assert!(size_of::<T>() <= size_of::<usize>()) };
    // SAFETY: The place is valid and aligned for `T`, has one of its values by `Atomic`'s invariant,
    // and lives as long as the reference. Whoever writes to it does so atomically; and one load of a
    // word, which is volatile, is no race with that in the kernel's memory model.
    unsafe { place.as_ptr().read_volatile() }
}

/// C's WRITE_ONCE(), likewise: the same as [`Atomic::store`] with `Relaxed`.
#[inline(always)]
pub(crate) fn write_once<T: AtomicType>(place: &Atomic<T>, value: T) {
    const { assert!(size_of::<T>() <= size_of::<usize>()) };
    // SAFETY: As above; and `value` is a `T`, stored as one word.
    unsafe { place.as_ptr().write_volatile(value) }
}
