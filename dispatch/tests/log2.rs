// SPDX-License-Identifier: GPL-2.0

//! The logarithm against its recipe, real logarithms, and the two things that ranking relies on.

use onehop_dispatch::log2::{cost, FRACTION};
use proptest::prelude::*;

const ONE: u64 = 1 << 40;

/// The recipe of Documentation/dispatch.md, digit by digit.
fn recipe(i: u128) -> u64 {
    let mut y = (1024 + i) << 53;
    (0..40).fold(0, |bits, _| {
        y = (y * y) >> 63;
        let bit = u64::from(y >= 1 << 64);
        y >>= bit;
        (bits << 1) | bit
    })
}

#[test]
fn the_table_is_the_recipe() {
    assert_eq!(FRACTION, 40);
    for i in 0..1024u64 {
        assert_eq!(ONE - cost((1024 + i) << 53), recipe(i.into()), "{i}");
    }
    assert_eq!(recipe(512), 0x95_c01a_39fb);
}

#[test]
fn the_table_is_a_logarithm() {
    for i in 0..1024u32 {
        let real = (1.0 + f64::from(i) / 1024.0).log2() * ONE as f64;
        assert!((recipe(i.into()) as f64 - real).abs() < 1.01, "{i}");
    }
}

#[test]
fn documented_values() {
    for (hash, expected) in [
        (0, 64 << 40),
        (1, 64 << 40),
        (2, 63 << 40),
        (3, 0x3e6a_3fe5_c605),
        (0x7fff_ffff_ffff_ffff, ONE + 1),
        (0x8000_0000_0000_0000, ONE),
        (0xc0de_0123_4567_89ab, 0x68_95d0_5f7d),
        (u64::MAX, 1),
    ] {
        assert_eq!(cost(hash), expected, "{hash:x}");
    }
}

proptest! {
    #[test]
    fn never_rises(a: u64, step in 0u32..64) {
        let b = a.saturating_add(1 << step);
        prop_assert!(cost(a) >= cost(b));
    }

    /// The straight line's error, relative where winners are: next to the greatest hashes.
    #[test]
    fn close_to_the_real_one(hash in 1u64.., near in 0u32..63) {
        let hash = u64::MAX - (hash >> near);
        let distance = (u64::MAX - hash) as f64 + 1.0;
        let real = -(-distance / 2f64.powi(64)).ln_1p() / std::f64::consts::LN_2 * ONE as f64;
        let error = cost(hash) as f64 - real;
        prop_assert!(error <= real / 4000.0 + 2.0 && error >= -2.0, "{hash:x}: {error} of {real}");
    }
}
