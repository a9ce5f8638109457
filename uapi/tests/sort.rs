// SPDX-License-Identifier: GPL-2.0
//! The sort against that of the standard library.

use onehop_uapi::sort;
use proptest::prelude::*;

proptest! {
    #[test]
    fn sorts(mut items in proptest::collection::vec(0u8..50, 0..200)) {
        let mut expected = items.clone();
        expected.sort_unstable();
        sort(&mut items, |a, b| a < b);
        prop_assert_eq!(items, expected);
    }
}
