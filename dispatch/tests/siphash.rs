// SPDX-License-Identifier: GPL-2.0

//! SipHash against its published values and an implementation written apart from this one.

use onehop_dispatch::siphash::{Hasher, Keyed};
use proptest::prelude::*;

const KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

fn hash24(message: &[u8]) -> u64 {
    let mut hasher = Hasher::new(KEY);
    hasher.write(message);
    hasher.finish()
}

/// Messages 00 01 02…, as in the reference implementation's table.
#[test]
fn published_values_of_2_4() {
    let message: Vec<u8> = (0..64).collect();
    for (length, hash) in [
        (0, 0x726f_db47_dd0e_0e31),
        (1, 0x74f8_39c5_93dc_67fd),
        (7, 0xab02_00f5_8b01_d137),
        (8, 0x93f5_f579_9a93_2462),
        (9, 0x9e00_82df_0ba9_e4b0),
        (15, 0xa129_ca61_49be_45e5),
        (16, 0x3f2a_cc7f_57c2_9bdb),
        (63, 0x958a_324c_eb06_4572),
    ] {
        assert_eq!(hash24(&message[..length]), hash, "{length} bytes");
    }
}

/// From a Python implementation that agrees with CPython's own hash of bytes.
#[test]
fn values_of_1_3() {
    let keyed = Keyed::new(KEY);
    assert_eq!(keyed.v4([0, 1, 2, 3]), 0xcf75_5760_88d3_8328);
    assert_eq!(keyed.v4([192, 0, 2, 1]), 0x62f7_2a7f_32dc_3ac9);
    assert_eq!(keyed.pair(0x0001_0203, 0x0405), 0xc50d_2b50_c59f_22a7);
    assert_eq!(keyed.pair(7, 3), 0x0f40_7f9c_2e9b_0e69);
    assert_eq!(keyed.v6(KEY), 0xcc4f_dd1a_7d90_8b66);
}

proptest! {
    #[test]
    fn a_seed_survives(seed: [u8; 16]) {
        prop_assert_eq!(Keyed::new(seed).seed(), seed);
    }

    #[test]
    fn pieces_do_not_matter(message: Vec<u8>, cut: prop::sample::Index) {
        let (head, tail) = message.split_at(cut.index(message.len() + 1));
        let mut hasher = Hasher::new(KEY);
        hasher.write(head);
        hasher.write(tail);
        prop_assert_eq!(hasher.finish(), hash24(&message));
    }
}
