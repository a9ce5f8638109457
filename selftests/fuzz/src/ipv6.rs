// SPDX-License-Identifier: GPL-2.0

//! Packets of IPv6 for a ghost. The twin of [`crate::ipv4`].

use crate::address::{client6, GHOST6};
use crate::build::{self, icmp, ipv6, sum_payload, ICMPV6, TCP, UDP};
use crate::frame::{Frame, IPV6};
use crate::payload::{data, datagram, segment, transport};
use crate::random::Random;
use std::net::Ipv6Addr;

pub fn whole6(random: &mut Random, protocol: u8) -> Frame {
    let source = client6(random);
    let mut payload = transport(random, protocol);
    sum_payload(&source.octets(), &GHOST6.octets(), protocol, &mut payload);
    build::frame(IPV6, &ipv6(source, GHOST6, protocol, &payload))
}

pub fn tcp6(random: &mut Random) -> Frame {
    whole6(random, TCP)
}

pub fn udp6(random: &mut Random) -> Frame {
    whole6(random, UDP)
}

pub fn icmp6(random: &mut Random) -> Frame {
    let source = client6(random);
    let kind = random.pick(&[128, 129, 130, 200]);
    message6(
        source,
        icmp(kind, 0, [0, 1, 0, random.byte()], &data(random)),
    )
}

fn message6(source: Ipv6Addr, mut message: Vec<u8>) -> Frame {
    sum_payload(&source.octets(), &GHOST6.octets(), ICMPV6, &mut message);
    build::frame(IPV6, &ipv6(source, GHOST6, ICMPV6, &message))
}

pub fn quote6(random: &mut Random) -> Frame {
    let client = client6(random);
    let mut inner = ipv6(GHOST6, client, TCP, &segment(random, &[]));
    if random.one_in(8) {
        inner = ipv6(GHOST6, client, ICMPV6, &icmp(1, 0, [0; 4], &inner));
    }
    inner.truncate(random.pick(&[40, 48, 60, 1200]));
    let (kind, code) = random.pick(&[(1, 0), (1, 4), (2, 0), (3, 0), (4, 1)]);
    message6(client6(random), icmp(kind, code, [0, 0, 5, 0], &inner))
}

pub fn fragment6(random: &mut Random) -> Frame {
    let protocol = random.pick(&[TCP, UDP, ICMPV6]);
    let mut common = datagram(random);
    let offset = random.pick(&[0, 1, 2, 8, 150, 185, 8000]);
    let mut payload = build::fragment(protocol, offset, random.one_in(2), common.next() as u32);
    payload.extend(match (protocol, offset) {
        (ICMPV6, 0) => icmp(128, 0, [0, 1, 0, 1], &random.bytes(64)),
        (_, 0) => transport(random, protocol),
        _ => {
            let length = 8 * random.within(0, 160);
            random.bytes(length)
        }
    });
    build::frame(
        IPV6,
        &ipv6(client6(random), GHOST6, build::FRAGMENT, &payload),
    )
}

/// Up to six extension headers of all sorts, hop-by-hop options first if there are any.
pub fn extension6(random: &mut Random) -> Frame {
    let protocol = random.pick(&[TCP, UDP, ICMPV6, ICMPV6, 59, 50]);
    let source = client6(random);
    let mut payload = match protocol {
        ICMPV6 if random.one_in(2) => {
            let inner = ipv6(GHOST6, client6(random), TCP, &[0; 8]);
            icmp(1, 4, [0; 4], &inner)
        }
        ICMPV6 => icmp(128, 0, [0, 1, 0, 1], &data(random)),
        TCP | UDP => transport(random, protocol),
        _ => random.bytes(16),
    };
    let mut next = protocol;
    let count = random.within(1, 6);
    for at in 0..count {
        let number = match (at + 1 == count, random.below(5)) {
            (true, 0 | 1) => build::HOP_BY_HOP,
            (_, 0) => build::ROUTING,
            (_, 1) => build::AUTHENTICATION,
            (_, 2) => build::FRAGMENT,
            _ => build::DESTINATION,
        };
        let mut header = match number {
            build::FRAGMENT => build::fragment(next, 0, false, 7),
            _ => {
                // Of more than 512 bytes in all no end is found.
                let units = random.pick(&[0, 0, 1, 2, 5, 6, 40]);
                build::extension(number, next, units, &[0])
            }
        };
        header.extend(payload);
        (payload, next) = (header, number);
    }
    build::frame(IPV6, &ipv6(source, GHOST6, next, &payload))
}
