// SPDX-License-Identifier: GPL-2.0

//! Why a configuration is refused.
//!
//! One sentence for a human, the bad value in quotes: the module puts it into the reply's message
//! buffer and `onehopctl` prints it, so both say the same.

use core::fmt;

use super::addr::Address;

/// A value the law does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A server id above [`super::server::ServerId::MAX`].
    ServerId(u32),
    /// A weight outside 1..=1000.
    Weight(u32),
    /// A row count that is no power of two, or outside 256..=65536.
    RowCount(u32),
    /// An IPv4 key prefix outside 1..=32.
    PrefixV4(u32),
    /// An IPv6 key prefix outside 1..=128.
    PrefixV6(u32),
    /// This id does not come after the one before it.
    Order(u16),
    /// Kind `mod` met a server of a weight other than 1.
    Weighted {
        /// The server.
        id: u16,
        /// Its weight.
        weight: u16,
    },
    /// An override's prefix is longer than its addresses, or 0.
    OverrideBits {
        /// Its address.
        address: Address,
        /// Its length.
        bits: u32,
    },
    /// An override's address has bits set behind its prefix.
    OverrideHost {
        /// Its address.
        address: Address,
        /// Its length.
        bits: u8,
    },
    /// An override of IPv4 clients, written as one of IPv6.
    OverrideMapped {
        /// Its address.
        address: Address,
        /// Its length.
        bits: u8,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ServerId(value) => write!(f, "server id \"{value}\": expected 0 to 1023"),
            Self::Weight(value) => write!(
                f,
                "weight \"{value}\": expected 1 to 1000; to take a server out, drain it"
            ),
            Self::RowCount(value) => {
                write!(f, "rows \"{value}\": expected a power of two, 256 to 65536")
            }
            Self::PrefixV4(value) => write!(f, "IPv4 key prefix \"{value}\": expected 1 to 32"),
            Self::PrefixV6(value) => write!(f, "IPv6 key prefix \"{value}\": expected 1 to 128"),
            Self::Order(id) => write!(
                f,
                "server id \"{id}\": expected each id once, in ascending order"
            ),
            Self::Weighted { id, weight } => write!(
                f,
                "weight \"{weight}\" of server id {id}: kind mod takes weight 1 only; use kind hash"
            ),
            Self::OverrideBits { address, bits } => {
                let most = match address {
                    Address::V4(_) => 32,
                    Address::V6(_) => 128,
                };
                write!(
                    f,
                    "override \"{address}/{bits}\": expected a prefix of 1 to {most} bits"
                )
            }
            Self::OverrideHost { address, bits } => write!(
                f,
                "override \"{address}/{bits}\": expected nothing behind the first {bits} bits; \
                 clear them, or lengthen the prefix"
            ),
            Self::OverrideMapped { address, bits } => write!(
                f,
                "override \"{address}/{bits}\": expected no IPv4 clients in IPv6; write their \
                 network as one of IPv4"
            ),
        }
    }
}
