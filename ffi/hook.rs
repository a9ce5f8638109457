// SPDX-License-Identifier: GPL-2.0

//! Netfilter hooks.

use super::{
    bindings,
    link::Device,
    netdev::DeviceRef,
    netns::Net,
    rcu::Reader,
    skb::{Skb, Verdict},
};
use core::marker::PhantomData;
use kernel::{error::to_result, prelude::*, sync::Arc};

/// What a hook is shown: a family of netfilter. A type without values.
pub(crate) trait Protocol {
    /// `NFPROTO_*`.
    const NUMBER: u32;
}

/// Ethernet frames as a device receives them.
pub(crate) enum Frame {}

impl Protocol for Frame {
    const NUMBER: u32 = bindings::NFPROTO_NETDEV;
}

/// ARP messages.
pub(crate) enum Arp {}

impl Protocol for Arp {
    const NUMBER: u32 = bindings::NFPROTO_ARP;
}

/// Frames that a bridge hands to the host it is on.
pub(crate) enum Bridge {}

impl Protocol for Bridge {
    const NUMBER: u32 = bindings::NFPROTO_BRIDGE;
}

/// Where in a packet's way a hook sits.
#[derive(Clone, Copy)]
pub(crate) enum Point {
    /// Frames of one device, before the stack has looked at them.
    Ingress,
    /// Packets just received and validated, before routing.
    PreRouting,
    /// Packets of this host's own processes, routed.
    LocalOut,
    /// ARP messages received.
    ArpIn,
    /// ARP messages about to be sent.
    ArpOut,
    /// Frames from a bridge to its host.
    BridgeIn,
}

/// Where a packet is shown.
#[derive(Clone, Copy)]
pub(crate) struct Place<'g> {
    state: &'g bindings::nf_hook_state,
    reader: Reader<'g>,
}

impl<'g> Place<'g> {
    /// The device it came in on; none for packets of this host's own.
    pub(crate) fn input(self) -> Option<Device<'g>> {
        // SAFETY: Netfilter's caller keeps the device for as long as it shows the packet.
        unsafe { Device::from_raw(self.state.in_) }
    }

    /// The device it is about to leave by; none for packets received.
    pub(crate) fn output(self) -> Option<Device<'g>> {
        // SAFETY: As above.
        unsafe { Device::from_raw(self.state.out) }
    }

    /// Evidence of the RCU read lock around the hook.
    pub(crate) fn reader(self) -> Reader<'g> {
        self.reader
    }
}

/// One hook: reads the packet, decides, acts. A type without values, with a file of its own.
pub(crate) trait Hook {
    /// What it works on; see [`Registration::new`].
    type State: Send + Sync;

    /// What it is shown. Goes with the point.
    type Protocol: Protocol;

    const POINT: Point;

    /// Smaller runs earlier; compare `enum nf_ip_hook_priorities`.
    const PRIORITY: i32;

    /// Runs under the RCU read lock: must not sleep. In softirq, or with bottom halves off; at
    /// [`Point::LocalOut`] and [`Point::ArpOut`] also in process context, preemptible.
    fn run(state: &Self::State, place: Place<'_>, skb: Skb<Self::Protocol>) -> Verdict;
}

/// A hook as a value, for the lists that [`Registration::new`] takes.
pub(crate) struct Entry<S> {
    enter: bindings::nf_hookfn,
    protocol: u32,
    point: Point,
    priority: i32,
    _state: PhantomData<fn(&S)>,
}

impl<S: Send + Sync> Entry<S> {
    pub(crate) const fn of<H: Hook<State = S>>() -> Self {
        Self {
            enter: Some(enter::<H>),
            protocol: H::Protocol::NUMBER,
            point: H::POINT,
            priority: H::PRIORITY,
            _state: PhantomData,
        }
    }

    fn operations(&self, state: &Arc<S>) -> Result<bindings::nf_hook_ops> {
        let number = match self.point {
            Point::Ingress => bindings::nf_dev_hooks_NF_NETDEV_INGRESS,
            Point::PreRouting => bindings::nf_inet_hooks_NF_INET_PRE_ROUTING,
            Point::LocalOut => bindings::nf_inet_hooks_NF_INET_LOCAL_OUT,
            Point::ArpIn => bindings::NF_ARP_IN,
            Point::ArpOut => bindings::NF_ARP_OUT,
            Point::BridgeIn => bindings::NF_BR_LOCAL_IN,
        };
        Ok(bindings::nf_hook_ops {
            hook: self.enter,
            priv_: core::ptr::from_ref::<S>(state).cast_mut().cast(),
            pf: u8::try_from(self.protocol)?,
            hooknum: number,
            priority: self.priority,
            ..Default::default()
        })
    }
}

/// Hooks at work in one namespace; end when dropped, which may sleep.
///
/// # Invariants
///
/// `operations` are registered in `net`, which is alive, point to `_state`, and name `_device`
/// if there is one.
pub(crate) struct Registration<S: Send + Sync> {
    operations: KVec<bindings::nf_hook_ops>,
    net: *mut bindings::net,
    _state: Arc<S>,
    _device: Option<DeviceRef>,
}

// SAFETY: It may be unregistered from any thread.
unsafe impl<S: Send + Sync> Send for Registration<S> {}

impl<S: Send + Sync> Registration<S> {
    /// Starts hooks on `state`, which the registration keeps alive. May sleep.
    ///
    /// # Errors
    ///
    /// `ENOMEM`; then none is registered.
    pub(crate) fn new(net: &Net, state: Arc<S>, entries: &[Entry<S>]) -> Result<Self> {
        Self::register(net, state, entries, None)
    }

    /// Starts a hook at [`Point::Ingress`] of a device, which cannot go away before the
    /// registration has. May sleep.
    ///
    /// # Errors
    ///
    /// `ENOMEM`; `EINVAL` if the device has left the namespace.
    pub(crate) fn on(
        net: &Net,
        state: Arc<S>,
        device: DeviceRef,
        entry: &Entry<S>,
    ) -> Result<Self> {
        Self::register(net, state, core::slice::from_ref(entry), Some(device))
    }

    fn register(
        net: &Net,
        state: Arc<S>,
        entries: &[Entry<S>],
        device: Option<DeviceRef>,
    ) -> Result<Self> {
        let mut operations = KVec::with_capacity(entries.len(), GFP_KERNEL)?;
        for entry in entries {
            let mut operation = entry.operations(&state)?;
            if let Some(device) = &device {
                operation.dev = device.as_ptr();
            }
            operations.push(operation, GFP_KERNEL)?;
        }
        // SAFETY: The namespace is alive by its type's invariant; the structures stay in their
        // memory until `drop` has unregistered them and waited for those who still read them; the
        // device is held for as long.
        to_result(unsafe {
            bindings::nf_register_net_hooks(
                net.as_ptr(),
                operations.as_ptr(),
                u32::try_from(operations.len())?,
            )
        })?;
        Ok(Self {
            operations,
            net: net.as_ptr(),
            _state: state,
            _device: device,
        })
    }
}

impl<S: Send + Sync> Drop for Registration<S> {
    fn drop(&mut self) {
        // As many as were registered, whose number fits.
        let number = self.operations.len() as u32;
        // SAFETY: Registered by the invariant.
        unsafe {
            bindings::nf_unregister_net_hooks(self.net, self.operations.as_ptr(), number);
        }
        // Unregistering does not wait: packets may still be in the hooks, and dumps read the
        // structures until the grace period ends.
        // SAFETY: Process context. Quick where RTNL is held, as others wait for it.
        unsafe { bindings::synchronize_net() };
    }
}

/// # Safety
///
/// Called by netfilter for a hook that [`Registration`] registered for the same `H`.
unsafe extern "C" fn enter<H: Hook>(
    private: *mut c_void,
    skb: *mut bindings::sk_buff,
    shown: *const bindings::nf_hook_state,
) -> c_uint {
    // SAFETY: `private` is the registration's state, alive until the registration has waited
    // for us; nf_hook_slow holds the RCU read lock around us, and hands a packet of the protocol
    // over, with a structure that says where.
    unsafe {
        let state = &*private.cast::<H::State>();
        let place = Place {
            state: &*shown,
            reader: Reader::assume_locked(),
        };
        H::run(state, place, Skb::from_raw(skb)).into_raw()
    }
}
