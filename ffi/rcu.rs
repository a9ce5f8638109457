// SPDX-License-Identifier: GPL-2.0

//! A value that packets read without a lock and one writer at a time replaces.

use super::{atomic::read_once, bindings};
use core::{marker::PhantomData, mem::offset_of, ptr};
use kernel::{
    error::to_result,
    prelude::*,
    sync::{
        atomic::{Atomic, Full, Relaxed},
        lock::{mutex::MutexBackend, Guard},
        rcu, LockClassKey, Mutex,
    },
    types::NotThreadSafe,
};

/// Replaced values that may await their grace period at a time; a writer that is faster
/// than that waits. Bounds the memory a storm of changes can hold.
const MAX_IN_FLIGHT: usize = 64;

static IN_FLIGHT: Atomic<usize> = Atomic::new(0);

/// Evidence that an RCU read-side critical section lasts for `'g`.
///
/// Cheaper than [`rcu::Guard`] where the caller of a callback already holds the lock.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'g>(PhantomData<&'g ()>, NotThreadSafe);

impl<'g> Reader<'g> {
    /// # Safety
    ///
    /// The RCU read lock is held for the whole of `'g`.
    pub(super) unsafe fn assume_locked() -> Self {
        Self(PhantomData, NotThreadSafe)
    }
}

impl<'g> From<&'g rcu::Guard> for Reader<'g> {
    fn from(_: &'g rcu::Guard) -> Self {
        Self(PhantomData, NotThreadSafe)
    }
}

/// A value with the head that `call_rcu` needs, allocated before the swap so that the swap
/// cannot fail.
#[repr(C)]
pub(crate) struct Prepared<T> {
    head: bindings::callback_head,
    value: T,
}

impl<T: Send + Sync> Prepared<T> {
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new(value: T) -> Result<KBox<Self>> {
        Ok(KBox::new(
            Self {
                head: bindings::callback_head::default(),
                value,
            },
            kernel::alloc::flags::GFP_KERNEL_ACCOUNT,
        )?)
    }
}

impl<T> core::ops::Deref for Prepared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// An optional `T` for many readers, with the writers' own data `W` behind the lock that
/// makes them take turns.
///
/// # Invariants
///
/// `current` is null or came from [`KBox::into_raw`] of a [`Prepared<T>`] that is freed only
/// after a grace period from when it was taken out, or with the cell itself.
#[pin_data(PinnedDrop)]
pub(crate) struct RcuCell<T: Send + Sync, W: Send + Unpin> {
    current: Atomic<*mut Prepared<T>>,
    #[pin]
    writer: Mutex<W>,
}

impl<T: Send + Sync, W: Send + Unpin> RcuCell<T, W> {
    /// `key` tells lockdep one cell's writers from another's, which may be nested.
    pub(crate) fn new(
        writer: W,
        name: &'static CStr,
        key: Pin<&'static LockClassKey>,
    ) -> impl PinInit<Self> {
        pin_init!(Self {
            current: Atomic::new(ptr::null_mut()),
            writer <- Mutex::new(writer, name, key),
        })
    }

    /// What stands now. Any context.
    #[inline]
    pub(crate) fn read<'g>(&'g self, _reader: Reader<'g>) -> Option<&'g T> {
        // As rcu_dereference() does: what is read through it depends on it.
        let current = read_once(&self.current);
        // SAFETY: By the invariant the value outlives a grace period that has not ended while
        // the read-side critical section of `_reader` lasts, and nobody writes to it.
        unsafe { current.as_ref() }.map(|prepared| &prepared.value)
    }

    /// Takes the writers' turn. Process context, may sleep.
    pub(crate) fn write(&self) -> Writer<'_, T, W> {
        Writer {
            cell: self,
            turn: self.writer.lock(),
        }
    }

    /// The same for a process that may be killed while it waits: turns may last seconds.
    ///
    /// # Errors
    ///
    /// `EINTR` if it is being killed.
    pub(crate) fn write_killable(&self) -> Result<Writer<'_, T, W>> {
        // The kernel crate's mutex has no such call. Its lock is `repr(C)` and begins with the
        // kernel's own, on which `Lock::from_raw` relies as well.
        let mutex = ptr::from_ref(&self.writer)
            .cast_mut()
            .cast::<bindings::mutex>();
        // SAFETY: The mutex is initialised, as it exists; process context by the callers' contract.
        to_result(unsafe { bindings::onehop_lock_killable(mutex) })?;
        // SAFETY: It was just acquired.
        let turn = unsafe { Guard::new(&self.writer, ()) };
        Ok(Writer { cell: self, turn })
    }
}

#[pinned_drop]
impl<T: Send + Sync, W: Send + Unpin> PinnedDrop for RcuCell<T, W> {
    fn drop(self: Pin<&mut Self>) {
        let current = self.current.load(Relaxed);
        if !current.is_null() {
            // SAFETY: By the invariant it is an unfreed box; `&mut self` excludes readers.
            drop(unsafe { KBox::from_raw(current) });
        }
    }
}

/// A writer's turn: nobody else replaces the value while it lasts.
pub(crate) struct Writer<'a, T: Send + Sync, W: Send + Unpin> {
    cell: &'a RcuCell<T, W>,
    turn: Guard<'a, W, MutexBackend>,
}

impl<T: Send + Sync, W: Send + Unpin> Writer<'_, T, W> {
    /// The writers' own data.
    pub(crate) fn data(&mut self) -> &mut W {
        &mut self.turn
    }

    /// What stands now, for as long as this writer does not replace it.
    pub(crate) fn current(&self) -> Option<&T> {
        let current = self.cell.current.load(Relaxed);
        // SAFETY: Only a writer takes a value out, which needs `&mut self`, and this one has
        // the turn: the value stays for as long as `self` is borrowed.
        unsafe { current.as_ref() }.map(|prepared| &prepared.value)
    }

    /// Puts `new` in place of what stands, which is freed after a grace period. May sleep.
    pub(crate) fn replace(&mut self, new: Option<KBox<Prepared<T>>>) {
        let new = new.map_or(ptr::null_mut(), KBox::into_raw);
        let old = self.cell.current.xchg(new, Full);
        if old.is_null() {
            return;
        }
        if IN_FLIGHT.fetch_add(1, Relaxed) >= MAX_IN_FLIGHT {
            barrier();
        }
        // SAFETY: By the cell's invariant `old` is an unfreed box, now out of readers' reach;
        // its head is its own and `free` frees it once.
        unsafe { bindings::call_rcu(&raw mut (*old).head, Some(free::<T>)) };
    }
}

/// Waits until all that was replaced before has been freed. May sleep.
pub(crate) fn barrier() {
    // SAFETY: May be called by whoever may sleep. The kernel crate has a name for it since 7.3.
    unsafe { bindings::rcu_barrier() };
}

/// # Safety
///
/// `head` is the head of a boxed [`Prepared<T>`] that nobody else will touch again.
unsafe extern "C" fn free<T>(head: *mut bindings::callback_head) {
    const { assert!(offset_of!(Prepared<T>, head) == 0) };
    // SAFETY: By the contract `head` is the first field of a box that is ours.
    drop(unsafe { KBox::from_raw(head.cast::<Prepared<T>>()) });
    IN_FLIGHT.fetch_sub(1, Relaxed);
}
