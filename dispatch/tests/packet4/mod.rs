// SPDX-License-Identifier: GPL-2.0

//! IPv4 packets, made by hand.

#![allow(dead_code, reason = "each test binary uses a part of this")]

pub const ICMP: u8 = 1;
pub const TCP: u8 = 6;
pub const UDP: u8 = 17;

/// In the field of a packet's fragment offset: more fragments follow.
pub const MORE: u16 = 0x2000;

/// What a packet is to be made of.
#[derive(Clone, Copy)]
pub struct Packet<'a> {
    pub source: [u8; 4],
    pub destination: [u8; 4],
    /// Words of options.
    pub options: u8,
    /// The offset, in units of 8 bytes, and flags.
    pub fragment: u16,
    pub protocol: u8,
    pub payload: &'a [u8],
}

impl Packet<'_> {
    pub fn bytes(&self) -> Vec<u8> {
        let header = 20 + 4 * usize::from(self.options);
        let total = u16::try_from(header + self.payload.len()).unwrap();
        let mut bytes = vec![0x45 + self.options, 0];
        bytes.extend(total.to_be_bytes());
        bytes.extend([0x12, 0x34]);
        bytes.extend(self.fragment.to_be_bytes());
        bytes.extend([64, self.protocol, 0, 0]);
        bytes.extend(self.source);
        bytes.extend(self.destination);
        bytes.resize(header, 1);
        bytes.extend(self.payload);
        bytes
    }
}
