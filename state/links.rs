// SPDX-License-Identifier: GPL-2.0

//! What a namespace does on the devices that its configuration names.

use super::Namespace;
use crate::{
    ffi::{
        hook,
        netdev::{DeviceRef, Group, Membership},
        work::Work,
    },
    uapi::{limits::MAX_DEVICES, DeviceName},
};
use kernel::{
    new_mutex,
    prelude::*,
    sync::{
        atomic::{Atomic, Relaxed},
        lock::mutex::MutexGuard,
        Mutex,
    },
};

const MAX: usize = MAX_DEVICES as usize;

/// What is wanted on each device of these names.
#[derive(PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) names: KVec<DeviceName>,
    /// Have a hook at its ingress.
    pub(crate) ingress: bool,
    /// Listen to these groups.
    pub(crate) groups: KVec<Group>,
}

impl Plan {
    /// Nothing, nowhere.
    pub(crate) const NONE: Self = Self {
        names: KVec::new(),
        ingress: false,
        groups: KVec::new(),
    };
}

/// A device that is there.
pub(crate) struct Bound {
    pub(crate) name: DeviceName,
    // In this order, that the device is let go of last.
    pub(crate) ingress: Option<hook::Registration<Namespace>>,
    pub(crate) groups: KVec<Membership>,
    pub(crate) device: DeviceRef,
}

/// The plan and what has come of it. Changed under RTNL only, as devices come and go.
#[pin_data]
pub(crate) struct Links {
    #[pin]
    inner: Mutex<Inner>,
    /// Device indices of what is bound, for packets; 0 in free places.
    indices: [Atomic<u32>; MAX],
}

pub(crate) struct Inner {
    pub(crate) plan: Plan,
    pub(crate) bound: KVec<Bound>,
    /// Not all of the plan is at work: the next one who prepares one tries again.
    pub(crate) failed: bool,
    /// There from the first ANSWER on.
    pub(crate) announcer: Option<Work<Namespace>>,
    /// Joins groups that could not be joined. There from the first device on.
    pub(crate) joiner: Option<Work<Namespace>>,
}

impl Links {
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self {
            inner <- new_mutex!(Inner::new(), "onehop_links"),
            indices: [const { Atomic::new(0) }; MAX],
        })
    }

    /// Locks it. Process context; whoever wants RTNL too takes that first.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }

    /// Is this one of the devices? Any context.
    pub(crate) fn has(&self, ifindex: u32) -> bool {
        self.indices().any(|index| index == ifindex)
    }

    /// The devices that are there. Any context.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        let indices = self.indices.iter().map(|index| index.load(Relaxed));
        indices.filter(|index| *index != 0)
    }

    /// Tells packets of the devices that are bound now.
    pub(crate) fn publish(&self, inner: &Inner) {
        for (at, place) in self.indices.iter().enumerate() {
            let bound = inner.bound.get(at);
            place.store(bound.map_or(0, |bound| bound.device.index()), Relaxed);
        }
    }
}

impl Inner {
    fn new() -> Self {
        Self {
            plan: Plan::NONE,
            bound: KVec::new(),
            failed: false,
            announcer: None,
            joiner: None,
        }
    }

    /// Is all of this plan at work?
    pub(crate) fn is_at_work(&self, plan: &Plan) -> bool {
        self.plan == *plan && !self.failed
    }

    /// The index of a device, or 0 if it is not there.
    pub(crate) fn index_of(&self, name: &DeviceName) -> u32 {
        let bound = self.bound.iter().find(|bound| bound.name == *name);
        bound.map_or(0, |bound| bound.device.index())
    }
}
