// SPDX-License-Identifier: GPL-2.0

//! Whose packet it is: what reading one comes to, for both families.

use super::addr::Address;

/// The bytes are not what they should be: too few, another version, or a length that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// Why a packet to a ghost is not dispatched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotOurs {
    /// It comes from the ghost itself.
    FromGhost,
    /// Its client is no address a client can have, see `is_client` of its family.
    NoClient,
    /// It is an ICMP error about a packet the ghost did not send.
    ForeignQuote,
    /// It is neighbour discovery, which is between this host and its link.
    Neighbour,
}

/// Whose packet it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// This client's.
    Is(Address),
    /// Nobody's: for the ordinary stack.
    NotOurs(NotOurs),
    /// Not to be told.
    Malformed,
}

impl From<Malformed> for Client {
    #[inline]
    fn from(Malformed: Malformed) -> Self {
        Self::Malformed
    }
}
