// SPDX-License-Identifier: GPL-2.0

//! What has happened in a namespace lately, for those who read `/dev/onehop`.

use crate::{
    ffi::clock::realtime_ns,
    uapi::{Author, Event, What},
};
use kernel::{
    alloc::KVVec,
    new_condvar, new_mutex,
    prelude::*,
    sync::{
        atomic::{Atomic, Relaxed},
        CondVar, Mutex,
    },
};

/// How many events a slow reader may be behind.
const KEPT: usize = 256;

/// The latest events. Process context.
#[pin_data]
pub(crate) struct Events {
    #[pin]
    ring: Mutex<Ring>,
    #[pin]
    arrived: CondVar,
}

struct Ring {
    /// Event number n lies at n mod KEPT. Empty until [`Events::prepare`], then KEPT long.
    kept: KVVec<Event>,
    /// The number of the next event, from 0.
    next: u64,
}

/// How far a reader is: the number of the next event for it. Read and written under the
/// ring's lock only, never across a wait, so that two threads may read one file.
pub(crate) struct Cursor(Atomic<u64>);

impl Events {
    pub(crate) fn new() -> impl PinInit<Self> {
        pin_init!(Self {
            ring <- new_mutex!(Ring { kept: KVVec::new(), next: 0 }),
            arrived <- new_condvar!(),
        })
    }

    /// Gets the memory, before a change is made that could not be told without.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn prepare(&self) -> Result {
        let mut ring = self.ring.lock();
        if ring.kept.is_empty() {
            let blank = lost(0);
            ring.kept = KVVec::from_elem(blank, KEPT, GFP_KERNEL_ACCOUNT)?;
        }
        Ok(())
    }

    /// Adds an event and wakes all readers. After [`Self::prepare`].
    pub(crate) fn push(&self, event: Event) {
        let mut ring = self.ring.lock();
        let at = place(ring.next);
        if let Some(place) = ring.kept.get_mut(at) {
            *place = event;
            ring.next += 1;
        }
        drop(ring);
        self.arrived.notify_all();
    }

    /// Where a reader begins who wants what is to come.
    pub(crate) fn end(&self) -> Cursor {
        Cursor(Atomic::new(self.ring.lock().next))
    }

    /// The next event for a reader, waiting for it if need be.
    ///
    /// # Errors
    ///
    /// `ERESTARTSYS` on a signal.
    pub(crate) fn wait(&self, cursor: &Cursor) -> Result<Event> {
        let mut ring = self.ring.lock();
        loop {
            if let Some(event) = ring.read(cursor) {
                return Ok(event);
            }
            if self.arrived.wait_interruptible(&mut ring) {
                return Err(ERESTARTSYS);
            }
        }
    }

    /// The next event for a reader, if there is one.
    pub(crate) fn poll(&self, cursor: &Cursor) -> Option<Event> {
        self.ring.lock().read(cursor)
    }
}

impl Ring {
    fn read(&self, cursor: &Cursor) -> Option<Event> {
        let at = cursor.0.load(Relaxed);
        if at == self.next {
            return None;
        }
        let oldest = self.next.saturating_sub(KEPT as u64);
        if at < oldest {
            cursor.0.store(oldest, Relaxed);
            return Some(lost(u32::try_from(oldest - at).unwrap_or(u32::MAX)));
        }
        cursor.0.store(at + 1, Relaxed);
        self.kept.get(place(at)).copied()
    }
}

fn place(number: u64) -> usize {
    number as usize % KEPT
}

fn lost(events: u32) -> Event {
    Event {
        time: realtime_ns(),
        generation: 0,
        what: What::Lost(events),
        pool: None,
        server: None,
        author: Author::default(),
    }
}
