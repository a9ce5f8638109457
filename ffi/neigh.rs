// SPDX-License-Identifier: GPL-2.0

//! Entries of the neighbour tables (ARP, ND).

use super::{
    bindings,
    ip::Family,
    link::{Device, Mac},
    netns::Net,
    notifier::{Block, Listener},
    rcu::Reader,
    skb::Skb,
    work::{Again, Work},
};
use core::{marker::PhantomData, ptr::NonNull};
use kernel::{error::to_result, prelude::*, sync::Arc};

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

/// Begins to resolve `address`, if nothing is known of it, not even that it does not answer. Any
/// context but hard interrupt.
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
///
/// # Invariants
///
/// The block is registered.
pub(crate) struct NeighbourWatch<T: NeighbourUser>(KBox<Block<Neighbours<T>>>);

struct Neighbours<T: NeighbourUser> {
    /// Only compared.
    net: *const bindings::net,
    work: Work<T>,
}

// SAFETY: A namespace belongs to no thread.
unsafe impl<T: NeighbourUser> Send for Neighbours<T> {}

impl<T: NeighbourUser> NeighbourWatch<T> {
    /// Process context, may sleep.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new(net: &Net, user: Arc<T>) -> Result<Self> {
        let block = Block::new(Neighbours {
            net: net.as_ptr(),
            work: Work::new(user, run::<T>)?,
        })?;
        // SAFETY: The block is unregistered before it is freed.
        to_result(unsafe { bindings::register_netevent_notifier(block.as_ptr()) })?;
        Ok(Self(block))
    }

    /// Asks for a call, as after a change.
    pub(crate) fn look(&self) {
        self.0.listener().work.schedule(0);
    }
}

impl<T: NeighbourUser> Drop for NeighbourWatch<T> {
    fn drop(&mut self) {
        // SAFETY: Registered by the invariant. The chain is one of atomic notifiers: none runs
        // any more when this returns. The work ends with the box.
        unsafe { bindings::unregister_netevent_notifier(self.0.as_ptr()) };
    }
}

impl<T: NeighbourUser> Listener for Neighbours<T> {
    unsafe fn hear(&self, event: c_ulong, info: *mut c_void) {
        if event != bindings::netevent_notif_type_NETEVENT_NEIGH_UPDATE as c_ulong {
            return;
        }
        // SAFETY: By the contract; this event comes with its neighbour.
        if unsafe { bindings::onehop_neigh_net(info.cast()) } == self.net {
            self.work.schedule(DELAY_MS);
        }
    }
}

fn run<T: NeighbourUser>(user: &Arc<T>) -> Again {
    user.neighbours_changed();
    None
}
