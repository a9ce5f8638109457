// SPDX-License-Identifier: GPL-2.0

//! Which pool a ghost address belongs to.

use kernel::prelude::*;

/// A ghost address and the index of its pool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ghost {
    pub(crate) address: [u8; 4],
    pub(crate) pool: usize,
}

/// All ghosts, found by address in a time that does not depend on their number: every packet
/// of the namespace asks, most in vain.
///
/// Open addressing with linear probing. The ghosts are the operator's choice, not an
/// attacker's, so a fixed multiplier will do.
pub(crate) struct Ghosts {
    list: KVec<Ghost>,
    /// A power of two, at least twice as many as ghosts: there is always a free slot, and a
    /// search ends soon.
    slots: KVec<Option<Ghost>>,
    shift: u32,
}

impl Ghosts {
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new(list: KVec<Ghost>) -> Result<Self> {
        let number = (list.len() * 2).next_power_of_two().max(2);
        let mut slots = KVec::from_elem(None, number, GFP_KERNEL_ACCOUNT)?;
        let shift = u32::BITS - number.trailing_zeros();
        for ghost in &list {
            let mut at = start(ghost.address, shift);
            while let Some(Some(_)) = slots.get(at) {
                at = (at + 1) & (number - 1);
            }
            if let Some(slot) = slots.get_mut(at) {
                *slot = Some(*ghost);
            }
        }
        Ok(Self { list, slots, shift })
    }

    /// In the order they were given.
    pub(crate) fn list(&self) -> &[Ghost] {
        &self.list
    }

    /// The index of the pool of `address`, if that is a ghost. Any context.
    #[inline]
    pub(crate) fn pool_of(&self, address: [u8; 4]) -> Option<usize> {
        let mut at = start(address, self.shift);
        while let Some(Some(ghost)) = self.slots.get(at) {
            if ghost.address == address {
                return Some(ghost.pool);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        None
    }
}

#[inline]
fn start(address: [u8; 4], shift: u32) -> usize {
    // 2^32 divided by the golden ratio spreads neighbouring addresses (Knuth, TAOCP 6.4).
    (u32::from_be_bytes(address)
        .wrapping_mul(0x9e37_79b1)
        .wrapping_shr(shift)) as usize
}
