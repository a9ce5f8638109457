// SPDX-License-Identifier: GPL-2.0

//! A table of addresses that packets look into.

use kernel::{alloc::KVVec, prelude::*};

/// An address of a table.
pub(crate) trait Key: Copy + PartialEq {
    /// All of it in 32 bits.
    fn fold(self) -> u32;
}

impl Key for [u8; 4] {
    #[inline]
    fn fold(self) -> u32 {
        u32::from_be_bytes(self)
    }
}

impl Key for [u8; 6] {
    #[inline]
    fn fold(self) -> u32 {
        let [a, b, c, d, e, f] = self;
        u32::from_be_bytes([c, d, e, f]) ^ u32::from_be_bytes([0, 0, a, b])
    }
}

impl Key for [u8; 16] {
    #[inline]
    fn fold(self) -> u32 {
        let all = u128::from_be_bytes(self);
        let half = (all >> 64) as u64 ^ all as u64;
        (half >> 32) as u32 ^ half as u32
    }
}

/// Slots for each address, at least, and in all: one foreign packet in eight, or in sixteen where there
/// is one ghost, finds its first slot taken and pays for a closer look. 256 IPv6 ghosts take 40 KiB.
const SPARSE: usize = 8;
const LEAST: usize = 16;

/// A place in a [`Table`].
#[derive(Clone, Copy)]
pub(crate) struct Start(usize);

/// A small number for each of some addresses, found in a time that does not depend on how many
/// there are: every packet of the namespace asks, most in vain.
///
/// Open addressing with linear probing. The addresses are the operator's choice, not an
/// attacker's, so a fixed multiplier will do.
pub(crate) struct Table<K> {
    /// A power of two, at least [`SPARSE`] times as many as addresses: most searches in vain end with
    /// the first slot, which is free.
    slots: KVVec<Option<(K, u16)>>,
    shift: u32,
}

impl<K: Key> Table<K> {
    /// Of addresses that differ; of those that do not, the first counts.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new(entries: impl Iterator<Item = (K, u16)> + Clone) -> Result<Self> {
        let number = (entries.clone().count() * SPARSE)
            .next_power_of_two()
            .max(LEAST);
        let mut slots = KVVec::from_elem(None, number, GFP_KERNEL_ACCOUNT)?;
        let shift = u32::BITS - number.trailing_zeros();
        for entry in entries {
            let mut at = start(entry.0, shift);
            while let Some(Some(_)) = slots.get(at) {
                at = (at + 1) & (number - 1);
            }
            if let Some(slot) = slots.get_mut(at) {
                *slot = Some(entry);
            }
        }
        Ok(Self { slots, shift })
    }

    /// Where the search for `key` begins. Any context.
    #[inline]
    pub(crate) fn start(&self, key: K) -> Start {
        Start(start(key, self.shift))
    }

    /// Whether a search that begins there ends there, in vain: as most do.
    #[inline]
    pub(crate) fn is_free(&self, Start(at): Start) -> bool {
        !matches!(self.slots.get(at), Some(Some(_)))
    }

    /// What stands for `key`. Any context.
    #[inline]
    pub(crate) fn get(&self, key: K) -> Option<u16> {
        self.get_from(self.start(key), key)
    }

    /// The same, where the search for `key` is known to begin at `start`.
    #[inline]
    pub(crate) fn get_from(&self, Start(mut at): Start, key: K) -> Option<u16> {
        while let Some(Some((other, value))) = self.slots.get(at) {
            if *other == key {
                return Some(*value);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        None
    }
}

#[inline]
fn start<K: Key>(key: K, shift: u32) -> usize {
    // 2^32 divided by the golden ratio spreads neighbouring addresses (Knuth, TAOCP 6.4).
    key.fold().wrapping_mul(0x9e37_79b1).wrapping_shr(shift) as usize
}
