// SPDX-License-Identifier: GPL-2.0

//! Neighbour discovery for IPv6 (RFC 4861), as far as ghosts are concerned.

use super::{
    client::Malformed,
    ipv6::{self, Header},
};

/// An IPv6 address in network byte order.
type Bytes = [u8; 16];

/// An Ethernet address.
type Link = [u8; 6];

const SOLICITATION: u8 = 135;
const ADVERTISEMENT: u8 = 136;

/// Proof that a message comes from this link: no router can have sent it on.
const HOP_LIMIT: u8 = 255;

/// What follows the fixed header of an advertisement: the message and one option.
const PAYLOAD: u8 = 24 + 8;

/// Length of a packet as [`advertisement`] makes it.
const LENGTH: usize = ipv6::HEADER + PAYLOAD as usize;

/// All hosts of a link.
pub const ALL_NODES: Bytes = [0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

/// A message about a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Asks for the target's link address.
    Solicitation {
        /// Who is asked about.
        target: Bytes,
        /// Who asks; `::` has no address yet and wants to know whether the target is taken.
        source: Bytes,
    },
    /// Tells the target's link address.
    Advertisement {
        /// Who is told about.
        target: Bytes,
    },
}

impl Message {
    /// Reads a whole IPv6 packet. None if it is neither, or what no host may heed: not from this
    /// link, of another code than 0, or cut short.
    ///
    /// Extension headers before the message are passed over, as the stack passes over them. Its
    /// checksum is left to whoever believes it.
    pub fn parse(packet: &[u8]) -> Option<Self> {
        let header = Header::parse(packet).ok()?;
        if header.hop_limit != HOP_LIMIT {
            return None;
        }
        let message = packet.get(ipv6::icmp(packet).ok()??..)?;
        let (&[kind, 0, _, _, _, _, _, _], rest) = message.split_first_chunk()? else {
            return None;
        };
        let (&target, source) = (rest.first_chunk()?, header.source);
        match kind {
            SOLICITATION => Some(Self::Solicitation { target, source }),
            ADVERTISEMENT => Some(Self::Advertisement { target }),
            _ => None,
        }
    }
}

/// A packet that tells `to` that `target` is at `link`, `solicited` or not.
///
/// The override flag is set, so that `to` gives up another address it has in mind. The router flag
/// is not: a ghost is a host.
pub fn advertisement(target: Bytes, link: Link, to: Bytes, solicited: bool) -> [u8; LENGTH] {
    const OVERRIDE: u8 = 0x20;
    const SOLICITED: u8 = 0x40;
    const TARGET_LINK: [u8; 2] = [2, 1];

    let flags = if solicited {
        OVERRIDE | SOLICITED
    } else {
        OVERRIDE
    };
    // The pseudo header, and what is not zero of the message.
    let summed: [&[u8]; 7] = [
        &target,
        &to,
        &[0, PAYLOAD, 0, ipv6::ICMP],
        &[ADVERTISEMENT, 0, flags, 0],
        &target,
        &TARGET_LINK,
        &link,
    ];
    let checksum = !summed.iter().fold(0, |sum, field| add(sum, field));
    let [c0, c1] = checksum.to_be_bytes();
    let fields: [&[u8]; 7] = [
        &[0x60, 0, 0, 0, 0, PAYLOAD, ipv6::ICMP, HOP_LIMIT],
        &target,
        &to,
        &[ADVERTISEMENT, 0, c0, c1, flags, 0, 0, 0],
        &target,
        &TARGET_LINK,
        &link,
    ];
    let mut packet = [0; LENGTH];
    for (slot, &byte) in packet.iter_mut().zip(fields.into_iter().flatten()) {
        *slot = byte;
    }
    packet
}

/// Puts another source into an ICMPv6 packet, and what this changes into its checksum: one that was
/// wrong stays wrong (RFC 1624).
///
/// # Errors
///
/// The packet has no ICMPv6 header, or not all of it, and is untouched.
pub fn resourced(packet: &mut [u8], source: Bytes) -> Result<(), Malformed> {
    let old = Header::parse(packet)?.source;
    let at = ipv6::icmp(packet)?.ok_or(Malformed)?;
    let Some([_, _, c0, c1, ..]) = packet.get_mut(at..) else {
        return Err(Malformed);
    };
    let gone = old.map(|byte| !byte);
    let sum = !u16::from_be_bytes([*c0, *c1]);
    [*c0, *c1] = (!add(add(sum, &gone), &source)).to_be_bytes();
    for (slot, byte) in packet.iter_mut().skip(8).zip(source) {
        *slot = byte;
    }
    Ok(())
}

/// Adds `bytes`, an even number of them, to a one's complement sum of 16-bit words: what leaves it
/// at the top comes back in at the bottom.
fn add(sum: u16, bytes: &[u8]) -> u16 {
    bytes.chunks_exact(2).fold(sum, |sum, word| match *word {
        [high, low] => {
            let (sum, carry) = sum.overflowing_add(u16::from_be_bytes([high, low]));
            sum.wrapping_add(carry.into())
        }
        _ => sum,
    })
}

/// The group that a host with `address` listens to, to be asked about it.
pub const fn solicited_node(address: Bytes) -> Bytes {
    let [.., a, b, c] = address;
    [0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, a, b, c]
}

/// The Ethernet address of an IPv6 multicast group (RFC 2464, section 7).
pub const fn multicast_link(group: Bytes) -> Link {
    let [.., a, b, c, d] = group;
    [0x33, 0x33, a, b, c, d]
}
