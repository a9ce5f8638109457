// SPDX-License-Identifier: GPL-2.0

//! IPv6 packets, made by hand.

#![allow(dead_code, reason = "each test binary uses a part of this")]

use proptest::prelude::*;

pub const HOP_BY_HOP: u8 = 0;
pub const TCP: u8 = 6;
pub const UDP: u8 = 17;
pub const ROUTING: u8 = 43;
pub const FRAGMENT: u8 = 44;
pub const ESP: u8 = 50;
pub const AUTHENTICATION: u8 = 51;
pub const ICMP: u8 = 58;
pub const DESTINATION: u8 = 60;

/// An extension header without its first byte, which tells what follows.
#[derive(Clone, Debug)]
pub struct Extension {
    pub number: u8,
    pub rest: Vec<u8>,
}

impl Extension {
    pub fn len(&self) -> usize {
        1 + self.rest.len()
    }
}

/// One of `length` bytes, 8 to 2048, whose length is in units of 8 bytes, without the first 8.
pub fn extension(number: u8, length: usize) -> Extension {
    let mut rest = vec![0xaa; length - 1];
    rest[0] = u8::try_from(length / 8 - 1).unwrap();
    Extension { number, rest }
}

/// An authentication header of `length` bytes, in units of 4 bytes, without the first 8.
pub fn authentication(length: usize) -> Extension {
    let mut extension = extension(AUTHENTICATION, length);
    extension.rest[0] = u8::try_from(length / 4 - 2).unwrap();
    extension
}

/// A fragment header; `offset` in units of 8 bytes. The byte where others have a length is reserved.
pub fn fragment(offset: u16, more: bool) -> Extension {
    let [o0, o1] = (offset << 3 | 0x6 | u16::from(more)).to_be_bytes();
    Extension {
        number: FRAGMENT,
        rest: vec![0xff, o0, o1, 1, 2, 3, 4],
    }
}

pub fn any_extension() -> impl Strategy<Value = Extension> {
    let numbers = prop::sample::select(vec![HOP_BY_HOP, ROUTING, DESTINATION]);
    prop_oneof![
        4 => (numbers, 1usize..=24).prop_map(|(number, units)| extension(number, units * 8)),
        1 => (2usize..=66).prop_map(|units| authentication(units * 4)),
        1 => (prop_oneof![Just(0u16), 0u16..0x2000], any::<bool>())
            .prop_map(|(offset, more)| fragment(offset, more)),
    ]
}

/// What a packet is to be made of.
#[derive(Clone, Copy)]
pub struct Packet<'a> {
    pub source: [u8; 16],
    pub destination: [u8; 16],
    pub hop_limit: u8,
    pub extensions: &'a [Extension],
    pub protocol: u8,
    pub payload: &'a [u8],
}

impl Packet<'_> {
    pub fn bytes(&self) -> Vec<u8> {
        let mut body = self.payload.to_vec();
        let mut next = self.protocol;
        for extension in self.extensions.iter().rev() {
            body.splice(0..0, [&[next], &extension.rest[..]].concat());
            next = extension.number;
        }
        let mut bytes = vec![0x6a, 0xbc, 0xde, 0xf0];
        bytes.extend(u16::try_from(body.len()).unwrap().to_be_bytes());
        bytes.extend([next, self.hop_limit]);
        bytes.extend(self.source);
        bytes.extend(self.destination);
        bytes.extend(body);
        bytes
    }
}

pub fn from_to(
    source: [u8; 16],
    destination: [u8; 16],
    extensions: &[Extension],
    protocol: u8,
    payload: &[u8],
) -> Vec<u8> {
    Packet {
        source,
        destination,
        hop_limit: 64,
        extensions,
        protocol,
        payload,
    }
    .bytes()
}

/// An address from its eight groups.
pub fn address(groups: [u16; 8]) -> [u8; 16] {
    std::net::Ipv6Addr::from(groups).octets()
}
