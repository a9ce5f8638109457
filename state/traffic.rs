// SPDX-License-Identifier: GPL-2.0

//! Packets and bytes of each server of a pool.

use crate::{dispatch::server::ServerId, ffi::percpu::Counters};
use kernel::{prelude::*, sync::Arc};

/// A total.
#[derive(Clone, Copy, Default)]
pub(crate) struct Total {
    pub(crate) packets: u64,
    /// IP length.
    pub(crate) bytes: u64,
}

impl Total {
    /// What came since `earlier`.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            packets: self.packets.wrapping_sub(earlier.packets),
            bytes: self.bytes.wrapping_sub(earlier.bytes),
        }
    }
}

/// Counters by server id, shared by all functions a pool has had, so that no change loses a
/// count.
pub(crate) struct Traffic {
    counters: Counters,
    // A pool that gets higher ids counts in a larger array. Packets under the old function
    // may still count in the old one, which is kept and added; sizes double, so there are
    // few.
    smaller: Option<Arc<Traffic>>,
}

const MIN_IDS: usize = 16;

impl Traffic {
    /// For ids below `ids`, going on from `before`.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new(ids: usize, before: Option<&Arc<Self>>) -> Result<Arc<Self>> {
        if let Some(before) = before {
            if before.counters.len() >= ids * 2 {
                return Ok(before.clone());
            }
        }
        let counters = Counters::new(ids.max(MIN_IDS).next_power_of_two() * 2)?;
        let smaller = before.cloned();
        Ok(Arc::new(Self { counters, smaller }, GFP_KERNEL_ACCOUNT)?)
    }

    /// Counts a packet of `bytes`. Any context.
    #[inline(always)]
    pub(crate) fn count(&self, id: ServerId, bytes: u32) {
        let index = usize::from(id.get()) * 2;
        self.counters.add_pair(index, 1, u64::from(bytes));
    }

    /// What `id` has counted since the pool began.
    pub(crate) fn total(&self, id: ServerId) -> Total {
        let index = usize::from(id.get()) * 2;
        let mut total = Total::default();
        let mut part = Some(self);
        while let Some(traffic) = part {
            total.packets += traffic.counters.sum(index);
            total.bytes += traffic.counters.sum(index + 1);
            part = traffic.smaller.as_deref();
        }
        total
    }
}
