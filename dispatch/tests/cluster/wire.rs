// SPDX-License-Identifier: GPL-2.0

//! Packets from clients to the ghost, as bytes, so that the whole way from there is tested.

use onehop_dispatch::addr::Address;
use onehop_dispatch::client::Client;
use onehop_dispatch::flow::{Flow, Ports};
use onehop_dispatch::ipv4::Header;

use super::packet4::{self, ICMP, MORE, TCP, UDP};
use super::segment::{tcp, ACK};

const GHOST4: [u8; 4] = [192, 0, 2, 80];
pub const GHOST: Address = Address::V4(GHOST4);
const ROUTER: [u8; 4] = [203, 0, 113, 1];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Whole,
    First,
    Later,
}

/// A connection's client, and both ports.
pub type Tuple = (Address, Ports);

#[derive(Clone, Debug)]
pub struct Packet {
    pub client: Address,
    /// Which all fragments of one packet share.
    pub number: u32,
    bytes: Vec<u8>,
}

impl Packet {
    /// What hosts read of it; no more than they have to look at.
    pub fn flow(&self) -> Flow {
        let header = Header::parse(&self.bytes).unwrap();
        let client = header.client(&self.bytes, GHOST4);
        assert_eq!(client, Client::Is(self.client));
        let length = self.bytes.len();
        let seen = header.flow_bytes().clamp(20, length);
        header.flow(&self.bytes[..seen], length as u32)
    }
}

fn packet(
    source: [u8; 4],
    destination: [u8; 4],
    (fragment, protocol): (u16, u8),
    payload: &[u8],
) -> Vec<u8> {
    packet4::Packet {
        source,
        destination,
        options: 0,
        fragment,
        protocol,
        payload,
    }
    .bytes()
}

fn four(client: Address) -> [u8; 4] {
    match client {
        Address::V4(bytes) => bytes,
        Address::V6(_) => panic!("clients are of IPv4 here"),
    }
}

/// A segment of a client's with `data` bytes, or a part of it.
pub fn segment(
    (client, ports): Tuple,
    flags: u8,
    (seq, ack): (u32, u32),
    data: usize,
    (part, number): (Part, u32),
) -> Packet {
    let fragment = match part {
        Part::Whole => 0,
        Part::First => MORE,
        Part::Later => 185,
    };
    let bytes = tcp(ports.client, ports.ghost, seq, ack, flags, data);
    Packet {
        client,
        number,
        bytes: packet(four(client), GHOST4, (fragment, TCP), &bytes),
    }
}

/// What a router says of a segment of the ghost's to a client.
pub fn error((client, ports): Tuple, seq: u32) -> Packet {
    let sent = tcp(ports.ghost, ports.client, seq, 0, ACK, 0);
    let quote = packet(GHOST4, four(client), (0, TCP), &sent[..8]);
    let message = [&[3, 4, 0, 0, 0, 0, 5, 0], &quote[..]].concat();
    Packet {
        client,
        number: 0,
        bytes: packet(ROUTER, GHOST4, (0, ICMP), &message),
    }
}

/// A datagram of UDP.
pub fn datagram(client: Address) -> Packet {
    Packet {
        client,
        number: 0,
        bytes: packet(four(client), GHOST4, (0, UDP), &[0; 16]),
    }
}
