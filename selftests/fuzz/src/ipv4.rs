// SPDX-License-Identifier: GPL-2.0

//! Packets of IPv4 for a ghost.

use crate::address::{client4, GHOST4};
use crate::build::{self, icmp, sum_payload, ICMP, TCP, UDP, V4};
use crate::frame::{Frame, IPV4};
use crate::payload::{data, datagram, segment, transport};
use crate::random::Random;

pub fn v4(random: &mut Random, protocol: u8) -> V4 {
    V4 {
        source: client4(random),
        destination: GHOST4,
        protocol,
        id: random.word(),
        // Half of them with DF.
        fragment: random.pick(&[0, 0x4000]),
        options: Vec::new(),
    }
}

pub fn whole4(random: &mut Random, protocol: u8) -> Frame {
    let header = v4(random, protocol);
    let mut payload = transport(random, protocol);
    let (from, to) = (header.source.octets(), header.destination.octets());
    sum_payload(&from, &to, protocol, &mut payload);
    build::frame(IPV4, &header.packet(&payload))
}

pub fn tcp4(random: &mut Random) -> Frame {
    whole4(random, TCP)
}

pub fn udp4(random: &mut Random) -> Frame {
    whole4(random, UDP)
}

pub fn icmp4(random: &mut Random) -> Frame {
    let header = v4(random, ICMP);
    let kind = random.pick(&[8, 0, 13, 17, 42]);
    let message = icmp(kind, 0, [0, 1, 0, random.byte()], &data(random));
    build::frame(IPV4, &header.packet(&message))
}

/// An error about what the ghost has sent, as a router on the way back tells it: cut to a few bytes
/// or not, and itself about an error at times.
pub fn quote4(random: &mut Random) -> Frame {
    let mut quoted = V4 {
        source: GHOST4,
        destination: client4(random),
        ..v4(random, TCP)
    };
    let options = 4 * random.below(3);
    quoted.options = vec![1; options];
    let mut inner = quoted.packet(&segment(random, &[]));
    if random.one_in(8) {
        quoted.protocol = ICMP;
        inner = quoted.packet(&icmp(3, 1, [0; 4], &inner));
    }
    inner.truncate(random.pick(&[20, 28, 40, 200]).max(quoted_length(&inner)));
    let (kind, code) = random.pick(&[(3, 1), (3, 4), (3, 3), (4, 0), (5, 1), (11, 0), (12, 0)]);
    let message = icmp(kind, code, [0, 0, 5, 0xdc], &inner);
    build::frame(IPV4, &v4(random, ICMP).packet(&message))
}

fn quoted_length(packet: &[u8]) -> usize {
    usize::from(packet[0] & 15) * 4
}

/// Fragments of few datagrams, at places where they overlap as often as not.
pub fn fragment4(random: &mut Random) -> Frame {
    let protocol = random.pick(&[TCP, UDP, ICMP]);
    let mut header = v4(&mut datagram(random), protocol);
    let offset = random.pick(&[0, 1, 2, 8, 150, 185, 8000]);
    let more = random.pick(&[0, 0x2000]);
    header.fragment = offset | more;
    let payload = match (protocol, offset) {
        (ICMP, 0) => icmp(8, 0, [0, 1, 0, 1], &random.bytes(64)),
        (_, 0) => transport(random, protocol),
        _ => {
            let length = 8 * random.within(0, 180);
            random.bytes(length)
        }
    };
    build::frame(IPV4, &header.packet(&payload))
}

pub fn options4(random: &mut Random) -> Frame {
    let protocol = random.pick(&[TCP, UDP, ICMP]);
    let mut header = v4(random, protocol);
    let words = random.within(1, 10);
    header.options = match random.below(5) {
        // Nothing; record route; loose source route; timestamp; or anything.
        0 => vec![1; 4 * words],
        1 => vec![7, 7, 4, 0, 0, 0, 0, 0],
        2 => vec![131, 7, 4, 198, 51, 100, 1, 0],
        3 => vec![68, 8, 5, 0, 0, 0, 0, 0],
        _ => random.bytes(4 * words),
    };
    let payload = match protocol {
        ICMP => icmp(8, 0, [0, 1, 0, 1], &data(random)),
        _ => transport(random, protocol),
    };
    build::frame(IPV4, &header.packet(&payload))
}
