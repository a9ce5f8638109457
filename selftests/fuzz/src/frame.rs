// SPDX-License-Identifier: GPL-2.0

//! A frame as a tap takes and gives it: `struct virtio_net_hdr`, then Ethernet.

use std::fmt;

/// Length of an Ethernet header.
pub const LINK: usize = 14;

pub type Mac = [u8; 6];

pub const IPV4: u16 = 0x0800;
pub const ARP: u16 = 0x0806;
pub const IPV6: u16 = 0x86dd;
pub const VLAN: u16 = 0x8100;
pub const VLAN_AD: u16 = 0x88a8;

/// What is left to whoever sends a packet on: its checksum, and cutting it to segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offloads {
    /// 1: the checksum is wanting.
    pub flags: u8,
    /// 1 TCP over IPv4, 3 UDP in fragments, 4 TCP over IPv6, 5 UDP; 0x80 besides: ECN.
    pub kind: u8,
    pub header: u16,
    pub size: u16,
    pub checksum_start: u16,
    pub checksum_offset: u16,
}

impl Offloads {
    pub fn is_checksum_wanting(&self) -> bool {
        self.flags & 1 != 0
    }

    /// The bytes of the frame that whoever completes the checksum may change.
    pub fn checksum_at(&self) -> Option<usize> {
        self.is_checksum_wanting()
            .then(|| usize::from(self.checksum_start) + usize::from(self.checksum_offset))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    pub offloads: Offloads,
    pub bytes: Vec<u8>,
}

impl Frame {
    /// From what a tap gives.
    pub fn parse(all: &[u8]) -> Option<Self> {
        let (&[flags, kind, h0, h1, s0, s1, c0, c1, o0, o1], bytes) = all.split_first_chunk()?;
        // A tap has them in the machine's own order.
        let word = |low, high| u16::from_ne_bytes([low, high]);
        Some(Self {
            offloads: Offloads {
                flags,
                kind,
                header: word(h0, h1),
                size: word(s0, s1),
                checksum_start: word(c0, c1),
                checksum_offset: word(o0, o1),
            },
            bytes: bytes.to_vec(),
        })
    }

    /// As a tap takes it.
    pub fn encode(&self) -> Vec<u8> {
        let o = &self.offloads;
        let mut all = vec![o.flags, o.kind];
        for word in [o.header, o.size, o.checksum_start, o.checksum_offset] {
            all.extend(word.to_ne_bytes());
        }
        all.extend(&self.bytes);
        all
    }

    pub fn to(&self) -> Option<Mac> {
        self.bytes.get(..6)?.try_into().ok()
    }

    pub fn from(&self) -> Option<Mac> {
        self.bytes.get(6..12)?.try_into().ok()
    }

    pub fn ethertype(&self) -> Option<u16> {
        word(&self.bytes, 12)
    }

    /// Whether the kernel takes it for several segments: it is told so, and there is more behind the
    /// headers than one has. (`__virtio_net_hdr_to_skb`)
    pub fn is_segments(&self) -> bool {
        let offloads = &self.offloads;
        let is_tcp = matches!(offloads.kind & 0x7f, 1 | 4);
        let start = match (offloads.is_checksum_wanting(), self.packet().first()) {
            (true, _) => offloads.checksum_start.into(),
            (_, Some(first)) if first >> 4 == 4 => LINK + usize::from(first & 15) * 4,
            _ => LINK + 40,
        };
        let (header, size) = match offloads.kind & 0x7f {
            0 => return false,
            // Fragments of UDP: its header is in the first.
            3 => (0, offloads.size),
            _ if is_tcp => (20, offloads.size.max(8)),
            _ => (8, offloads.size),
        };
        self.bytes.len() > start + header + usize::from(size)
    }

    /// Whether its length need not be in its header, as it may be too long for that.
    pub fn may_be_long(&self) -> bool {
        matches!(self.offloads.kind & 0x7f, 1 | 4) && self.is_segments()
    }

    pub fn packet(&self) -> &[u8] {
        self.bytes.get(LINK..).unwrap_or(&[])
    }
}

/// The big-endian number at `at`.
pub fn word(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at + 2)?;
    Some(u16::from_be_bytes(pair.try_into().ok()?))
}

/// Writes a big-endian number, if there is room for it.
pub fn put(bytes: &mut [u8], at: usize, value: u16) {
    if let Some(place) = bytes.get_mut(at..at + 2) {
        place.copy_from_slice(&value.to_be_bytes());
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.offloads != Offloads::default() {
            write!(f, "{:?} ", self.offloads)?;
        }
        for byte in &self.bytes {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}
