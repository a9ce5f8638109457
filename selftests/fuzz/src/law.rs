// SPDX-License-Identifier: GPL-2.0

//! Whose packet it is: dispatch.md, "Which client a packet belongs to", read once more, slowly.

use crate::address::can_be_client;
use crate::build::{AUTHENTICATION, DESTINATION, FRAGMENT, HOP_BY_HOP, ICMP, ICMPV6, ROUTING};
use crate::frame::word;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    Client(IpAddr),
    Malformed,
    NotDispatched,
    /// Nor is this, and at ingress it is known by its name.
    Neighbour,
}

/// The addresses of a packet whose header is as it must be.
pub fn ends(packet: &[u8]) -> Option<(IpAddr, IpAddr)> {
    match packet.first()? >> 4 {
        4 => {
            let header = usize::from(packet[0] & 15) * 4;
            let total = usize::from(word(packet, 2)?);
            let is_sound = packet.len() >= 20 && header >= 20 && (total == 0 || total >= header);
            is_sound.then(|| (v4(packet, 12), v4(packet, 16)))
        }
        6 => (packet.len() >= 40).then(|| (v6(packet, 8), v6(packet, 24))),
        _ => None,
    }
}

fn v4(packet: &[u8], at: usize) -> IpAddr {
    let octets: [u8; 4] = std::array::from_fn(|i| packet[at + i]);
    Ipv4Addr::from(octets).into()
}

fn v6(packet: &[u8], at: usize) -> IpAddr {
    let octets: [u8; 16] = std::array::from_fn(|i| packet[at + i]);
    Ipv6Addr::from(octets).into()
}

/// Whose a packet for a ghost is.
pub fn whose(packet: &[u8]) -> Whose {
    let Some((source, ghost)) = ends(packet) else {
        return Whose::Malformed;
    };
    if source == ghost {
        return Whose::NotDispatched;
    }
    let Ok(message) = message(packet) else {
        return Whose::Malformed;
    };
    let is_ipv6 = source.is_ipv6();
    let mut client = source;
    if let Some(message) = message {
        let Some(&kind) = message.first() else {
            return Whose::Malformed;
        };
        if is_ipv6 && (133..=137).contains(&kind) {
            return Whose::Neighbour;
        }
        let errors: &[u8] = if is_ipv6 {
            &[1, 2, 3, 4]
        } else {
            &[3, 4, 5, 11, 12]
        };
        if errors.contains(&kind) {
            match message.get(8..).and_then(ends) {
                Some((quoted, to)) if quoted.is_ipv6() == is_ipv6 => {
                    if quoted != ghost {
                        return Whose::NotDispatched;
                    }
                    client = to;
                }
                _ => return Whose::Malformed,
            }
        }
    }
    let is_hidden = is_ipv6 && !can_be_client(source);
    if client == ghost || !can_be_client(client) || is_hidden {
        return Whose::NotDispatched;
    }
    Whose::Client(client)
}

struct Malformed;

/// The ICMP message in a packet, as far as it is looked at, if there is one.
fn message(packet: &[u8]) -> Result<Option<&[u8]>, Malformed> {
    if packet[0] >> 4 == 4 {
        let is_message = packet[9] == ICMP && word(packet, 6).unwrap_or(0) & 0x1fff == 0;
        let header = usize::from(packet[0] & 15) * 4;
        return match packet[..packet.len().min(88)].get(header..) {
            Some(message) if is_message => Ok(Some(message)),
            None if is_message => Err(Malformed),
            _ => Ok(None),
        };
    }
    let seen = &packet[..packet.len().min(600)];
    let (mut number, mut at) = (packet[6], 40);
    while [HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION, DESTINATION].contains(&number) {
        let header = seen.get(at..at + 8).ok_or(Malformed)?;
        let units = usize::from(header[1]);
        let length = match number {
            FRAGMENT => 8,
            AUTHENTICATION => (units + 2) * 4,
            _ => (units + 1) * 8,
        };
        if at + length > seen.len() {
            return Err(Malformed);
        }
        if number == FRAGMENT && word(header, 2).unwrap_or(0) >> 3 != 0 {
            return Ok(None);
        }
        number = header[0];
        at += length;
    }
    Ok((number == ICMPV6).then(|| &seen[at..]))
}

/// Whether a packet of IPv6 is a solicitation or an advertisement of neighbour discovery about
/// `target`: hop limit 255, code 0, and as long as one is.
pub fn is_neighbour_of(packet: &[u8], target: IpAddr) -> bool {
    if !matches!(ends(packet), Some((IpAddr::V6(_), _))) || packet[7] != 255 {
        return false;
    }
    match message(packet) {
        Ok(Some(message)) if message.len() >= 24 => {
            matches!(message[..2], [135 | 136, 0]) && v6(message, 8) == target
        }
        _ => false,
    }
}
