// SPDX-License-Identifier: GPL-2.0

//! What IPv6 packets are in their connections.

#[path = "bytes/ipv6.rs"]
mod bytes;
mod packet6;
mod segment;

use bytes::flow_survived;
use onehop_dispatch::flow::{Flow, Segment};
use onehop_dispatch::ipv6::{Header, CLIENT_BYTES, FLOW_BYTES};
use packet6::*;
use proptest::prelude::*;
use segment::{tcp, ACK, FIN, PORTS, SYN};

const GHOST: [u8; 16] = [0x20; 16];
const ALICE: [u8; 16] = [0x21; 16];
const ROUTER: [u8; 16] = [0x22; 16];

/// No more of the packet is there than has been announced to be looked at.
fn flow(bytes: &[u8]) -> Flow {
    let announced = Header::parse(bytes).unwrap().flow_bytes();
    let seen = announced.clamp(40, bytes.len());
    flow_of(&bytes[..seen], bytes.len())
}

fn flow_of(bytes: &[u8], length: usize) -> Flow {
    let header = Header::parse(bytes).unwrap();
    header.flow(bytes, u32::try_from(length).unwrap())
}

fn to_ghost(extensions: &[Extension], protocol: u8, payload: &[u8]) -> Vec<u8> {
    Packet {
        source: ALICE,
        destination: GHOST,
        hop_limit: 64,
        extensions,
        protocol,
        payload,
    }
    .bytes()
}

/// A message about what the ghost sent to a client, with these extension headers in the quote.
fn error(extensions: &[Extension], kind: u8, inner: &[Extension], protocol: u8) -> Vec<u8> {
    let quote = Packet {
        source: GHOST,
        destination: ALICE,
        hop_limit: 1,
        extensions: inner,
        protocol,
        payload: &tcp(PORTS.ghost, PORTS.client, 3, 4, ACK, 0)[..8],
    };
    let payload = [&[kind, 0, 0, 0, 0, 0, 5, 0], &quote.bytes()[..]].concat();
    Packet {
        source: ROUTER,
        destination: GHOST,
        hop_limit: 64,
        extensions,
        protocol: ICMP,
        payload: &payload,
    }
    .bytes()
}

fn segment(flow: Flow) -> Segment {
    match flow {
        Flow::Segment(segment) => segment,
        flow => panic!("{flow:?}"),
    }
}

fn length(chain: &[Extension]) -> usize {
    chain.iter().map(Extension::len).sum()
}

/// Chains that end in a whole segment.
fn chains() -> Vec<Vec<Extension>> {
    vec![
        vec![],
        vec![extension(HOP_BY_HOP, 8)],
        vec![extension(DESTINATION, 512)],
        vec![authentication(12)],
        vec![fragment(0, false)],
        vec![
            extension(ROUTING, 24),
            fragment(0, false),
            extension(DESTINATION, 16),
        ],
    ]
}

#[test]
fn segments_behind_any_chain() {
    for chain in chains() {
        let bytes = to_ghost(&chain, TCP, &tcp(PORTS.client, 80, 7, 9, SYN | FIN, 100));
        let read = segment(flow(&bytes));
        assert_eq!((read.ports, read.seq, read.ack), (PORTS, 7, 9), "{chain:?}");
        assert_eq!(read.end, 109, "{chain:?}");
        assert!(flow(&bytes).is_whole(), "{chain:?}");
        let behind = bytes.len() + 20;
        assert_eq!(segment(flow_of(&bytes, behind)).end, 109, "{chain:?}");
        let mut jumbo = bytes.clone();
        jumbo[4..6].copy_from_slice(&[0, 0]);
        assert_eq!(segment(flow_of(&jumbo, bytes.len() + 70_000)).end, 70_109);
        for cut in 40..bytes.len() {
            let read = matches!(flow_of(&bytes[..cut], bytes.len()), Flow::Segment(_));
            assert_eq!(read, cut >= 40 + length(&chain) + 14, "{cut} {chain:?}");
            let fits = matches!(flow_of(&bytes, cut), Flow::Segment(_));
            assert_eq!(fits, cut >= 40 + length(&chain) + 20, "{cut} {chain:?}");
        }
    }
}

#[test]
fn fragments() {
    let whole = tcp(PORTS.client, 80, 7, 9, ACK, 100);
    for before in [vec![], vec![extension(DESTINATION, 8)]] {
        let with = |part: Extension, then: &[Extension]| [&before[..], &[part], then].concat();
        for then in [vec![], vec![extension(DESTINATION, 16)]] {
            let first = flow(&to_ghost(&with(fragment(0, true), &then), TCP, &whole));
            assert_eq!(segment(first).ports, PORTS);
            assert!(first.is_fragment() && !first.is_whole());
        }
        for offset in [1, 2, 0x100, 0x1fff] {
            for more in [false, true] {
                let later = with(fragment(offset, more), &[]);
                let flow_of = |protocol| flow(&to_ghost(&later, protocol, &whole));
                assert_eq!(flow_of(TCP), Flow::LaterFragment);
                assert_eq!(flow_of(UDP), Flow::Other);
                assert_eq!(flow_of(ICMP), Flow::Other);
                // TCP may follow, in the first one.
                assert_eq!(flow_of(DESTINATION), Flow::LaterFragment);
            }
        }
    }
}

#[test]
fn of_other_protocols_nothing_is_read() {
    let payload = tcp(1, 2, 3, 4, SYN, 0);
    for chain in chains() {
        for protocol in [UDP, ESP, 47, 59, 132] {
            assert_eq!(flow(&to_ghost(&chain, protocol, &payload)), Flow::Other);
        }
    }
    let announced = |protocol| {
        let bytes = to_ghost(&[], protocol, &payload);
        Header::parse(&bytes).unwrap().flow_bytes()
    };
    assert_eq!(
        (announced(UDP), announced(TCP), announced(ICMP)),
        (0, 54, FLOW_BYTES)
    );
    // What would be an error, were it ICMP, or the first fragment.
    let error = &error(&[], 2, &[], TCP)[40..];
    for chain in chains() {
        assert_eq!(
            flow(&to_ghost(&chain, UDP, error)),
            Flow::Other,
            "{chain:?}"
        );
        assert_eq!(
            flow(&to_ghost(&chain, ICMP, error)),
            Flow::Quoted(PORTS),
            "{chain:?}"
        );
    }
    assert_eq!(
        flow(&to_ghost(&[fragment(2, true)], ICMP, error)),
        Flow::Other
    );
    let many = vec![extension(DESTINATION, 8); FLOW_BYTES / 8];
    assert_eq!(flow(&to_ghost(&many, TCP, &payload)), Flow::Other);
}

#[test]
fn errors_are_about_their_quotes_connection() {
    let expected = Flow::Quoted(PORTS);
    for outer in chains().into_iter().filter(|chain| length(chain) < 512) {
        for kind in 0..=255 {
            let known = matches!(kind, 1..=4);
            let flow = flow(&error(&outer, kind, &[], TCP));
            assert_eq!(flow == expected, known, "type {kind} {outer:?}");
            assert_eq!(flow == Flow::Other, !known, "type {kind} {outer:?}");
        }
        for inner in [vec![extension(DESTINATION, 8)], vec![fragment(0, true)]] {
            let bytes = error(&outer, 2, &inner, TCP);
            assert_eq!(flow(&bytes), expected, "{inner:?}");
            assert_eq!(flow(&error(&outer, 2, &inner, UDP)), Flow::Other);
            let short = bytes.len() - 8;
            for length in 40..bytes.len() {
                let known = length >= short + 4;
                assert_eq!(flow(&bytes[..length]) == expected, known, "{length}");
            }
        }
        let later = [fragment(3, false)];
        assert_eq!(flow(&error(&outer, 2, &later, TCP)), Flow::Other);
    }
    let full = [extension(DESTINATION, 256), extension(ROUTING, 256)];
    assert_eq!(flow(&error(&full, 2, &[], TCP)), expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 20_000 }))]

    /// What the packet was made of says what it is; and what is announced suffices.
    #[test]
    fn any_packet(
        chain in prop::collection::vec(any_extension(), 0..9),
        protocol in prop::sample::select(vec![TCP, TCP, UDP, ICMP]),
        seq: u32,
        data in 0usize..100,
    ) {
        let bytes = to_ghost(&chain, protocol, &tcp(PORTS.client, 80, seq, 9, ACK, data));
        let header = Header::parse(&bytes).unwrap();
        let is_fragment = |extension: &&Extension| extension.number == FRAGMENT;
        let bits = |extension: &Extension| {
            u16::from_be_bytes([extension.rest[1], extension.rest[2]])
        };
        let is_later = |extension: &Extension| is_fragment(&extension) && bits(extension) > 7;
        let later = chain.iter().position(is_later);
        let end = 40 + later.map_or(length(&chain), |at| length(&chain[..=at]));
        let first = chain.iter().filter(is_fragment).any(|extension| bits(extension) & 1 == 1);
        let next = match later {
            Some(at) => chain.get(at + 1).map_or(protocol, |extension| extension.number),
            None => protocol,
        };
        let flow = flow(&bytes);
        match (next, later) {
            _ if end > FLOW_BYTES => prop_assert_eq!(flow, Flow::Other),
            (UDP | ICMP, _) => prop_assert_eq!(flow, Flow::Other),
            (_, Some(_)) => prop_assert_eq!(flow, Flow::LaterFragment),
            _ if end <= CLIENT_BYTES => {
                let read = segment(flow);
                prop_assert_eq!((read.seq, read.end), (seq, seq.wrapping_add(data as u32)));
                prop_assert_eq!(flow.is_fragment(), first);
            }
            _ => {}
        }
        let seen = header.flow_bytes();
        prop_assert!(seen <= FLOW_BYTES);
        let part = &bytes[..seen.clamp(40, bytes.len())];
        prop_assert_eq!(flow_of(part, bytes.len()), flow);
    }

    /// Bytes of any kind, and those that look enough like a packet to get further.
    #[test]
    fn any_bytes_are_survived(
        mut bytes in prop::collection::vec(prop_oneof![
            any::<u8>(), prop::sample::select(vec![0u8, 1, 2, 6, 43, 44, 51, 58, 60])
        ], 40..700),
        length in 0u32..1000,
    ) {
        bytes[0] = 0x60;
        flow_survived(&bytes, length);
    }
}
