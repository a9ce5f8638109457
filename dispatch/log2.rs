// SPDX-License-Identifier: GPL-2.0

//! The binary logarithm in integers.
//!
//! Weighted rendezvous hashing wants the logarithm of a hash. Every machine must find the same one
//! to the last bit, and the kernel has no floating point, so it is defined here by integer steps:
//! a table of 1025 values, each exact to its last bit, and a straight line between neighbours.
//!
//! A straight line overrates -log2 by up to 1 part in 4096, next to hash 2^64, where winners are
//! found. All servers are overrated alike. With equal weights shares stay exact; with unequal ones
//! the error is below p(1-p)/4096, a thirtieth of a standard deviation at 65536 rows (law 4).

/// Fraction bits of a logarithm.
///
/// The most for which a table step times 32 bits of position fits 64 bits. A logarithm then has
/// 46 bits, and times a weight 56.
pub const FRACTION: u32 = 40;

const INDEX: u32 = 10;
const SIZE: usize = 1 << INDEX;

/// `floor(2^40 * log2(1 + i / 1024))` for i in 0..=1024.
static TABLE: [u64; SIZE + 1] = table();

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated in the compiler, where a bad index is an error"
)]
const fn table() -> [u64; SIZE + 1] {
    let mut table = [1 << FRACTION; SIZE + 1];
    let mut i = 0;
    while i < SIZE {
        table[i] = fraction(i as u128 + SIZE as u128);
        i += 1;
    }
    table
}

/// The fraction of log2(x / 1024), x in 1024..2048, one bit for each squaring.
///
/// 63 bits after the point outlast the 40 squarings. It runs in the compiler only.
const fn fraction(x: u128) -> u64 {
    let mut y = x << (63 - INDEX);
    let mut bits = 0;
    let mut n = 0;
    while n < FRACTION {
        y = (y * y) >> 63;
        bits <<= 1;
        if y >> 64 != 0 {
            y >>= 1;
            bits |= 1;
        }
        n += 1;
    }
    bits
}

/// `-log2(hash / 2^64)` with 40 fraction bits: from 1 for the greatest hash to 2^46 for 0 and 1.
///
/// Never rises as `hash` rises.
#[inline]
#[expect(
    clippy::indexing_slicing,
    reason = "an index of 10 bits is inside the table, and the compiler sees it"
)]
pub fn cost(hash: u64) -> u64 {
    let hash = hash.max(1);
    let zeros = hash.leading_zeros();
    let mantissa = hash << zeros;
    let index = (mantissa >> (63 - INDEX)) as usize & (SIZE - 1);
    let position = (mantissa >> (31 - INDEX)) & 0xffff_ffff;
    let (left, right) = (TABLE[index], TABLE[index + 1]);
    let fraction = left + (((right - left) * position) >> 32);
    (u64::from(zeros + 1) << FRACTION) - fraction
}
