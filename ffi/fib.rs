// SPDX-License-Identifier: GPL-2.0

//! News of a namespace's routes.

use super::{
    bindings,
    netns::Net,
    notifier::{Block, Listener},
    work::{Again, Work},
};
use core::ptr;
use kernel::{error::to_result, prelude::*, sync::Arc};

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
///
/// # Invariants
///
/// The block is registered in its listener's namespace, which is alive.
pub(crate) struct RouteWatch<T: RouteUser>(KBox<Block<Routes<T>>>);

struct Routes<T: RouteUser> {
    net: *mut bindings::net,
    work: Work<T>,
}

// SAFETY: A namespace belongs to no thread.
unsafe impl<T: RouteUser> Send for Routes<T> {}

impl<T: RouteUser> RouteWatch<T> {
    /// Process context, may sleep. The first call comes soon, as the table is read out. Never
    /// with a lock held that the call takes: a failure waits for it.
    ///
    /// # Errors
    ///
    /// `ENOMEM`; `EBUSY` if the table changes too fast to be read out.
    pub(crate) fn new(net: &Net, user: Arc<T>) -> Result<Self> {
        let block = Block::new(Routes {
            net: net.as_ptr(),
            work: Work::new(user, run::<T>)?,
        })?;
        // SAFETY: The namespace is alive by its type's invariant, and the block is unregistered
        // before it is freed.
        to_result(unsafe {
            bindings::register_fib_notifier(net.as_ptr(), block.as_ptr(), None, ptr::null_mut())
        })?;
        Ok(Self(block))
    }
}

impl<T: RouteUser> Drop for RouteWatch<T> {
    fn drop(&mut self) {
        // The work ends with the box, when nothing schedules it any more.
        // SAFETY: Registered by the invariant.
        unsafe { bindings::unregister_fib_notifier(self.0.listener().net, self.0.as_ptr()) };
    }
}

impl<T: RouteUser> Listener for Routes<T> {
    unsafe fn hear(&self, _event: c_ulong, info: *mut c_void) {
        // SAFETY: By the contract; every event comes with the structure that tells its family.
        if unsafe { bindings::onehop_is_unicast(info.cast()) } {
            self.work.schedule(DELAY_MS);
        }
    }
}

fn run<T: RouteUser>(user: &Arc<T>) -> Again {
    // Some changes are told of before they are made, those of IPv4 all under RTNL; those of IPv6
    // under a spinlock, for far less than DELAY_MS.
    // SAFETY: Process context; no caller of `drop`, who waits for us, holds RTNL.
    unsafe { bindings::onehop_rtnl_barrier() };
    user.routes_changed();
    None
}
