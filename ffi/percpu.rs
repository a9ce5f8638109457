// SPDX-License-Identifier: GPL-2.0

//! Arrays of per-CPU 64-bit counters.

use super::bindings;
use kernel::prelude::*;

/// `len` counters for each possible CPU.
///
/// # Invariants
///
/// `base` is a per-CPU allocation of `len` zero-initialised `u64`, owned by this value.
pub(crate) struct Counters {
    base: *mut u64,
    len: usize,
}

// SAFETY: Per-CPU memory belongs to no thread; it may be freed from any.
unsafe impl Send for Counters {}
// SAFETY: `add` touches only the running CPU's copy, in one instruction or with preemption
// off; `sum` reads whole words.
unsafe impl Sync for Counters {}

impl Counters {
    /// # Errors
    ///
    /// `ENOMEM`. May sleep; the memory is accounted to the caller.
    pub(crate) fn new(len: usize) -> Result<Self> {
        // SAFETY: An FFI call from process context; the size is checked by the allocator.
        let base = unsafe { bindings::onehop_percpu_alloc(len) };
        if base.is_null() {
            return Err(ENOMEM);
        }
        Ok(Self { base, len })
    }

    /// Adds `value` to counter `index` of the running CPU; an index out of range adds to
    /// none. Any context.
    #[inline(always)]
    pub(crate) fn add(&self, index: usize, value: u64) {
        if index < self.len {
            // SAFETY: Within the allocation by the test above and the invariant.
            unsafe { bindings::onehop_percpu_add(self.base.add(index), value) };
        }
    }

    /// Adds to counter `index` and the one behind it. Any context.
    #[inline(always)]
    pub(crate) fn add_pair(&self, index: usize, first: u64, second: u64) {
        if index + 1 < self.len {
            // SAFETY: Both within the allocation by the test above and the invariant.
            unsafe { bindings::onehop_percpu_add_pair(self.base.add(index), first, second) };
        }
    }

    /// The sum of counter `index` over all CPUs, 0 out of range. Any context.
    pub(crate) fn sum(&self, index: usize) -> u64 {
        if index >= self.len {
            return 0;
        }
        // SAFETY: Within the allocation by the test above and the invariant.
        unsafe { bindings::onehop_percpu_sum(self.base.add(index)) }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

impl Drop for Counters {
    fn drop(&mut self) {
        // SAFETY: Ours by the invariant, and nobody can use it after `self`.
        unsafe { bindings::free_percpu(self.base.cast()) };
    }
}
