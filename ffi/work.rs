// SPDX-License-Identifier: GPL-2.0

//! Work put off to a kernel worker.

use super::bindings;
use core::mem::offset_of;
use kernel::{prelude::*, sync::Arc, types::Opaque};

/// Something to do some time after it was asked for; asked for again meanwhile, it is done once.
/// Ends when dropped, which may sleep and waits for a run under way: never drop it with a lock
/// held that the run takes.
pub(crate) struct Work<T: Send + Sync>(KBox<Inner<T>>);

/// # Invariants
///
/// `work` is initialised with [`enter::<T>`], and does not move.
struct Inner<T: Send + Sync> {
    work: Opaque<bindings::delayed_work>,
    user: Arc<T>,
    run: fn(&Arc<T>) -> Again,
}

/// Whether work is to run again, in how many milliseconds.
pub(crate) type Again = Option<u32>;

// SAFETY: It may be scheduled and cancelled from any thread.
unsafe impl<T: Send + Sync> Send for Work<T> {}
// SAFETY: As above; the work's state is atomic.
unsafe impl<T: Send + Sync> Sync for Work<T> {}

impl<T: Send + Sync> Work<T> {
    /// `run` is called in process context and may sleep.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new(user: Arc<T>, run: fn(&Arc<T>) -> Again) -> Result<Self> {
        let inner = KBox::new(
            Inner {
                work: Opaque::uninit(),
                user,
                run,
            },
            GFP_KERNEL_ACCOUNT,
        )?;
        // SAFETY: The work lies in a box and is cancelled before that is freed.
        unsafe { bindings::onehop_init_work(inner.work.get(), Some(enter::<T>)) };
        Ok(Self(inner))
    }

    /// Asks for a run in `ms` milliseconds, unless one is due already. Any context.
    pub(crate) fn schedule(&self, ms: u32) {
        // SAFETY: Initialised by the invariant.
        unsafe { bindings::onehop_schedule_work(self.0.work.get(), ms) };
    }

    /// Asks for a run now, also if one is due later. Any context.
    pub(crate) fn hurry(&self) {
        // SAFETY: Initialised by the invariant.
        unsafe { bindings::onehop_hurry_work(self.0.work.get()) };
    }
}

impl<T: Send + Sync> Drop for Work<T> {
    fn drop(&mut self) {
        // SAFETY: Initialised by the invariant. Also ends a run that would schedule itself again.
        unsafe { bindings::cancel_delayed_work_sync(self.0.work.get()) };
    }
}

/// # Safety
///
/// Called by the work queue with the work of an [`Inner<T>`].
unsafe extern "C" fn enter<T: Send + Sync>(work: *mut bindings::work_struct) {
    let offset = offset_of!(Inner<T>, work) + offset_of!(bindings::delayed_work, work);
    // SAFETY: By the contract; the box is not freed before the work is cancelled, which waits
    // for us.
    let inner = unsafe { &*work.byte_sub(offset).cast::<Inner<T>>() };
    if let Some(ms) = (inner.run)(&inner.user) {
        // SAFETY: Initialised by the invariant.
        unsafe { bindings::onehop_schedule_work(inner.work.get(), ms) };
    }
}
