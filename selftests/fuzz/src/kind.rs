// SPDX-License-Identifier: GPL-2.0

//! Frames of every kind, all for a ghost and all well-formed; [`crate::mutation`] spoils them.

use crate::address::{client4, client6, GHOST4, GHOST6};
use crate::build::{self, icmp, ipv6, sum_payload, tcp, udp, ICMP, ICMPV6, TCP, UDP, V4};
use crate::frame::{Frame, Offloads, ARP, IPV4, IPV6, VLAN, VLAN_AD};
use crate::random::Random;
use std::net::{Ipv4Addr, Ipv6Addr};

macro_rules! kinds {
    ($($variant:ident $name:literal $make:ident,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $($variant,)*
        }

        impl Kind {
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// A whole frame of this kind.
            pub fn make(self, random: &mut Random) -> Frame {
                match self {
                    $(Self::$variant => $make(random),)*
                }
            }
        }
    };
}

kinds! {
    Tcp4 "tcp4" tcp4,
    Udp4 "udp4" udp4,
    Icmp4 "icmp4" icmp4,
    Quote4 "quote4" quote4,
    Fragment4 "fragment4" fragment4,
    Options4 "options4" options4,
    Tcp6 "tcp6" tcp6,
    Udp6 "udp6" udp6,
    Icmp6 "icmp6" icmp6,
    Quote6 "quote6" quote6,
    Fragment6 "fragment6" fragment6,
    Extension6 "extension6" extension6,
    Odd "odd" odd,
    Vlan "vlan" vlan,
    Jumbo "jumbo" jumbo,
    Segments "segments" segments,
    Neighbour "neighbour" neighbour,
}

fn v4(random: &mut Random, protocol: u8) -> V4 {
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

fn ports(random: &mut Random) -> [u16; 2] {
    [random.word(), random.pick(&[80, 443, 53, 9])]
}

/// As much as most packets carry, and at times what fills an Ethernet.
fn data(random: &mut Random) -> Vec<u8> {
    let most = random.pick(&[8, 60, 200, 1380]);
    let length = random.within(0, most);
    random.bytes(length)
}

fn segment(random: &mut Random, data: &[u8]) -> Vec<u8> {
    let flags = random.pick(&[2, 16, 24, 17, 4, 18]);
    let options: &[u8] = if random.one_in(2) {
        &[2, 4, 5, 0xb4]
    } else {
        &[]
    };
    tcp(ports(random), flags, options, data)
}

/// A transport packet of either sort.
fn transport(random: &mut Random, protocol: u8) -> Vec<u8> {
    let data = data(random);
    match protocol {
        TCP => segment(random, &data),
        _ => udp(ports(random), &data),
    }
}

fn whole4(random: &mut Random, protocol: u8) -> Frame {
    let header = v4(random, protocol);
    let mut payload = transport(random, protocol);
    let (from, to) = (header.source.octets(), header.destination.octets());
    sum_payload(&from, &to, protocol, &mut payload);
    build::frame(IPV4, &header.packet(&payload))
}

fn whole6(random: &mut Random, protocol: u8) -> Frame {
    let source = client6(random);
    let mut payload = transport(random, protocol);
    sum_payload(&source.octets(), &GHOST6.octets(), protocol, &mut payload);
    build::frame(IPV6, &ipv6(source, GHOST6, protocol, &payload))
}

fn tcp4(random: &mut Random) -> Frame {
    whole4(random, TCP)
}

fn udp4(random: &mut Random) -> Frame {
    whole4(random, UDP)
}

fn tcp6(random: &mut Random) -> Frame {
    whole6(random, TCP)
}

fn udp6(random: &mut Random) -> Frame {
    whole6(random, UDP)
}

fn icmp4(random: &mut Random) -> Frame {
    let header = v4(random, ICMP);
    let kind = random.pick(&[8, 0, 13, 17, 42]);
    let message = icmp(kind, 0, [0, 1, 0, random.byte()], &data(random));
    build::frame(IPV4, &header.packet(&message))
}

fn icmp6(random: &mut Random) -> Frame {
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

/// An error about what the ghost has sent, as a router on the way back tells it: cut to a few bytes
/// or not, and itself about an error at times.
fn quote4(random: &mut Random) -> Frame {
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

fn quote6(random: &mut Random) -> Frame {
    let client = client6(random);
    let mut inner = ipv6(GHOST6, client, TCP, &segment(random, &[]));
    if random.one_in(8) {
        inner = ipv6(GHOST6, client, ICMPV6, &icmp(1, 0, [0; 4], &inner));
    }
    inner.truncate(random.pick(&[40, 48, 60, 1200]));
    let (kind, code) = random.pick(&[(1, 0), (1, 4), (2, 0), (3, 0), (4, 1)]);
    message6(client6(random), icmp(kind, code, [0, 0, 5, 0], &inner))
}

/// Fragments of few datagrams, at places where they overlap as often as not.
fn fragment4(random: &mut Random) -> Frame {
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

/// What a datagram's fragments have in common.
fn datagram(random: &mut Random) -> Random {
    Random::new(0, 0, random.below(64) as u64)
}

fn fragment6(random: &mut Random) -> Frame {
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

fn options4(random: &mut Random) -> Frame {
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

/// Up to six extension headers of all sorts, hop-by-hop options first if there are any.
fn extension6(random: &mut Random) -> Frame {
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

/// Other protocols, such as GRE, ESP, SCTP, and nothing at all.
fn odd(random: &mut Random) -> Frame {
    let protocol = random.pick(&[47, 50, 51, 132, 103, 136, 253, 2, 4, 41, 59, 255]);
    let payload = data(random);
    if random.one_in(2) {
        build::frame(IPV4, &v4(random, protocol).packet(&payload))
    } else {
        let packet = ipv6(client6(random), GHOST6, protocol, &payload);
        build::frame(IPV6, &packet)
    }
}

/// With a priority only, mostly, which is as good as no tag.
fn vlan(random: &mut Random) -> Frame {
    let protocol = random.pick(&[TCP, UDP]);
    let mut frame = match random.below(2) {
        0 => whole4(random, protocol),
        _ => whole6(random, protocol),
    };
    let tag = random.pick(&[0, 0x2000, 0x4000, 0xa000, 0xe000, 0x1000, 5]);
    let kind = random.pick(&[VLAN, VLAN, VLAN_AD]);
    let tagged: Vec<u8> = [kind, tag].map(u16::to_be_bytes).concat();
    frame.bytes.splice(12..12, tagged);
    frame
}

/// Over an Ethernet's 1500 bytes, up to what a header can say.
fn jumbo(random: &mut Random) -> Frame {
    let most = random.pick(&[1600, 4000, 9000, 9000, 12000, 65400]);
    let length = random.within(1300, most);
    let data = vec![random.byte(); length];
    if random.one_in(2) {
        let header = v4(random, UDP);
        build::frame(IPV4, &header.packet(&udp(ports(random), &data)))
    } else {
        let payload = udp(ports(random), &data);
        build::frame(IPV6, &ipv6(client6(random), GHOST6, UDP, &payload))
    }
}

/// Many segments in one, as receive offload makes them.
fn segments(random: &mut Random) -> Frame {
    let most = random.pick(&[2000, 5000, 9000, 20000]);
    let length = random.within(20, most);
    let data = random.bytes(length);
    let (protocol, header) = random.pick(&[(TCP, 20), (TCP, 20), (UDP, 8)]);
    let is_ipv6 = random.one_in(2);
    let payload = match protocol {
        TCP => tcp(ports(random), 16, &[], &data),
        _ => udp(ports(random), &data),
    };
    let (mut frame, network) = if is_ipv6 {
        let packet = ipv6(client6(random), GHOST6, protocol, &payload);
        (build::frame(IPV6, &packet), 40)
    } else {
        (
            build::frame(IPV4, &v4(random, protocol).packet(&payload)),
            20,
        )
    };
    let start = 14 + network;
    frame.offloads = Offloads {
        flags: 1,
        kind: match (protocol, is_ipv6) {
            (UDP, _) => 5,
            (_, true) => 4,
            (_, false) => 1,
        },
        header: start + header,
        size: random.pick(&[200, 536, 1200, 1340, 1448, 8900]),
        checksum_start: start,
        checksum_offset: if protocol == TCP { 16 } else { 6 },
    };
    frame
}

/// ARP and neighbour discovery, about the ghost and about the dispatcher.
fn neighbour(random: &mut Random) -> Frame {
    let sender = Ipv4Addr::new(10, 0, 0, random.within(1, 250) as u8);
    if random.one_in(2) {
        let target = random.pick(&[GHOST4, GHOST4, Ipv4Addr::new(10, 0, 0, 11)]);
        let mut message = vec![0, 1, 8, 0, 6, 4, 0, random.pick(&[1, 1, 2, 3])];
        message.extend([2, 0, 0, 0, 1, random.byte()]);
        message.extend(sender.octets());
        message.extend([0; 6]);
        message.extend(target.octets());
        let mut frame = build::frame(ARP, &message);
        frame.bytes[..6].copy_from_slice(&[0xff; 6]);
        return frame;
    }
    let host = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0x11);
    let target = random.pick(&[GHOST6, GHOST6, host]);
    let kind = random.pick(&[135, 135, 136, 133, 134, 137]);
    let mut body = target.octets().to_vec();
    body.extend([1, 1, 2, 0, 0, 0, 1, random.byte()]);
    let source = Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, random.word());
    let group = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 1, 0xff00, 0x80);
    let to = random.pick(&[GHOST6, group]);
    let mut message = icmp(kind, 0, [0; 4], &body);
    sum_payload(&source.octets(), &to.octets(), ICMPV6, &mut message);
    let mut packet = ipv6(source, to, ICMPV6, &message);
    packet[7] = 255;
    build::frame(IPV6, &packet)
}
