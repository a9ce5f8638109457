// SPDX-License-Identifier: GPL-2.0

//! Entries of the neighbour tables (ARP, ND).

use super::{
    bindings,
    ip::Family,
    link::{Device, Mac},
    netns::Net,
    rcu::Reader,
    skb::Skb,
    work::{Again, Work},
};
use core::{marker::PhantomData, mem::offset_of, ptr::NonNull};
use kernel::{error::to_result, prelude::*, sync::Arc, types::Opaque};

/// A host on a link whose link address is known.
///
/// Looked up for each packet and never held: a held entry survives a link flap as a dead
/// one with the old address.
///
/// # Invariants
///
/// `ptr` is a neighbour found in the RCU read-side critical section `'g`.
pub(crate) struct Neighbour<'g> {
    ptr: NonNull<bindings::neighbour>,
    _reader: PhantomData<&'g ()>,
}

impl<'g> Neighbour<'g> {
    /// The entry of `address`, if there is one that could be sent to now.
    #[inline]
    pub(crate) fn find<F: Family>(
        device: &Device<'g>,
        address: F::Address,
        _reader: Reader<'g>,
    ) -> Option<Self> {
        // SAFETY: The device lives and the RCU read lock is held for `'g`.
        let ptr = unsafe { F::neighbour(device.as_ptr(), address) };
        // INVARIANT: Just found.
        Some(Self {
            ptr: NonNull::new(ptr)?,
            _reader: PhantomData,
        })
    }

    /// Is this the host that sent us the frame of `skb`, by its link address?
    pub(crate) fn sent<P>(&self, skb: &Skb<P>) -> bool {
        // SAFETY: Both valid by their types' invariants. The link address may change under
        // us: then the answer is that of just before or after, or no.
        unsafe { bindings::onehop_neigh_sent(self.ptr.as_ptr(), skb.as_ptr()) }
    }

    /// Its link address, on Ethernet.
    pub(crate) fn mac(&self) -> Option<Mac> {
        let mut mac = [0; 6];
        // SAFETY: Valid by the invariant; `mac` has room for the six bytes.
        unsafe { bindings::onehop_neigh_mac(self.ptr.as_ptr(), mac.as_mut_ptr()) }.then_some(mac)
    }

    pub(super) fn as_ptr(&self) -> *mut bindings::neighbour {
        self.ptr.as_ptr()
    }
}

/// Begins to resolve `address`, if its link address is not known. Any context but hard interrupt.
pub(crate) fn solicit<F: Family>(device: &Device<'_>, address: F::Address) {
    // SAFETY: The device lives, under the RCU read lock that its type stands for.
    unsafe { F::solicit(device.as_ptr(), address) };
}

/// From a change to the call, which takes in all that happens meanwhile.
const DELAY_MS: u32 = 20;

/// What wants to know of changed neighbours.
pub(crate) trait NeighbourUser: Send + Sync + 'static {
    /// Some neighbour has been resolved, has failed, or has another link address. Process context,
    /// may sleep.
    fn neighbours_changed(self: &Arc<Self>);
}

/// Calls [`NeighbourUser::neighbours_changed`] after each change in a namespace, until dropped,
/// which may sleep and waits for a call under way.
pub(crate) struct NeighbourWatch<T: NeighbourUser>(KBox<Inner<T>>);

/// # Invariants
///
/// `notifier` is registered and does not move; `net` is alive.
struct Inner<T: NeighbourUser> {
    notifier: Opaque<bindings::notifier_block>,
    net: *mut bindings::net,
    work: Work<T>,
}

// SAFETY: It may be unregistered from any thread.
unsafe impl<T: NeighbourUser> Send for NeighbourWatch<T> {}

impl<T: NeighbourUser> NeighbourWatch<T> {
    /// Process context, may sleep.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
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
        // SAFETY: The block lies in a box and is unregistered before that is freed.
        to_result(unsafe { bindings::register_netevent_notifier(inner.notifier.get()) })?;
        Ok(Self(inner))
    }

    /// Asks for a call, as after a change.
    pub(crate) fn look(&self) {
        self.0.work.schedule(0);
    }
}

impl<T: NeighbourUser> Drop for NeighbourWatch<T> {
    fn drop(&mut self) {
        // SAFETY: Registered by the invariant. The chain is one of atomic notifiers: none runs
        // any more when this returns. The work ends with the box.
        unsafe { bindings::unregister_netevent_notifier(self.0.notifier.get()) };
    }
}

/// # Safety
///
/// Called by the neighbour tables, in any context, with the block of an [`Inner<T>`].
unsafe extern "C" fn notify<T: NeighbourUser>(
    notifier: *mut bindings::notifier_block,
    event: c_ulong,
    info: *mut c_void,
) -> c_int {
    // SAFETY: By the contract; the event of a neighbour comes with it. The namespace is only
    // compared.
    unsafe {
        let inner = &*notifier
            .byte_sub(offset_of!(Inner<T>, notifier))
            .cast::<Inner<T>>();
        if event == bindings::netevent_notif_type_NETEVENT_NEIGH_UPDATE as c_ulong
            && bindings::onehop_neigh_net(info.cast()) == inner.net
        {
            inner.work.schedule(DELAY_MS);
        }
    }
    0
}

fn run<T: NeighbourUser>(user: &Arc<T>) -> Again {
    user.neighbours_changed();
    None
}
