// SPDX-License-Identifier: GPL-2.0

//! Method track: the connections that began in a transition, and with which server.

use crate::{
    dispatch::{
        addr::Address,
        bitmap::Bitmap,
        flow::{Fingerprint, Ports, Tag},
        record::Record,
        server::ServerId,
    },
    ffi::{
        atomic::{read_once, write_once},
        random,
    },
};
use kernel::{
    alloc::KVVec,
    prelude::*,
    sync::{
        atomic::{Atomic, Relaxed},
        Arc,
    },
};

/// How far from its first place a record may be. With half of the slots free few are further than
/// three, so what is beyond has been put there by somebody who opens one connection over and over.
const PROBES: usize = 64;

/// Open addressing with linear probing; a slot once taken is never given back before all are, so
/// that packets need no lock: a tag is put by compare and exchange, and each word stands for itself.
pub(crate) struct Tracked {
    fingerprint: Fingerprint,
    /// A power of two.
    slots: KVVec<Slot>,
    limit: u32,
    noted: Atomic<u32>,
    /// 0: there was always room; 1: there was none once; 2: and that has been told.
    full: Atomic<i8>,
}

struct Slot {
    /// A [`Tag`]; 0: free.
    tag: Atomic<u64>,
    /// A [`Record`]; 0: none yet, or forgotten.
    record: Atomic<u64>,
}

impl Slot {
    fn put(&self, server: ServerId, isn: u32) {
        write_once(&self.record, Record::new(server, isn).to_bits());
    }
}

impl Tracked {
    /// Room for `limit` connections.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new(limit: u32) -> Result<Arc<Self>> {
        let number = usize::try_from(limit)?
            .saturating_mul(2)
            .next_power_of_two();
        let mut slots = KVVec::with_capacity(number.max(PROBES), GFP_KERNEL_ACCOUNT)?;
        for _ in 0..number.max(PROBES) {
            let slot = Slot {
                tag: Atomic::new(0),
                record: Atomic::new(0),
            };
            slots.push(slot, GFP_KERNEL_ACCOUNT)?;
        }
        let tracked = Self {
            fingerprint: Fingerprint::new(random::key()),
            slots,
            limit,
            noted: Atomic::new(0),
            full: Atomic::new(0),
        };
        Ok(Arc::new(tracked, GFP_KERNEL_ACCOUNT)?)
    }

    /// Of a connection. Any context.
    pub(crate) fn tag(&self, ghost: Address, client: Address, ports: Ports) -> Tag {
        self.fingerprint.tag(ghost, client, ports)
    }

    /// Notes a connection that begins with sequence number `isn`, on `server` if it does so just
    /// now. Returns the server it is noted with, one of those that `is_live`; none if there is no
    /// room. Records of others with these ports are no more. Any context.
    pub(crate) fn note(
        &self,
        tag: Tag,
        isn: u32,
        server: ServerId,
        is_live: impl Fn(ServerId) -> bool,
    ) -> Option<ServerId> {
        for slot in self.places(tag) {
            if read_once(&slot.tag) == 0 {
                if read_once(&self.noted) >= self.limit {
                    let _ = self.full.cmpxchg(0, 1, Relaxed);
                    return None;
                }
                // Another processor may have been faster, for this connection or another.
                let _ = slot.tag.cmpxchg(0, tag.get(), Relaxed);
            }
            if read_once(&slot.tag) != tag.get() {
                continue;
            }
            match Record::from_bits(read_once(&slot.record)) {
                Some(record) if !is_live(record.server) => {
                    slot.put(server, isn);
                    return Some(server);
                }
                Some(record) if record.began_with(isn) => return Some(record.server),
                Some(_) => {}
                None => {
                    slot.put(server, isn);
                    self.noted.fetch_add(1, Relaxed);
                    return Some(server);
                }
            }
        }
        None
    }

    /// The server of the noted connection that a segment with sequence number `seq` is part of, one
    /// of those that `is_live`. Any context.
    pub(crate) fn find(
        &self,
        tag: Tag,
        seq: u32,
        is_live: impl Fn(ServerId) -> bool,
    ) -> Option<ServerId> {
        let records = self.records(tag);
        let (slot, record) = records
            .filter_map(|(slot, record)| Some((slot, record.follows(seq)?)))
            .filter(|(_, record)| is_live(record.server))
            .min_by_key(|(_, record)| record.since(seq))?;
        write_once(&slot.record, record.to_bits());
        Some(record.server)
    }

    /// The server of a noted connection, whatever it is at. Any context.
    pub(crate) fn find_any(
        &self,
        tag: Tag,
        is_live: impl Fn(ServerId) -> bool,
    ) -> Option<ServerId> {
        let records = self.records(tag);
        let live = records.filter(|(_, record)| is_live(record.server));
        live.last().map(|(_, record)| record.server)
    }

    /// Forgets the connections of servers that come back: they are no more. While no packet goes to
    /// them, or what is forgotten might be noted again.
    pub(crate) fn forget(&self, servers: &Bitmap) {
        for slot in &self.slots {
            let record = Record::from_bits(slot.record.load(Relaxed));
            if record.is_some_and(|record| servers.contains(record.server.get())) {
                slot.record.store(0, Relaxed);
                self.noted.fetch_sub(1, Relaxed);
            }
        }
    }

    /// How many are noted.
    pub(crate) fn noted(&self) -> u32 {
        self.noted.load(Relaxed)
    }

    /// Whether there was no room for one, and this is the first to ask.
    pub(crate) fn tell_full(&self) -> bool {
        self.full.cmpxchg(1, 2, Relaxed).is_ok()
    }

    fn records(&self, tag: Tag) -> impl Iterator<Item = (&Slot, Record)> + '_ {
        let places = self.places(tag);
        let taken = places.take_while(|slot| read_once(&slot.tag) != 0);
        taken
            .filter(move |slot| read_once(&slot.tag) == tag.get())
            .filter_map(|slot| Some((slot, Record::from_bits(read_once(&slot.record))?)))
    }

    /// The slots that a tag may be in, in the order to look.
    fn places(&self, tag: Tag) -> impl Iterator<Item = &Slot> + '_ {
        let mask = self.slots.len() - 1;
        // Tags are evenly distributed, the low bits too.
        let start = tag.get() as usize;
        (0..PROBES).filter_map(move |probe| self.slots.get(start.wrapping_add(probe) & mask))
    }
}
