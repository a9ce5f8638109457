// SPDX-License-Identifier: GPL-2.0
//! The first bits of addresses.

use core::fmt;

use super::address::Address;
use super::invalid::{Cause, Expected, Invalid, Value};

/// The addresses that begin like this one. Sorts by family, address and bits.
///
/// # Invariants
///
/// From 1 bit to all of the family, and zeros behind them. Not within
/// `::ffff:0:0/96`: IPv4 clients are named by their IPv4 addresses, in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prefix {
    address: Address,
    bits: u8,
}

impl Prefix {
    /// The addresses that have the first `bits` bits of `address`.
    ///
    /// # Errors
    ///
    /// What [`Prefix::around`] refuses, and a bit behind the others that is not
    /// zero: it would be lost without a word.
    pub fn new(address: Address, bits: u8) -> Result<Self, Invalid> {
        let prefix = Self::around(address, bits)?;
        if prefix.address == address {
            return Ok(prefix);
        }
        let value = Value::Prefix(address, bits);
        let expected = Expected::Prefix(prefix);
        Err(Invalid::new(Cause::Padding, "prefix", value, expected))
    }

    /// Likewise, of any of these addresses.
    ///
    /// # Errors
    ///
    /// More bits than there are, or none; IPv4 addresses written as IPv6.
    pub fn around(address: Address, bits: u8) -> Result<Self, Invalid> {
        let (most, words) = match address {
            Address::V4(_) => (32, "from 1 to 32"),
            Address::V6(_) => (128, "from 1 to 128"),
        };
        if !(1..=most).contains(&bits) {
            let (value, expected) = (Value::Number(bits.into()), Expected::Is(words));
            return Err(Invalid::new(Cause::Range, "bits", value, expected));
        }
        if let (Address::V6([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ..]), 96..) = (address, bits)
        {
            let value = Value::Prefix(address, bits);
            let expected = Expected::Is("written as IPv4");
            return Err(Invalid::new(
                Cause::AddressUnusable,
                "prefix",
                value,
                expected,
            ));
        }
        // INVARIANT: just tested.
        let address = match address {
            Address::V4(address) => Address::V4(masked(address, bits)),
            Address::V6(address) => Address::V6(masked(address, bits)),
        };
        Ok(Self { address, bits })
    }

    /// The first address.
    pub fn address(&self) -> Address {
        self.address
    }

    /// How many bits count.
    pub fn bits(&self) -> u8 {
        self.bits
    }
}

/// Zeros in place of what lies behind the bits.
fn masked<const N: usize>(mut address: [u8; N], bits: u8) -> [u8; N] {
    let mut left = u32::from(bits);
    for byte in &mut address {
        *byte &= !u8::MAX.checked_shr(left).unwrap_or(0);
        left = left.saturating_sub(8);
    }
    address
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}
