// SPDX-License-Identifier: GPL-2.0

//! A network of clients, and the line on which both families' addresses are points.

use core::fmt;

use super::addr::Address;
use super::refusal::Refusal;

/// How long the prefix is by which IPv6 writes IPv4 addresses.
pub(super) const MAPPED_BITS: u8 = 96;

/// Where IPv4's addresses begin: at `::ffff:0:0`.
pub(super) const MAPPED: u128 = 0xffff << 32;

/// Clients by the first bits of their address. In order IPv4 is first, then the lower address, then
/// the shorter prefix.
///
/// # Invariants
///
/// `bits` is in 1..=32 or 1..=128, and behind them `address` is zero. No IPv6 one lies within
/// `::ffff:0:0/96`: a network of IPv4 would have two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prefix {
    address: Address,
    bits: u8,
}

impl Prefix {
    /// Checks an address and a number of bits.
    ///
    /// # Errors
    ///
    /// There are no, or not as many, bits; one behind them is set; it is one of IPv4's networks,
    /// written as one of IPv6's.
    pub fn new(address: Address, bits: u32) -> Result<Self, Refusal> {
        let bits = match (address, u8::try_from(bits)) {
            (Address::V4(_), Ok(bits @ 1..=32)) | (Address::V6(_), Ok(bits @ 1..=128)) => bits,
            _ => return Err(Refusal::OverrideBits { address, bits }),
        };
        let prefix = Self { address, bits };
        if prefix.start() & rest(prefix.depth()) != 0 {
            return Err(Refusal::OverrideHost { address, bits });
        }
        if matches!(address, Address::V6(_)) && is_mapped(prefix.start()) {
            return Err(Refusal::OverrideMapped { address, bits });
        }
        Ok(prefix)
    }

    /// The lowest of its addresses.
    #[inline]
    pub const fn address(self) -> Address {
        self.address
    }

    /// How many bits its addresses have in common.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.bits
    }

    /// Whether a client is one of its own.
    pub fn contains(self, client: Address) -> bool {
        let point = position(client);
        is_mapped(point) == is_mapped(self.start())
            && (point ^ self.start()) & !rest(self.depth()) == 0
    }

    /// Its first point.
    #[inline]
    pub(super) fn start(self) -> u128 {
        position(self.address)
    }

    /// How many bits its points have in common.
    #[inline]
    pub(super) const fn depth(self) -> u8 {
        match self.address {
            Address::V4(_) => MAPPED_BITS.saturating_add(self.bits),
            Address::V6(_) => self.bits,
        }
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// An address as a point. That of an IPv4 address is also the IPv6 address's that stands for it,
/// which no packet has for a client.
#[inline]
pub(super) fn position(address: Address) -> u128 {
    match address {
        Address::V4(bytes) => MAPPED | u128::from(u32::from_be_bytes(bytes)),
        Address::V6(bytes) => u128::from_be_bytes(bytes),
    }
}

/// The points behind the first `depth` bits.
#[inline]
pub(super) fn rest(depth: u8) -> u128 {
    u128::MAX.checked_shr(depth.into()).unwrap_or(0)
}

fn is_mapped(point: u128) -> bool {
    point & !rest(MAPPED_BITS) == MAPPED
}
