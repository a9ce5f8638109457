// SPDX-License-Identifier: GPL-2.0

//! Network namespaces and what the module keeps for each of them.

use super::{bindings, rcu};
use core::marker::PhantomData;
use kernel::{
    error::to_result,
    prelude::*,
    sync::{
        atomic::{Acquire, Atomic, Release},
        Arc,
    },
    types::Opaque,
};

/// A network namespace as its own state sees it.
///
/// # Invariants
///
/// `ptr` is valid from [`PerNet::new`] to the end of [`PerNet::stop`], and beyond for whoever
/// holds a [`NetRef`] to the same namespace. Hooks, notifiers and work end with `stop`; an
/// open device holds a [`NetRef`].
pub(crate) struct Net {
    ptr: *mut bindings::net,
}

// SAFETY: A namespace belongs to no thread.
unsafe impl Send for Net {}
// SAFETY: The functions of ffi that take a `&Net` may be called from several threads.
unsafe impl Sync for Net {}

impl Net {
    pub(super) fn as_ptr(&self) -> *mut bindings::net {
        self.ptr
    }
}

/// A counted reference to a namespace, which cannot go away meanwhile.
///
/// # Invariants
///
/// `ptr` is valid and one reference to it is ours.
pub(crate) struct NetRef {
    ptr: *mut bindings::net,
}

// SAFETY: A namespace belongs to no thread; its count is atomic.
unsafe impl Send for NetRef {}
// SAFETY: As above.
unsafe impl Sync for NetRef {}

impl NetRef {
    /// The namespace of the calling process.
    pub(crate) fn current() -> Self {
        // SAFETY: A process in a system call has an nsproxy, whose namespace it pins; the
        // reference taken is ours.
        let ptr = unsafe { bindings::onehop_get_net(bindings::onehop_current_net()) };
        Self { ptr }
    }

    /// Does the calling process have CAP_NET_ADMIN in it now?
    pub(crate) fn is_administrable(&self) -> bool {
        // SAFETY: Valid by the invariant.
        unsafe { bindings::onehop_net_capable(self.ptr) }
    }

    /// What the module keeps for it.
    ///
    /// # Errors
    ///
    /// `ENODEV` before the registration and after its end.
    pub(crate) fn state<T: PerNet>(&self) -> Result<Arc<T>> {
        let id = T::key().id.load(Acquire);
        if id == 0 {
            return Err(ENODEV);
        }
        // SAFETY: The namespace is alive by the invariant, and the pointer in the slot was
        // put there by `init::<T>`, as a key belongs to one T; it is null only in a namespace
        // that the registration has not reached yet or has left.
        unsafe {
            let state = *slot::<T>(self.ptr, id);
            if state.is_null() {
                return Err(ENODEV);
            }
            Ok(borrow(state))
        }
    }
}

impl Drop for NetRef {
    fn drop(&mut self) {
        // SAFETY: By the invariant the reference is ours.
        unsafe { bindings::onehop_put_net(self.ptr) };
    }
}

/// State that exists once in each namespace.
pub(crate) trait PerNet: Sized + Send + Sync + 'static {
    /// Where it is found: a static beside the type.
    fn key() -> &'static Key<Self>;

    /// For a namespace that begins, or that is there when the module is loaded. May sleep.
    fn new(net: Net) -> Result<Arc<Self>>;

    /// The namespace ends or the module goes: all registrations that could still call into
    /// `state` must end, and references from it to itself. May sleep.
    fn stop(state: &Arc<Self>);
}

/// Names a type's slot in each namespace.
pub(crate) struct Key<T> {
    id: Atomic<u32>,
    _type: PhantomData<fn() -> T>,
}

impl<T> Key<T> {
    pub(crate) const fn new() -> Self {
        Self {
            id: Atomic::new(0),
            _type: PhantomData,
        }
    }
}

/// Keeps a `T` in each namespace while it lasts.
///
/// # Invariants
///
/// `operations` is registered.
pub(crate) struct Registration<T: PerNet> {
    operations: KBox<Opaque<bindings::pernet_operations>>,
    _type: PhantomData<T>,
}

// SAFETY: It may be unregistered from any thread.
unsafe impl<T: PerNet> Send for Registration<T> {}
// SAFETY: It has no methods for `&self`.
unsafe impl<T: PerNet> Sync for Registration<T> {}

impl<T: PerNet> Registration<T> {
    /// # Errors
    ///
    /// `ENOMEM`, or what [`PerNet::new`] answers; then no namespace has a `T`.
    pub(crate) fn new() -> Result<Self> {
        let operations = KBox::new(
            Opaque::new(bindings::pernet_operations {
                init: Some(init::<T>),
                pre_exit: Some(pre_exit::<T>),
                exit: Some(exit::<T>),
                id: T::key().id.as_ptr(),
                size: size_of::<*const T>(),
                ..Default::default()
            }),
            GFP_KERNEL,
        )?;
        // SAFETY: The structure stays in its box until `drop` has unregistered it, and the
        // functions in it are those for T.
        to_result(unsafe { bindings::register_pernet_subsys(operations.get()) })?;
        Ok(Self {
            operations,
            _type: PhantomData,
        })
    }
}

impl<T: PerNet> Drop for Registration<T> {
    fn drop(&mut self) {
        // SAFETY: Registered by the invariant.
        unsafe { bindings::unregister_pernet_subsys(self.operations.get()) };
        // Values that RCU has yet to free have their destructors in this module's text.
        rcu::barrier();
        T::key().id.store(0, Release);
    }
}

/// # Safety
///
/// `net` is a live namespace and `id` that of a registered [`Key<T>`].
unsafe fn slot<T>(net: *mut bindings::net, id: u32) -> *mut *const T {
    // SAFETY: By the contract; the slot was allocated with the size of a pointer.
    unsafe { bindings::onehop_net_generic(net, id).cast() }
}

/// # Safety
///
/// `state` came from [`Arc::into_raw`] and that reference is not given back meanwhile.
unsafe fn borrow<T>(state: *const T) -> Arc<T> {
    // SAFETY: By the contract; the clone has a reference of its own, the original keeps its.
    let original = core::mem::ManuallyDrop::new(unsafe { Arc::from_raw(state) });
    (*original).clone()
}

/// # Safety
///
/// Called by the kernel for a namespace that begins, once.
unsafe extern "C" fn init<T: PerNet>(net: *mut bindings::net) -> c_int {
    match T::new(Net { ptr: net }) {
        Ok(state) => {
            // SAFETY: The kernel has set the id and allocated the slot before it calls.
            unsafe { *slot::<T>(net, T::key().id.load(Acquire)) = state.into_raw() };
            0
        }
        Err(error) => error.to_errno(),
    }
}

/// # Safety
///
/// Called by the kernel for a namespace that ends, once, after `init` succeeded.
unsafe extern "C" fn pre_exit<T: PerNet>(net: *mut bindings::net) {
    // SAFETY: The slot holds what `init` put there.
    let state = unsafe { *slot::<T>(net, T::key().id.load(Acquire)) };
    if !state.is_null() {
        // SAFETY: The reference is given back only in `exit`, after this.
        T::stop(&unsafe { borrow(state) });
    }
}

/// # Safety
///
/// Called by the kernel for a namespace that ends, once, a grace period after `pre_exit`.
unsafe extern "C" fn exit<T: PerNet>(net: *mut bindings::net) {
    // SAFETY: The slot holds what `init` put there, whose reference ends here.
    unsafe {
        let slot = slot::<T>(net, T::key().id.load(Acquire));
        let state = core::mem::replace(&mut *slot, core::ptr::null());
        if !state.is_null() {
            drop(Arc::from_raw(state));
        }
    }
}
