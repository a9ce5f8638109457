// SPDX-License-Identifier: GPL-2.0

//! Frames that are special for more than their protocol.

use crate::address::{client6, GHOST4, GHOST6};
use crate::build::{self, icmp, ipv6, sum_payload, tcp, udp, ICMPV6, TCP, UDP};
use crate::frame::{Frame, Offloads, ARP, IPV4, IPV6, VLAN, VLAN_AD};
use crate::ipv4::{v4, whole4};
use crate::ipv6::whole6;
use crate::payload::{data, ports};
use crate::random::Random;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Other protocols, such as GRE, ESP, SCTP, and nothing at all.
pub fn odd(random: &mut Random) -> Frame {
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
pub fn vlan(random: &mut Random) -> Frame {
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
pub fn jumbo(random: &mut Random) -> Frame {
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
pub fn segments(random: &mut Random) -> Frame {
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
pub fn neighbour(random: &mut Random) -> Frame {
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
