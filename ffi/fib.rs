// SPDX-License-Identifier: GPL-2.0

//! News of a namespace's routes.

use super::{
    bindings,
    netns::Net,
    work::{Again, Work},
};
use core::{mem::offset_of, ptr};
use kernel::{error::to_result, prelude::*, sync::Arc, types::Opaque};

/// From a change to the call, which takes in all that happens meanwhile.
const DELAY_MS: u32 = 50;

/// What wants to know of route changes.
pub(crate) trait RouteUser: Send + Sync + 'static {
    /// Some route, address or link state has changed. Process context, may sleep; several
    /// changes come as one call, and a call may come without need.
    fn routes_changed(self: &Arc<Self>);
}

/// Calls [`RouteUser::routes_changed`] after each change, until dropped, which may sleep and
/// waits for a call under way: never drop it with a lock held that the call takes.
///
/// The routing tables' own notifier is enough: addresses and links that come, go or move to
/// another namespace show there as routes that do. Calls are [`DELAY_MS`] apart at least, as a
/// router may see thousands of changes a second.
pub(crate) struct RouteWatch<T: RouteUser>(KBox<Inner<T>>);

/// # Invariants
///
/// `notifier` is registered in `net`, which is alive, and does not move.
struct Inner<T: RouteUser> {
    notifier: Opaque<bindings::notifier_block>,
    net: *mut bindings::net,
    work: Work<T>,
}

// SAFETY: It may be unregistered from any thread.
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
                net: net.as_ptr(),
                work: Work::new(user, run::<T>)?,
            },
            GFP_KERNEL,
        )?;
        // SAFETY: The namespace is alive by its type's invariant, the block lies in a box and
        // is unregistered before that is freed.
        to_result(unsafe {
            bindings::register_fib_notifier(inner.net, inner.notifier.get(), None, ptr::null_mut())
        })?;
        Ok(Self(inner))
    }
}

impl<T: RouteUser> Drop for RouteWatch<T> {
    fn drop(&mut self) {
        // The work ends with the box, when nothing schedules it any more.
        // SAFETY: Registered by the invariant.
        unsafe { bindings::unregister_fib_notifier(self.0.net, self.0.notifier.get()) };
    }
}

/// # Safety
///
/// Called by the routing tables, in atomic context, with the block of an [`Inner<T>`].
unsafe extern "C" fn notify<T: RouteUser>(
    notifier: *mut bindings::notifier_block,
    _event: c_ulong,
    info: *mut c_void,
) -> c_int {
    // SAFETY: By the contract; every event comes with the structure that tells its family.
    unsafe {
        if !bindings::onehop_is_unicast(info.cast()) {
            return 0;
        }
        let inner = notifier
            .byte_sub(offset_of!(Inner<T>, notifier))
            .cast::<Inner<T>>();
        (*inner).work.schedule(DELAY_MS);
    }
    0
}

fn run<T: RouteUser>(user: &Arc<T>) -> Again {
    // Some changes are told of before they are made, those of IPv4 all under RTNL; those of IPv6
    // under a spinlock, for far less than DELAY_MS.
    // SAFETY: Process context; no caller of `drop`, who waits for us, holds RTNL.
    unsafe { bindings::onehop_rtnl_barrier() };
    user.routes_changed();
    None
}
