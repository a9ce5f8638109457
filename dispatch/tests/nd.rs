// SPDX-License-Identifier: GPL-2.0

//! Neighbour discovery: what is one, what we send, and checksums summed up again the slow way.

#[path = "bytes/nd.rs"]
mod bytes;
mod packet6;

use bytes::survived;
use onehop_dispatch::client::Malformed;
use onehop_dispatch::nd::{
    advertisement, multicast_link, resourced, solicited_node, Message, ALL_NODES,
};
use packet6::*;
use proptest::prelude::*;

const LINK: [u8; 6] = [0x02, 0x11, 0x22, 0x33, 0x44, 0x55];
const NONE: [u8; 16] = [0; 16];

fn ghost() -> [u8; 16] {
    address([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0x80])
}

fn router() -> [u8; 16] {
    address([0xfe80, 0, 0, 0, 0, 0, 0, 1])
}

/// About the ghost.
fn message(kind: u8) -> Vec<u8> {
    [&[kind, 0, 0, 0, 0, 0, 0, 0], &ghost()[..]].concat()
}

fn packet(hop_limit: u8, extensions: &[Extension], payload: &[u8]) -> Vec<u8> {
    Packet {
        source: router(),
        destination: solicited_node(ghost()),
        hop_limit,
        extensions,
        protocol: ICMP,
        payload,
    }
    .bytes()
}

/// The ICMPv6 checksum that belongs into a packet whose ICMPv6 header is at `at`: by definition,
/// the complement of the sum of all else modulo 2^16 - 1.
fn checksum(packet: &[u8], at: usize) -> [u8; 2] {
    let mut summed = packet[8..40].to_vec();
    summed.extend((packet.len() as u32 - at as u32).to_be_bytes());
    summed.extend([0, 0, 0, ICMP]);
    summed.extend([packet[at], packet[at + 1], 0, 0]);
    summed.extend(&packet[at + 4..]);
    if summed.len() % 2 == 1 {
        summed.push(0);
    }
    let words = summed.chunks(2);
    let sum: u64 = words
        .map(|word| u64::from(word[0]) << 8 | u64::from(word[1]))
        .sum();
    // The sum is not 0, and of the two zeros of one's complement only 0xffff comes of adding.
    let folded = (sum - 1) % 0xffff + 1;
    (!(folded as u16)).to_be_bytes()
}

#[test]
fn both_kinds_are_read() {
    let (target, source) = (ghost(), router());
    for chain in [
        vec![],
        vec![extension(HOP_BY_HOP, 8)],
        vec![extension(DESTINATION, 24), fragment(0, false)],
    ] {
        for kind in 0..=255 {
            let expected = match kind {
                135 => Some(Message::Solicitation { target, source }),
                136 => Some(Message::Advertisement { target }),
                _ => None,
            };
            let bytes = packet(255, &chain, &message(kind));
            assert_eq!(Message::parse(&bytes), expected, "type {kind} {chain:?}");
            let options = [&message(kind)[..], &[1, 1], &LINK].concat();
            let bytes = packet(255, &chain, &options);
            assert_eq!(Message::parse(&bytes), expected, "type {kind} {chain:?}");
        }
    }
}

#[test]
fn what_no_host_may_heed() {
    for kind in [135, 136] {
        for hop_limit in 0..=254 {
            let bytes = packet(hop_limit, &[], &message(kind));
            assert_eq!(Message::parse(&bytes), None, "hop limit {hop_limit}");
        }
        let mut coded = message(kind);
        for code in 1..=255 {
            coded[1] = code;
            assert_eq!(Message::parse(&packet(255, &[], &coded)), None, "{code}");
        }
        let whole = packet(255, &[extension(HOP_BY_HOP, 8)], &message(kind));
        assert!(Message::parse(&whole).is_some());
        for length in 0..whole.len() {
            assert_eq!(Message::parse(&whole[..length]), None, "{length}");
        }
        let later = packet(255, &[fragment(1, false)], &message(kind));
        assert_eq!(Message::parse(&later), None);
        let mut other = packet(255, &[], &message(kind));
        other[6] = UDP;
        assert_eq!(Message::parse(&other), None);
    }
}

/// Byte by byte what another implementation, scapy, makes of the same fields.
#[test]
fn an_advertisement() {
    #[rustfmt::skip]
    let expected = [
        0x60, 0, 0, 0, 0, 32, 58, 255,
        0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80,
        0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
        136, 0, 0x52, 0x16, 0x60, 0, 0, 0,
        0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80,
        2, 1, 0x02, 0x11, 0x22, 0x33, 0x44, 0x55,
    ];
    assert_eq!(advertisement(ghost(), LINK, router(), true), expected);
    let unsolicited = advertisement(ghost(), LINK, ALL_NODES, false);
    assert_eq!(unsolicited[24..40], address([0xff02, 0, 0, 0, 0, 0, 0, 1]));
    assert_eq!(unsolicited[44], 0x20, "override only");
    assert_eq!(unsolicited[42..44], [0x91, 0x94]);
}

#[test]
fn nothing_to_resource() {
    let tcp = Packet {
        source: ghost(),
        destination: router(),
        hop_limit: 64,
        extensions: &[],
        protocol: TCP,
        payload: &[0; 20],
    };
    let solicitation = packet(255, &[], &message(135));
    for bytes in [
        tcp.bytes(),
        packet(255, &[fragment(9, false)], &message(135)),
        solicitation[..43].to_vec(),
        solicitation[..39].to_vec(),
        vec![],
    ] {
        let mut touched = bytes.clone();
        assert_eq!(resourced(&mut touched, NONE), Err(Malformed));
        assert_eq!(touched, bytes);
    }
}

#[test]
fn groups() {
    let group = solicited_node(address([0x2001, 0xdb8, 1, 2, 3, 4, 0x5678, 0x9abc]));
    assert_eq!(group, address([0xff02, 0, 0, 0, 0, 1, 0xff78, 0x9abc]));
    assert_eq!(multicast_link(group), [0x33, 0x33, 0xff, 0x78, 0x9a, 0xbc]);
    assert_eq!(multicast_link(ALL_NODES), [0x33, 0x33, 0, 0, 0, 1]);
}

/// Few values, so that sums come near to the two zeros.
fn extreme() -> impl Strategy<Value = [u8; 16]> {
    prop_oneof![
        any::<[u8; 16]>(),
        prop::array::uniform16(prop::sample::select(vec![0u8, 1, 0xfe, 0xff])),
        Just(NONE),
        Just([0xff; 16]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 20_000 }))]

    #[test]
    fn advertisements_add_up(
        target in extreme(), to in extreme(), link: [u8; 6], solicited: bool,
    ) {
        let bytes = advertisement(target, link, to, solicited);
        prop_assert_eq!(&bytes[42..44], checksum(&bytes, 40));
        prop_assert_eq!(&bytes[24..40], to);
        prop_assert_eq!(&bytes[66..], link);
        prop_assert_eq!(bytes[44], if solicited { 0x60 } else { 0x20 });
        prop_assert_eq!(&bytes[8..24], target);
        prop_assert_eq!(Message::parse(&bytes), Some(Message::Advertisement { target }));
    }

    /// As if summed up afresh.
    #[test]
    fn resourced_adds_up(
        old in extreme(), new in extreme(), destination in extreme(), hopped: bool,
        payload in prop::collection::vec(any::<u8>(), 4..80),
    ) {
        let extensions = if hopped { vec![extension(HOP_BY_HOP, 24)] } else { vec![] };
        let mut made = Packet {
            source: old,
            destination,
            hop_limit: 255,
            extensions: &extensions,
            protocol: ICMP,
            payload: &payload,
        };
        let mut bytes = made.bytes();
        made.source = new;
        let mut expected = made.bytes();
        let at = 40 + if hopped { 24 } else { 0 };
        for packet in [&mut bytes, &mut expected] {
            let right = checksum(packet, at);
            packet[at + 2..at + 4].copy_from_slice(&right);
        }
        prop_assert_eq!(resourced(&mut bytes, new), Ok(()));
        prop_assert_eq!(bytes, expected);
    }

    /// A checksum that is wrong is not made right.
    #[test]
    fn resourced_heals_nothing(old in extreme(), new in extreme(), wrong: [u8; 2]) {
        let mut bytes = packet(255, &[], &message(135));
        bytes[8..24].copy_from_slice(&old);
        let right = checksum(&bytes, 40);
        prop_assume!(right != wrong && wrong != [0xff; 2]);
        bytes[42..44].copy_from_slice(&wrong);
        prop_assert_eq!(resourced(&mut bytes, new), Ok(()));
        prop_assert_ne!(&bytes[42..44], checksum(&bytes, 40));
    }

    #[test]
    fn any_bytes_are_survived(
        mut bytes in prop::collection::vec(prop_oneof![
            any::<u8>(), prop::sample::select(vec![0u8, 44, 58, 60, 135, 136, 255])
        ], 0..120),
        version: bool,
    ) {
        if version && bytes.len() > 7 {
            (bytes[0], bytes[7]) = (0x60, 255);
        }
        survived(&bytes, ghost());
    }
}
