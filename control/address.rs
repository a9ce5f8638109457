// SPDX-License-Identifier: GPL-2.0

//! Addresses as the interface has them and as the law has them: neither knows the other.

use crate::{dispatch::addr::Address, uapi};

pub(super) fn of_law(address: uapi::Address) -> Address {
    match address {
        uapi::Address::V4(address) => Address::V4(address),
        uapi::Address::V6(address) => Address::V6(address),
    }
}

pub(super) fn of_interface(address: Address) -> uapi::Address {
    match address {
        Address::V4(address) => uapi::Address::V4(address),
        Address::V6(address) => uapi::Address::V6(address),
    }
}
