// SPDX-License-Identifier: GPL-2.0

//! Bytes of well-formed packets.

use crate::bed::{DISPATCHER, ROUTER};
use crate::frame::{put, Frame};
use crate::sum::{checksum, transport};
use std::net::{Ipv4Addr, Ipv6Addr};

pub const ICMP: u8 = 1;
pub const TCP: u8 = 6;
pub const UDP: u8 = 17;
pub const ICMPV6: u8 = 58;

pub const HOP_BY_HOP: u8 = 0;
pub const ROUTING: u8 = 43;
pub const FRAGMENT: u8 = 44;
pub const AUTHENTICATION: u8 = 51;
pub const DESTINATION: u8 = 60;

pub fn frame(ethertype: u16, packet: &[u8]) -> Frame {
    let mut bytes = [DISPATCHER, ROUTER].concat();
    bytes.extend(ethertype.to_be_bytes());
    bytes.extend(packet);
    Frame {
        bytes,
        ..Frame::default()
    }
}

#[derive(Clone)]
pub struct V4 {
    pub source: Ipv4Addr,
    pub destination: Ipv4Addr,
    pub protocol: u8,
    pub id: u16,
    /// Flags and offset.
    pub fragment: u16,
    /// A multiple of four bytes.
    pub options: Vec<u8>,
}

impl V4 {
    pub fn packet(&self, payload: &[u8]) -> Vec<u8> {
        let header = 20 + self.options.len();
        let mut bytes = vec![0x40 | (header / 4) as u8, 0, 0, 0];
        bytes.extend(self.id.to_be_bytes());
        bytes.extend(self.fragment.to_be_bytes());
        bytes.extend([64, self.protocol, 0, 0]);
        bytes.extend(self.source.octets());
        bytes.extend(self.destination.octets());
        bytes.extend(&self.options);
        bytes.extend(payload);
        // What is longer than the field can say has 0 in it.
        let total = u16::try_from(bytes.len()).unwrap_or(0);
        put(&mut bytes, 2, total);
        sum_header(&mut bytes);
        bytes
    }
}

/// Puts the checksum right of an IPv4 header, if it is whole.
pub fn sum_header(packet: &mut [u8]) {
    let Some(&first) = packet.first() else {
        return;
    };
    let length = usize::from(first & 15) * 4;
    if length >= 20 && packet.len() >= length {
        put(packet, 10, 0);
        let sum = checksum(&packet[..length]);
        put(packet, 10, sum);
    }
}

pub fn ipv6(source: Ipv6Addr, destination: Ipv6Addr, next: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x60, 0, 0, 0];
    bytes.extend(u16::try_from(payload.len()).unwrap_or(0).to_be_bytes());
    bytes.extend([next, 64]);
    bytes.extend(source.octets());
    bytes.extend(destination.octets());
    bytes.extend(payload);
    bytes
}

/// An extension header of `8 * (1 + units)` bytes, or for authentication `4 * (2 + units)`.
pub fn extension(number: u8, next: u8, units: u8, fill: &[u8]) -> Vec<u8> {
    let length = match number {
        AUTHENTICATION => 4 * (2 + usize::from(units)),
        _ => 8 * (1 + usize::from(units)),
    };
    let mut bytes = vec![next, units];
    match number {
        // Of options that each is 6 bytes long, and 2 that pad.
        HOP_BY_HOP | DESTINATION => {
            bytes.extend([1, 4, 0, 0, 0, 0]);
            while bytes.len() < length {
                // To be skipped by who does not know it.
                bytes.extend([0x1e, 6, 1, 2, 3, 4, 5, 6]);
            }
        }
        _ => bytes.extend(fill.iter().cycle().take(length - 2)),
    }
    bytes.truncate(length);
    bytes
}

/// A fragment header.
pub fn fragment(next: u8, offset: u16, more: bool, id: u32) -> Vec<u8> {
    let mut bytes = vec![next, 0];
    bytes.extend((offset << 3 | u16::from(more)).to_be_bytes());
    bytes.extend(id.to_be_bytes());
    bytes
}

pub fn tcp(ports: [u16; 2], flags: u8, options: &[u8], data: &[u8]) -> Vec<u8> {
    let mut bytes = ports.map(u16::to_be_bytes).concat();
    bytes.extend([1, 2, 3, 4, 5, 6, 7, 8]);
    bytes.extend([((20 + options.len()) / 4) as u8 * 16, flags, 0xff, 0xff]);
    bytes.extend([0, 0, 0, 0]);
    bytes.extend(options);
    bytes.extend(data);
    bytes
}

pub fn udp(ports: [u16; 2], data: &[u8]) -> Vec<u8> {
    let mut bytes = ports.map(u16::to_be_bytes).concat();
    let length = u16::try_from(8 + data.len()).unwrap_or(0);
    bytes.extend(length.to_be_bytes());
    bytes.extend([0, 0]);
    bytes.extend(data);
    bytes
}

/// A message of ICMP, with its checksum.
pub fn icmp(kind: u8, code: u8, rest: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind, code, 0, 0];
    bytes.extend(rest);
    bytes.extend(data);
    let sum = checksum(&bytes);
    put(&mut bytes, 2, sum);
    bytes
}

/// Puts the checksum of a whole TCP, UDP or ICMPv6 payload right.
pub fn sum_payload(source: &[u8], destination: &[u8], protocol: u8, payload: &mut [u8]) {
    let at = match protocol {
        TCP => 16,
        UDP => 6,
        _ => 2,
    };
    put(payload, at, 0);
    let sum = transport(source, destination, protocol, payload);
    put(payload, at, sum);
}
