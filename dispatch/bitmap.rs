// SPDX-License-Identifier: GPL-2.0

//! A set of small integers, one bit for each server a pool can have.

const WORDS: usize = 16;
const BITS: u32 = u64::BITS;

/// A set of integers in 0..1024: 128 bytes, so that it may lie on the kernel's stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bitmap([u64; WORDS]);

impl Bitmap {
    /// The empty set.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// Adds `value`. Values of 1024 and more have no place and are let go.
    #[inline]
    pub fn insert(&mut self, value: u16) {
        if let Some(word) = self.0.get_mut(usize::from(value >> 6)) {
            *word |= 1 << (value & 63);
        }
    }

    /// Whether `value` is in the set.
    #[inline]
    pub fn contains(&self, value: u16) -> bool {
        self.0
            .get(usize::from(value >> 6))
            .is_some_and(|word| (word >> (value & 63)) & 1 == 1)
    }

    /// Whether nothing is in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// Takes out the lowest value, if there is one.
    pub fn pop(&mut self) -> Option<u16> {
        let (index, word) = (0..=u16::MAX)
            .zip(&mut self.0)
            .find(|(_, word)| **word != 0)?;
        let bit = lowest(*word)?;
        *word &= word.wrapping_sub(1);
        Some((index << 6) | bit)
    }

    /// The values in the set, ascending.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        (0..=u16::MAX).zip(self.0).flat_map(|(index, mut word)| {
            core::iter::from_fn(move || {
                let bit = lowest(word)?;
                word &= word.wrapping_sub(1);
                Some((index << 6) | bit)
            })
        })
    }

    /// The `rank`th value (from 0) that is not in the set.
    #[inline]
    pub fn absent(&self, mut rank: u32) -> Option<u16> {
        for (index, word) in (0..=u16::MAX).zip(self.0) {
            let mut free = !word;
            if rank >= free.count_ones() {
                rank -= free.count_ones();
                continue;
            }
            for _ in 0..rank {
                free &= free.wrapping_sub(1);
            }
            return Some((index << 6) | lowest(free)?);
        }
        None
    }
}

impl FromIterator<u16> for Bitmap {
    #[inline]
    fn from_iter<I: IntoIterator<Item = u16>>(values: I) -> Self {
        let mut set = Self::EMPTY;
        for value in values {
            set.insert(value);
        }
        set
    }
}

/// The lowest bit set in `word`.
#[inline]
fn lowest(word: u64) -> Option<u16> {
    match word.trailing_zeros() {
        BITS => None,
        bit => Some(bit as u16),
    }
}
