// SPDX-License-Identifier: GPL-2.0

//! News of a namespace's routes.

use super::{bindings, netns::Net};
use core::{mem::offset_of, ptr};
use kernel::{error::to_result, prelude::*, sync::Arc, types::Opaque};

/// From a change to the call, which takes in all that happens meanwhile.
const DELAY_MS: u32 = 50;

/// What wants to know of route changes.
pub(crate) trait RouteUser: Send + Sync {
    /// Some route, address or link state has changed. Process context, may sleep; several
    /// changes come as one call, and a call may come without need.
    fn routes_changed(self: Arc<Self>);
}

/// Calls [`RouteUser::routes_changed`] after each change, until dropped, which may sleep and
/// waits for a call under way: never drop it with a lock held that the call takes.
///
/// The routing table's own notifier is enough: addresses and links that come, go or move to
/// another namespace show there as routes that do. Calls are [`DELAY_MS`] apart at least, as a
/// router may see thousands of changes a second.
pub(crate) struct RouteWatch<T: RouteUser>(KBox<Inner<T>>);

/// # Invariants
///
/// `notifier` is registered in `net`, which is alive; `work` is initialised with
/// [`run::<T>`]. Neither moves.
struct Inner<T: RouteUser> {
    notifier: Opaque<bindings::notifier_block>,
    work: Opaque<bindings::delayed_work>,
    net: *mut bindings::net,
    user: Arc<T>,
}

// SAFETY: It may be unregistered and cancelled from any thread.
unsafe impl<T: RouteUser> Send for RouteWatch<T> {}

impl<T: RouteUser> RouteWatch<T> {
    /// Process context, may sleep. The first call comes soon, as the table is read out. Never
    /// with a lock held that the call takes: a failure waits for it.
    ///
    /// # Errors
    ///
    /// `ENOMEM`; `EBUSY` if the table changes too fast to be read out.
    pub(crate) fn new(net: &Net, user: Arc<T>) -> Result<Self> {
        let inner = KBox::new(
            Inner {
                notifier: Opaque::new(bindings::notifier_block {
                    notifier_call: Some(notify::<T>),
                    ..Default::default()
                }),
                work: Opaque::uninit(),
                net: net.as_ptr(),
                user,
            },
            GFP_KERNEL,
        )?;
        // SAFETY: The work lies in a box and is cancelled before that is freed.
        unsafe { bindings::onehop_init_work(inner.work.get(), Some(run::<T>)) };
        // SAFETY: The namespace is alive by its type's invariant, the block lies in a box and
        // is unregistered before that is freed.
        let registered = to_result(unsafe {
            bindings::register_fib_notifier(inner.net, inner.notifier.get(), None, ptr::null_mut())
        });
        if let Err(error) = registered {
            // SAFETY: Initialised above; reading out may have scheduled it.
            unsafe { bindings::cancel_delayed_work_sync(inner.work.get()) };
            return Err(error);
        }
        Ok(Self(inner))
    }
}

impl<T: RouteUser> Drop for RouteWatch<T> {
    fn drop(&mut self) {
        // SAFETY: Registered by the invariant; in this order nothing schedules the work any
        // more when it is cancelled.
        unsafe {
            bindings::unregister_fib_notifier(self.0.net, self.0.notifier.get());
            bindings::cancel_delayed_work_sync(self.0.work.get());
        }
    }
}

/// # Safety
///
/// Called by the routing table, in atomic context, with the block of an [`Inner<T>`].
unsafe extern "C" fn notify<T: RouteUser>(
    notifier: *mut bindings::notifier_block,
    _event: c_ulong,
    info: *mut c_void,
) -> c_int {
    // SAFETY: By the contract; every event comes with the structure that tells its family, and
    // the work is initialised before the block is registered.
    unsafe {
        if !bindings::onehop_is_ipv4(info.cast()) {
            return 0;
        }
        let inner = notifier
            .byte_sub(offset_of!(Inner<T>, notifier))
            .cast::<Inner<T>>();
        bindings::onehop_schedule_work((*inner).work.get(), DELAY_MS);
    }
    0
}

/// # Safety
///
/// Called by the work queue with the work of an [`Inner<T>`].
unsafe extern "C" fn run<T: RouteUser>(work: *mut bindings::work_struct) {
    let offset = offset_of!(Inner<T>, work) + offset_of!(bindings::delayed_work, work);
    // SAFETY: By the contract; the box is not freed before the work is cancelled, which waits
    // for us.
    let inner = unsafe { &*work.byte_sub(offset).cast::<Inner<T>>() };
    // Some changes are told of before they are made, all of them under RTNL.
    // SAFETY: Process context; no caller of `drop`, who waits for us, holds RTNL.
    unsafe { bindings::onehop_rtnl_barrier() };
    inner.user.clone().routes_changed();
}
