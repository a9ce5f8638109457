// SPDX-License-Identifier: GPL-2.0

//! Ethernet groups: how a frame to a ghost reaches all servers of a pool in mode broadcast.

use super::{addr::Address, nd};

/// What kind of group a pool's servers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A locally administered one, which switches flood.
    Multicast,
    /// That of an IP group which the servers join, so that switches need not flood.
    Igmp,
}

/// The Ethernet address that servers give for a ghost.
///
/// Of an IPv6 ghost the last four bytes are in it, as ghosts of one network differ in those.
pub const fn link(shape: Shape, ghost: Address) -> [u8; 6] {
    match (shape, ghost, group(ghost)) {
        (Shape::Multicast, Address::V4([a, b, c, d]), _)
        | (Shape::Multicast, Address::V6([.., a, b, c, d]), _) => [0x03, 0xbf, a, b, c, d],
        // RFC 1112, section 6.4: the last 23 bits.
        (Shape::Igmp, _, Address::V4([_, b, c, d])) => [0x01, 0x00, 0x5e, b & 0x7f, c, d],
        (Shape::Igmp, _, Address::V6(group)) => nd::multicast_link(group),
    }
}

/// The IP group that servers join for a ghost, with shape igmp: one that is for the site to give out
/// (RFC 2365, section 6.1; RFC 4291, section 2.7).
pub const fn group(ghost: Address) -> Address {
    match ghost {
        Address::V4([_, _, c, d]) => Address::V4([239, 255, c, d]),
        Address::V6([.., a, b, c, d]) => {
            Address::V6([0xff, 0x15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d])
        }
    }
}
