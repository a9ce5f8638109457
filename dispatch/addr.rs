// SPDX-License-Identifier: GPL-2.0

//! Client addresses, and the keys made from them.

use core::{fmt, net};

use super::refusal::Refusal;

/// An address family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

/// An address in network byte order.
///
/// The order (IPv4 first, then by bytes) is the one digests use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// An IPv4 address.
    V4([u8; 4]),
    /// An IPv6 address.
    V6([u8; 16]),
}

impl Address {
    /// The address's family.
    #[inline]
    pub const fn family(self) -> Family {
        match self {
            Self::V4(_) => Family::V4,
            Self::V6(_) => Family::V6,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::V4(bytes) => net::Ipv4Addr::from(bytes).fmt(f),
            Self::V6(bytes) => net::Ipv6Addr::from(bytes).fmt(f),
        }
    }
}

/// How many leading bits of a client address make its key, for each family.
///
/// Clients that share these bits share an owner. No zero: it would give every client one owner.
///
/// # Invariants
///
/// `v4` is in 1..=32, `v6` in 1..=128.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefixes {
    v4: u8,
    v6: u8,
}

impl Prefixes {
    /// Checks two prefix lengths, in bits.
    ///
    /// # Errors
    ///
    /// The first of the two that no address of its family has.
    pub fn new(v4: u32, v6: u32) -> Result<Self, Refusal> {
        match (u8::try_from(v4), u8::try_from(v6)) {
            (Ok(v4 @ 1..=32), Ok(v6 @ 1..=128)) => Ok(Self { v4, v6 }),
            (Ok(1..=32), _) => Err(Refusal::PrefixV6(v6)),
            _ => Err(Refusal::PrefixV4(v4)),
        }
    }

    /// The IPv4 prefix length, 1..=32.
    #[inline]
    pub const fn v4(self) -> u8 {
        self.v4
    }

    /// The IPv6 prefix length, 1..=128.
    #[inline]
    pub const fn v6(self) -> u8 {
        self.v6
    }

    /// The key of a client.
    #[inline]
    pub fn key(self, client: Address) -> Key {
        Key(match client {
            Address::V4(bytes) => {
                let rest = u32::MAX.checked_shr(self.v4.into()).unwrap_or(0);
                Address::V4((u32::from_be_bytes(bytes) & !rest).to_be_bytes())
            }
            Address::V6(bytes) => {
                let rest = u128::MAX.checked_shr(self.v6.into()).unwrap_or(0);
                Address::V6((u128::from_be_bytes(bytes) & !rest).to_be_bytes())
            }
        })
    }

    /// The prefix bits of a client's address as an integer, the rest shifted out.
    ///
    /// With the masked bits left in, every IPv6 key under a /64 would be a multiple of 2^64, and
    /// kind `mod` over 2, 4, 8... servers would give all of them to one. With a whole address as
    /// the key this is the address itself, as in the paper.
    #[inline]
    pub fn number(self, client: Address) -> Number {
        match client {
            Address::V4(bytes) => {
                let rest = 32u32.saturating_sub(self.v4.into());
                Number::V4(u32::from_be_bytes(bytes).checked_shr(rest).unwrap_or(0))
            }
            Address::V6(bytes) => {
                let rest = 128u32.saturating_sub(self.v6.into());
                Number::V6(u128::from_be_bytes(bytes).checked_shr(rest).unwrap_or(0))
            }
        }
    }
}

impl Default for Prefixes {
    /// Each IPv4 address on its own; IPv6 by /64, which is one host's or one home's to choose from.
    fn default() -> Self {
        Self { v4: 32, v6: 64 }
    }
}

/// A client address with all bits after the pool's prefix cleared.
///
/// Only [`Prefixes::key`] makes one, so that no unmasked address is ever hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Address);

impl Key {
    /// The masked address.
    #[inline]
    pub const fn address(self) -> Address {
        self.0
    }
}

/// A key as the integer that kind `mod` divides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Of an IPv4 client.
    V4(u32),
    /// Of an IPv6 client.
    V6(u128),
}

impl Number {
    /// The remainder of the division by `n`; none by zero.
    ///
    /// The 128-bit case is long division by 32-bit limbs: the kernel's Rust has no u128 division.
    #[inline]
    pub fn remainder(self, n: u32) -> Option<u32> {
        match self {
            Self::V4(number) => number.checked_rem(n),
            Self::V6(number) => {
                let mut rest = 0;
                for shift in [96, 64, 32, 0] {
                    let limb = (number >> shift) as u32;
                    rest = ((rest << 32) | u64::from(limb)).checked_rem(u64::from(n))?;
                }
                // Smaller than n.
                Some(rest as u32)
            }
        }
    }
}
