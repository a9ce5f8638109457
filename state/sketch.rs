// SPDX-License-Identifier: GPL-2.0

//! Connections that an older function still carries on this host, as far as they were seen lately.

use crate::{
    dispatch::sketch::{estimate, SLOTS},
    ffi::{
        atomic::{read_once, write_once},
        clock::uptime_ms,
    },
};
use kernel::{
    prelude::*,
    sync::{
        atomic::{Atomic, Relaxed},
        Arc,
    },
};

/// How often to call [`Sketch::tick`]. A mark is forgotten after one to two of these.
pub(crate) const TICK_MS: u64 = 5000;

/// Slots marked with the tick in which a connection was last seen, by turns 1 and 2; 0 for none. Packets
/// only store, with no atomic operation that reads first.
pub(crate) struct Sketch {
    slots: KVec<Atomic<i8>>,
    tick: Atomic<i8>,
    /// When that began, [`crate::ffi::clock::uptime_ms`].
    since: Atomic<u64>,
    /// The deadline that has been told of; 0: none.
    told: Atomic<u64>,
}

impl Sketch {
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new() -> Result<Arc<Self>> {
        let mut slots = KVec::with_capacity(SLOTS, GFP_KERNEL_ACCOUNT)?;
        for _ in 0..SLOTS {
            slots.push(Atomic::new(0), GFP_KERNEL_ACCOUNT)?;
        }
        let sketch = Self {
            slots,
            tick: Atomic::new(1),
            since: Atomic::new(uptime_ms()),
            told: Atomic::new(0),
        };
        Ok(Arc::new(sketch, GFP_KERNEL_ACCOUNT)?)
    }

    /// Notes a packet of a connection with this [`slot`](crate::dispatch::sketch::slot). Any context.
    #[inline]
    pub(crate) fn mark(&self, slot: u16) {
        if let Some(slot) = self.slots.get(usize::from(slot)) {
            write_once(slot, read_once(&self.tick));
        }
    }

    /// Goes on to the next tick if it is time. One caller at a time.
    pub(crate) fn tick(&self, now: u64) {
        if now < self.since.load(Relaxed) + TICK_MS {
            return;
        }
        self.since.store(now, Relaxed);
        let tick = self.tick.load(Relaxed);
        for slot in &self.slots {
            if slot.load(Relaxed) != tick {
                slot.store(0, Relaxed);
            }
        }
        self.tick.store(3 - tick, Relaxed);
    }

    /// How many connections were seen in this tick and the one before.
    pub(crate) fn estimate(&self) -> u32 {
        let marked = self.slots.iter().filter(|slot| slot.load(Relaxed) != 0);
        estimate(marked.count())
    }

    /// Whether the end at `deadline` has been told.
    pub(crate) fn is_told(&self, deadline: u64) -> bool {
        self.told.load(Relaxed) == deadline
    }

    /// Notes that it has.
    pub(crate) fn set_told(&self, deadline: u64) {
        self.told.store(deadline, Relaxed);
    }
}
