// SPDX-License-Identifier: GPL-2.0

//! Netfilter hooks.

use super::{
    bindings,
    netns::Net,
    rcu::Reader,
    skb::{Skb, Verdict},
};
use kernel::{error::to_result, prelude::*, sync::Arc};

/// Where in a packet's way a hook sits.
#[derive(Clone, Copy)]
pub(crate) enum Point {
    /// IPv4 packets just received and validated, before routing.
    PreRouting4,
}

/// One hook: reads the packet, decides, acts. A unit type with a file of its own.
pub(crate) trait Hook {
    /// What it works on; see [`Registration::new`].
    type State: Send + Sync;

    const POINT: Point;

    /// Smaller runs earlier; compare `enum nf_ip_hook_priorities`.
    const PRIORITY: i32;

    /// Runs in softirq, or with bottom halves off, under the RCU read lock: must not sleep.
    fn run(state: &Self::State, reader: Reader<'_>, skb: Skb) -> Verdict;
}

/// A hook at work in one namespace; ends when dropped, which may sleep.
///
/// # Invariants
///
/// `operations` is registered in `net`, which is alive, and points to `_state`.
pub(crate) struct Registration<S: Send + Sync> {
    operations: KBox<bindings::nf_hook_ops>,
    net: *mut bindings::net,
    _state: Arc<S>,
}

// SAFETY: It may be unregistered from any thread.
unsafe impl<S: Send + Sync> Send for Registration<S> {}

impl<S: Send + Sync> Registration<S> {
    /// Starts `H` on `state`, which the registration keeps alive. May sleep.
    ///
    /// # Errors
    ///
    /// `ENOMEM`; then nothing is registered.
    pub(crate) fn new<H: Hook<State = S>>(net: &Net, state: Arc<S>) -> Result<Self> {
        let (pf, hooknum) = match H::POINT {
            Point::PreRouting4 => (
                bindings::NFPROTO_IPV4,
                bindings::nf_inet_hooks_NF_INET_PRE_ROUTING,
            ),
        };
        let operations = KBox::new(
            bindings::nf_hook_ops {
                hook: Some(enter::<H>),
                priv_: core::ptr::from_ref::<S>(&state).cast_mut().cast(),
                pf: u8::try_from(pf)?,
                hooknum,
                priority: H::PRIORITY,
                ..Default::default()
            },
            GFP_KERNEL,
        )?;
        // SAFETY: The namespace is alive by its type's invariant; the structure stays in its
        // box until `drop` has unregistered it and waited for those who still read it.
        to_result(unsafe { bindings::nf_register_net_hooks(net.as_ptr(), &*operations, 1) })?;
        Ok(Self {
            operations,
            net: net.as_ptr(),
            _state: state,
        })
    }
}

impl<S: Send + Sync> Drop for Registration<S> {
    fn drop(&mut self) {
        // SAFETY: Registered by the invariant.
        unsafe { bindings::nf_unregister_net_hooks(self.net, &*self.operations, 1) };
        // Unregistering does not wait: packets may still be in the hook, and dumps read the
        // structure until the grace period ends.
        kernel::sync::rcu::synchronize_rcu();
    }
}

/// # Safety
///
/// Called by netfilter for a hook that [`Registration::new`] registered for the same `H`.
unsafe extern "C" fn enter<H: Hook>(
    private: *mut c_void,
    skb: *mut bindings::sk_buff,
    _state: *const bindings::nf_hook_state,
) -> c_uint {
    // SAFETY: `private` is the registration's state, alive until the registration has waited
    // for us; nf_hook_slow holds the RCU read lock around us, and hands over a packet whose
    // data begin at the network header.
    unsafe {
        let state = &*private.cast::<H::State>();
        H::run(state, Reader::assume_locked(), Skb::from_raw(skb)).into_raw()
    }
}
