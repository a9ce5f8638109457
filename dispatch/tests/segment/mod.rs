// SPDX-License-Identifier: GPL-2.0

//! TCP segments, made by hand, and read from a packet.

#![allow(dead_code, reason = "each test binary uses a part of this")]

use onehop_dispatch::flow::{Flow, Ports, Segment};
use onehop_dispatch::ipv4::Header;

pub const FIN: u8 = 0x01;
pub const SYN: u8 = 0x02;
pub const RST: u8 = 0x04;
pub const ACK: u8 = 0x10;

/// A header without options, and `data` bytes. `from` and `to` are ports.
pub fn tcp(from: u16, to: u16, seq: u32, ack: u32, flags: u8, data: usize) -> Vec<u8> {
    let mut bytes = from.to_be_bytes().to_vec();
    bytes.extend(to.to_be_bytes());
    bytes.extend(seq.to_be_bytes());
    bytes.extend(ack.to_be_bytes());
    bytes.extend([0x50, flags, 0x12, 0x34, 0, 0, 0, 0]);
    bytes.resize(20 + data, 0xda);
    bytes
}

pub const PORTS: Ports = Ports {
    client: 40_000,
    ghost: 80,
};

/// The segment of a client's that a packet with it is read as.
pub fn segment(seq: u32, ack: u32, flags: u8, data: usize) -> Segment {
    let mut bytes = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, 6, 0, 0];
    bytes.extend([198, 51, 100, 7, 192, 0, 2, 80]);
    bytes.extend(tcp(PORTS.client, PORTS.ghost, seq, ack, flags, data));
    let header = Header::parse(&bytes).unwrap();
    match header.flow(&bytes, u32::try_from(bytes.len()).unwrap()) {
        Flow::Segment(segment) => segment,
        flow => panic!("read as {flow:?}"),
    }
}
