// SPDX-License-Identifier: GPL-2.0

//! What IPv4 packets are in their connections.

#[path = "bytes/ipv4.rs"]
mod bytes;
mod packet4;
mod segment;

use bytes::flow_survived;
use onehop_dispatch::addr::Address;
use onehop_dispatch::flow::{Fingerprint, Flow, Ports};
use onehop_dispatch::ipv4::Header;
use packet4::*;
use proptest::prelude::*;
use segment::{segment, tcp, ACK, FIN, PORTS, RST, SYN};

const GHOST: [u8; 4] = [192, 0, 2, 80];
const ALICE: [u8; 4] = [198, 51, 100, 7];
const ROUTER: [u8; 4] = [203, 0, 113, 1];

/// No more of the packet is there than has been announced to be looked at.
fn flow(bytes: &[u8]) -> Flow {
    let announced = Header::parse(bytes).unwrap().flow_bytes();
    let seen = announced.clamp(20, bytes.len());
    flow_of(&bytes[..seen], bytes.len())
}

fn flow_of(bytes: &[u8], length: usize) -> Flow {
    let header = Header::parse(bytes).unwrap();
    header.flow(bytes, u32::try_from(length).unwrap())
}

fn to_ghost(options: u8, fragment: u16, protocol: u8, payload: &[u8]) -> Vec<u8> {
    Packet {
        source: ALICE,
        destination: GHOST,
        options,
        fragment,
        protocol,
        payload,
    }
    .bytes()
}

/// A message of this type about what the ghost sent to a client.
fn error(kind: u8, (options, fragment, protocol): (u8, u16, u8), quoted: &[u8]) -> Vec<u8> {
    let quote = Packet {
        source: GHOST,
        destination: ALICE,
        options,
        fragment,
        protocol,
        payload: quoted,
    };
    let message = [&[kind, 0, 0, 0, 0, 0, 0, 0], &quote.bytes()[..]].concat();
    Packet {
        source: ROUTER,
        destination: GHOST,
        options: 10 - options,
        fragment: 0,
        protocol: ICMP,
        payload: &message,
    }
    .bytes()
}

/// Byte by byte: 198.51.100.7:40000 to 192.0.2.80:80, push and FIN, three bytes.
#[test]
fn a_segment_is_read_whole() {
    let bytes = [
        0x45, 0x00, 0x00, 0x2b, 0x00, 0x01, 0x40, 0x00, 0x40, 0x06, 0x00, 0x00, 198, 51, 100, 7,
        192, 0, 2, 80, 0x9c, 0x40, 0x00, 0x50, 0x01, 0x02, 0x03, 0x04, 0xa1, 0xa2, 0xa3, 0xa4,
        0x50, 0x19, 0x72, 0x10, 0x00, 0x00, 0x00, 0x00, b'a', b'b', b'c',
    ];
    let Flow::Segment(read) = flow(&bytes) else {
        panic!("no segment");
    };
    assert_eq!(read.ports, PORTS);
    assert_eq!((read.seq, read.ack), (0x0102_0304, 0xa1a2_a3a4));
    assert_eq!(read.end, 0x0102_0308);
    assert!(!read.opens() && read.acknowledges());
    assert!(!flow(&bytes).is_fragment() && flow(&bytes).is_whole());
    assert_eq!(flow(&bytes).ports(), Some(PORTS));
}

#[test]
fn flags_say_what_it_does() {
    for flags in 0..=255 {
        let read = segment(7, 9, flags, 0);
        let opens = flags & SYN != 0 && flags & ACK == 0 && flags & RST == 0 && flags & FIN == 0;
        assert_eq!(read.opens(), opens, "{flags:#x}");
        assert_eq!(read.acknowledges(), flags & ACK != 0, "{flags:#x}");
        let counted = u32::from(flags & SYN != 0) + u32::from(flags & FIN != 0);
        assert_eq!(read.end, 7 + counted, "{flags:#x}");
    }
    assert_eq!(segment(u32::MAX, 0, ACK | FIN, 10).end, 10);
}

/// What is behind the packet in its frame does not count, nor what of it is elsewhere in memory.
#[test]
fn the_packet_says_how_long_it_is() {
    let end = |bytes: &[u8], length| match flow_of(bytes, length) {
        Flow::Segment(segment) => segment.end,
        flow => panic!("{flow:?}"),
    };
    let mut bytes = to_ghost(2, 0, TCP, &tcp(1, 2, 100, 0, ACK, 6));
    assert_eq!(end(&bytes, bytes.len()), 106);
    assert_eq!(end(&bytes, bytes.len() + 40), 106);
    assert_eq!(end(&bytes[..42], 54), 106, "only the first bytes are there");
    bytes[2..4].copy_from_slice(&[0, 0]);
    assert_eq!(end(&bytes, bytes.len()), 106);
    assert_eq!(end(&bytes, 70_048), 70_100, "beyond 64 KiB");
}

#[test]
fn segments_that_cannot_be() {
    let good = to_ghost(1, 0, TCP, &tcp(1, 2, 3, 4, ACK, 0));
    assert!(matches!(flow(&good), Flow::Segment(_)));
    for length in 20..good.len() {
        let seen = flow_of(&good[..length], good.len());
        assert_eq!(seen == Flow::Other, length < 24 + 14, "{length}");
        assert_eq!(flow_of(&good, length), Flow::Other, "{length}");
    }
    for words in 0..16 {
        let mut bytes = to_ghost(0, 0, TCP, &tcp(1, 2, 3, 4, ACK, 8));
        bytes[20 + 12] = words << 4;
        let is_read = matches!(flow(&bytes), Flow::Segment(_));
        assert_eq!(is_read, (5..=7).contains(&words), "{words}");
    }
}

#[test]
fn fragments() {
    let whole = tcp(PORTS.client, PORTS.ghost, 3, 4, ACK, 80);
    let first = flow(&to_ghost(0, MORE, TCP, &whole));
    assert!(matches!(first, Flow::Segment(_)));
    assert!(first.is_fragment() && !first.is_whole());
    assert_eq!(first.ports(), Some(PORTS));
    for fragment in [1, 185, 0x1fff, MORE | 1] {
        let later = flow(&to_ghost(0, fragment, TCP, &whole));
        assert_eq!(later, Flow::LaterFragment, "{fragment:#x}");
        assert!(later.is_fragment() && !later.is_whole());
        assert_eq!(later.ports(), None);
        for protocol in [UDP, ICMP] {
            let other = flow(&to_ghost(0, fragment, protocol, &whole));
            assert_eq!(other, Flow::Other, "{fragment:#x}");
        }
    }
    assert!(matches!(
        flow(&to_ghost(0, 0x4000, TCP, &whole)),
        Flow::Segment(_)
    ));
    assert_eq!(flow(&to_ghost(0, MORE, TCP, &whole[..8])), Flow::Other);
}

#[test]
fn of_other_protocols_nothing_is_read() {
    let payload = tcp(1, 2, 3, 4, SYN, 0);
    for protocol in (0..=255).filter(|protocol| *protocol != TCP) {
        let bytes = to_ghost(0, 0, protocol, &payload);
        assert_eq!(flow(&bytes), Flow::Other, "{protocol}");
        assert!(!flow(&bytes).is_fragment() && !flow(&bytes).is_whole());
    }
    let error = error(3, (0, 0, TCP), &payload);
    for (protocol, fragment) in [(UDP, 0), (UDP, 1), (ICMP, 1), (TCP, 1)] {
        let bytes = to_ghost(0, fragment, protocol, &error[60..]);
        let whole = flow_of(&bytes, bytes.len());
        assert_eq!(whole == Flow::LaterFragment, protocol == TCP);
        assert_eq!(whole == Flow::Other, protocol != TCP);
        assert_eq!(Header::parse(&bytes).unwrap().flow_bytes(), 0, "{protocol}");
    }
}

/// The ports are those of the segment that the ghost sent, so the other way round.
#[test]
fn errors_are_about_their_quotes_connection() {
    let quoted = tcp(PORTS.ghost, PORTS.client, 3, 4, ACK, 0);
    let expected = Flow::Quoted(PORTS);
    assert!(expected.is_whole() && expected.ports() == Some(PORTS));
    for kind in 0..=255 {
        let known = matches!(kind, 3 | 4 | 5 | 11 | 12);
        let flow = flow(&error(kind, (0, 0, TCP), &quoted));
        assert_eq!(flow == expected, known, "type {kind}");
        assert_eq!(flow == Flow::Other, !known, "type {kind}");
    }
    for options in 0..=10 {
        let bytes = error(3, (options, 0x4000, TCP), &quoted[..8]);
        assert_eq!(flow(&bytes), expected, "{options}");
        assert_eq!(flow(&error(3, (options, MORE, TCP), &quoted)), expected);
        assert_eq!(flow(&error(3, (options, 1, TCP), &quoted)), Flow::Other);
        assert_eq!(flow(&error(3, (options, 0, UDP), &quoted)), Flow::Other);
        let short = bytes.len() - 8;
        for length in 20..bytes.len() {
            let known = length >= short + 4;
            assert_eq!(flow(&bytes[..length]) == expected, known, "{length}");
        }
    }
}

#[test]
fn tags() {
    let key = std::array::from_fn(|byte| byte as u8);
    let tag = |ghost, client, ports| Fingerprint::new(key).tag(ghost, client, ports).get();
    let (ghost, alice) = (Address::V4(GHOST), Address::V4(ALICE));
    // By the oracle: SipHash-1-3 of ghost, client and both ports, little-endian, the client's first.
    assert_eq!(tag(ghost, alice, PORTS), 0x9ea2_6062_5aa1_6bdf);
    let (ghost6, alice6) = (Address::V6([0x20; 16]), Address::V6([0x21; 16]));
    assert_eq!(tag(ghost6, alice6, PORTS), 0xd074_76ef_9c22_54e7);
    let swapped = Ports {
        client: PORTS.ghost,
        ghost: PORTS.client,
    };
    let tags = [
        tag(ghost, alice, PORTS),
        tag(alice, ghost, PORTS),
        tag(ghost, alice, swapped),
        tag(ghost6, alice6, PORTS),
        tag(alice6, ghost6, PORTS),
        tag(ghost, alice6, PORTS),
        tag(ghost6, alice, PORTS),
        Fingerprint::new([9; 16]).tag(ghost, alice, PORTS).get(),
    ];
    for (at, tag) in tags.iter().enumerate() {
        assert!(!tags[..at].contains(tag) && *tag != 0, "{at}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 20_000 }))]

    /// Bytes of any kind: none is read beyond what is announced, and less is never another answer.
    #[test]
    fn any_bytes_are_survived(
        mut bytes in prop::collection::vec(any::<u8>(), 20..200),
        protocol in prop::sample::select(vec![TCP, ICMP, UDP]),
        length in 0u32..300,
        whole: bool,
    ) {
        bytes[0] = 0x40 | (bytes[0] % 11 + 5);
        bytes[9] = protocol;
        bytes[2] = 0;
        bytes[3] = bytes[3].max(60);
        if whole {
            bytes[6..8].copy_from_slice(&[0, 0]);
        }
        flow_survived(&bytes, length);
    }
}
