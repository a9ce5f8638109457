// SPDX-License-Identifier: GPL-2.0

//! What the kernel makes of a frame before the hooks at PRE_ROUTING are shown it: `eth_type_trans`,
//! `skb_vlan_untag`, `ip_rcv_core`, `ip6_rcv_core` and `ipv6_parse_hopopts`.

use crate::bed::DISPATCHER;
use crate::build::HOP_BY_HOP;
use crate::frame::{word, Frame, IPV4, IPV6, VLAN, VLAN_AD};
use crate::law::ends;
use crate::sum::checksum;
use std::net::IpAddr;

/// An IP packet in a frame for this host.
#[derive(Clone, Copy)]
pub struct Arrival<'a> {
    pub is_ipv6: bool,
    /// As long as the frame is.
    pub packet: &'a [u8],
    /// Whether the frame was to a group.
    pub is_shared: bool,
    /// Whether it had a VLAN tag, of no VLAN.
    pub is_tagged: bool,
}

/// What the hooks are shown.
pub struct Shown<'a> {
    pub packet: &'a [u8],
    /// Whether the kernel does so is not told here.
    pub is_doubtful: bool,
}

impl<'a> Arrival<'a> {
    /// None if it is no IP packet, or not for this host.
    pub fn of(frame: &'a Frame) -> Option<Self> {
        let to = frame.to()?;
        let is_shared = to[0] & 1 != 0;
        if !is_shared && to != DISPATCHER {
            return None;
        }
        let (mut kind, mut packet) = (frame.ethertype()?, frame.packet());
        let is_tagged = kind == VLAN || kind == VLAN_AD;
        if is_tagged {
            // Anything else than priority 802.1p is another device's.
            if packet.len() < 6 || word(packet, 0)? & 0xfff != 0 {
                return None;
            }
            kind = word(packet, 2)?;
            packet = &packet[4..];
        }
        (kind == IPV4 || kind == IPV6).then_some(Self {
            is_ipv6: kind == IPV6,
            packet,
            is_shared,
            is_tagged,
        })
    }

    /// None if the kernel drops it.
    pub fn shown(&self, frame: &Frame) -> Option<Shown<'a>> {
        let (length, mut is_doubtful) = if self.is_ipv6 {
            self.length6(frame)?
        } else {
            (self.length4(frame)?, false)
        };
        // A checksum that is still to be put in must not be cut off; how much of the packet is
        // looked at for that depends on how it lies in memory.
        is_doubtful |= frame.offloads.is_checksum_wanting() && length < self.packet.len();
        Some(Shown {
            packet: &self.packet[..length],
            is_doubtful,
        })
    }

    /// How long the kernel takes it to be.
    fn length4(&self, frame: &Frame) -> Option<usize> {
        let packet = self.packet;
        if packet.len() < 20 || packet[0] >> 4 != 4 {
            return None;
        }
        let header = usize::from(packet[0] & 15) * 4;
        if header < 20 || packet.len() < header || checksum(&packet[..header]) != 0 {
            return None;
        }
        let total = match word(packet, 2)? {
            0 if frame.may_be_long() => packet.len(),
            total => total.into(),
        };
        (header..=packet.len()).contains(&total).then_some(total)
    }

    /// And whether that is doubtful.
    fn length6(&self, frame: &Frame) -> Option<(usize, bool)> {
        let packet = self.packet;
        if packet.len() < 40 || packet[0] >> 4 != 6 {
            return None;
        }
        let (IpAddr::V6(source), IpAddr::V6(_)) = ends(packet)? else {
            return None;
        };
        if source.is_loopback() || source.is_multicast() {
            return None;
        }
        let has_options = packet[6] == HOP_BY_HOP;
        let length = match word(packet, 4)? {
            0 if has_options || frame.may_be_long() => packet.len(),
            payload => 40 + usize::from(payload),
        };
        if length > packet.len() {
            return None;
        }
        match has_options.then(|| options(&packet[..length])) {
            Some(Options::Bad) => None,
            Some(Options::Doubtful) => Some((length, true)),
            Some(Options::Good) | None => Some((length, false)),
        }
    }
}

enum Options {
    Good,
    Bad,
    /// Of a sort that the kernel has code of its own for.
    Doubtful,
}

/// Hop-by-hop options behind a header of IPv6. (`ip6_parse_tlv`)
fn options(packet: &[u8]) -> Options {
    let Some(&units) = packet.get(41) else {
        return Options::Bad;
    };
    let Some(mut rest) = packet.get(42..40 + (usize::from(units) + 1) * 8) else {
        return Options::Bad;
    };
    let (mut padding, mut count) = (0, 0);
    while let Some(&kind) = rest.first() {
        let length = match (kind, rest.get(1)) {
            (0, _) => 1,
            (_, None) => return Options::Bad,
            (_, Some(&length)) => 2 + usize::from(length),
        };
        let Some(option) = rest.get(..length) else {
            return Options::Bad;
        };
        if kind <= 1 {
            padding += length;
            if padding > 7 || option.iter().skip(2).any(|&byte| byte != 0) {
                return Options::Bad;
            }
        } else {
            (padding, count) = (0, count + 1);
            match kind {
                // Router alert, which has two bytes; IOAM, jumbo, CALIPSO.
                5 if length == 4 => {}
                5 => return Options::Bad,
                7 | 0x31 | 0xc2 => return Options::Doubtful,
                // The others, the two highest bits telling what becomes of the packet.
                _ if kind >> 6 == 0 => {}
                _ => return Options::Bad,
            }
            if count > 8 {
                return Options::Bad;
            }
        }
        rest = &rest[length..];
    }
    Options::Good
}
