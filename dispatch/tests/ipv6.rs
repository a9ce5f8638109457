// SPDX-License-Identifier: GPL-2.0

//! IPv6 bytes: whose packet, and that no bytes can do harm.

#[path = "bytes/ipv6.rs"]
mod bytes;
#[path = "made/ipv6.rs"]
mod made;
mod packet6;

use bytes::survived;
use made::any_made;
use onehop_dispatch::addr::Address;
use onehop_dispatch::client::{Client, Malformed, NotOurs};
use onehop_dispatch::ipv6::{client, icmp, icmp_error, is_client, Header, CLIENT_BYTES};
use packet6::*;
use proptest::prelude::*;

const GHOST: [u8; 16] = host(0x80);
const ALICE: [u8; 16] = host(0xa11ce);
const ROUTER: [u8; 16] = host(0x1);
const NEIGHBOUR: Client = Client::NotOurs(NotOurs::Neighbour);
const NO_CLIENT: Client = Client::NotOurs(NotOurs::NoClient);

/// In 2001:db8::/32.
const fn host(number: u32) -> [u8; 16] {
    ((0x2001_0db8 << 96) | number as u128).to_be_bytes()
}

fn is(address: [u8; 16]) -> Client {
    Client::Is(Address::V6(address))
}

/// A message from a router to the ghost.
fn message(extensions: &[Extension], kind: u8, quoted: &[u8]) -> Vec<u8> {
    let payload = [&[kind, 0, 0, 0, 0, 0, 5, 0], quoted].concat();
    from_to(ROUTER, GHOST, extensions, ICMP, &payload)
}

/// What the ghost sent to a client, as errors quote it.
fn quoted(to: [u8; 16]) -> Vec<u8> {
    from_to(GHOST, to, &[], TCP, &[0; 8])
}

/// Chains that are nothing special.
fn chains() -> Vec<Vec<Extension>> {
    vec![
        vec![],
        vec![extension(HOP_BY_HOP, 8)],
        vec![extension(ROUTING, 40)],
        vec![extension(DESTINATION, 512)],
        vec![fragment(0, false)],
        vec![fragment(0, true)],
        vec![authentication(8)],
        vec![authentication(12)],
        vec![authentication(24)],
        vec![
            extension(HOP_BY_HOP, 16),
            extension(DESTINATION, 8),
            extension(ROUTING, 24),
            fragment(0, true),
            authentication(24),
            extension(DESTINATION, 32),
        ],
    ]
}

fn length(chain: &[Extension]) -> usize {
    chain.iter().map(Extension::len).sum()
}

#[test]
fn a_header_is_read_whole() {
    let bytes = from_to(ALICE, GHOST, &[], TCP, b"data");
    let expected = Header {
        source: ALICE,
        destination: GHOST,
        next_header: TCP,
        hop_limit: 64,
    };
    assert_eq!(Header::parse(&bytes), Ok(expected));
    let hopped = from_to(ALICE, GHOST, &[extension(HOP_BY_HOP, 8)], TCP, b"");
    assert_eq!(Header::parse(&hopped).unwrap().next_header, HOP_BY_HOP);
}

#[test]
fn headers_that_cannot_be() {
    let mut bytes = from_to(ALICE, GHOST, &[], TCP, b"");
    for length in 0..40 {
        let short = &bytes[..length];
        assert_eq!(Header::parse(short), Err(Malformed), "{length}");
        assert_eq!(client(short, GHOST), Client::Malformed, "{length}");
        assert_eq!(icmp(short), Err(Malformed), "{length}");
    }
    for version in 0..16 {
        bytes[0] = version << 4 | 0xf;
        assert_eq!(Header::parse(&bytes).is_ok(), version == 6, "{version}");
        assert_eq!(client(&bytes, GHOST) == is(ALICE), version == 6);
    }
}

/// Of all protocols but six, the header is all that is read.
#[test]
fn a_packet_is_its_sources() {
    for protocol in 0..=255 {
        let bytes = from_to(ALICE, GHOST, &[], protocol, b"");
        let known = matches!(protocol, 0 | 43 | 44 | 51 | 58 | 60);
        let header = Header::parse(&bytes).unwrap();
        assert_eq!(header.needs_more(), known, "protocol {protocol}");
        let expected = if known { Client::Malformed } else { is(ALICE) };
        assert_eq!(client(&bytes, GHOST), expected, "protocol {protocol}");
        assert_eq!(header.client(&[], GHOST), expected, "protocol {protocol}");
    }
}

/// Routing headers among them, whatever address they have in them.
#[test]
fn extension_headers_change_nothing() {
    for chain in chains() {
        for protocol in [TCP, UDP, ESP, 47, 59, 132, 135] {
            let bytes = from_to(ALICE, GHOST, &chain, protocol, b"");
            assert_eq!(client(&bytes, GHOST), is(ALICE), "{chain:?}");
            assert_eq!(icmp(&bytes), Ok(None), "{chain:?}");
        }
        let echo = from_to(ALICE, GHOST, &chain, ICMP, &[128, 0, 0, 0]);
        assert_eq!(client(&echo, GHOST), is(ALICE), "{chain:?}");
        assert_eq!(icmp(&echo), Ok(Some(40 + length(&chain))), "{chain:?}");
    }
    let mut routed = extension(ROUTING, 24);
    routed.rest[7..23].copy_from_slice(&ROUTER);
    let bytes = from_to(ALICE, GHOST, &[routed], TCP, b"");
    assert_eq!(client(&bytes, GHOST), is(ALICE));
}

#[test]
fn an_error_is_the_quoted_destinations() {
    for chain in chains() {
        for kind in 0..=255 {
            let expected = match kind {
                1..=4 => is(ALICE),
                133..=137 => NEIGHBOUR,
                _ => is(ROUTER),
            };
            let bytes = message(&chain, kind, &quoted(ALICE));
            assert_eq!(client(&bytes, GHOST), expected, "type {kind} {chain:?}");
        }
    }
}

/// I1: extension headers and fragments in the quote, eight quoted bytes or none.
#[test]
fn quotes_of_all_shapes() {
    let mut later = chains();
    later.push(vec![fragment(0x1fff, false)]);
    for inner in later {
        let quoted = from_to(GHOST, ALICE, &inner, UDP, &[0; 8]);
        for cut in [40, 41, 48, quoted.len()] {
            for outer in chains() {
                let bytes = message(&outer, 2, &quoted[..cut.min(quoted.len())]);
                assert_eq!(client(&bytes, GHOST), is(ALICE), "{outer:?} {inner:?}");
            }
        }
        let error = [&[2, 0, 0, 0, 0, 0, 5, 0], &quoted[..]].concat();
        assert_eq!(icmp_error(&error), Header::parse(&quoted).map(Some));
    }
}

#[test]
fn short_or_foreign_quotes() {
    for chain in chains() {
        let whole = message(&chain, 1, &quoted(ALICE)[..40]);
        assert_eq!(client(&whole, GHOST), is(ALICE));
        for length in 40..whole.len() {
            let short = Header::parse(&whole).unwrap();
            assert_eq!(short.client(&whole[..length], GHOST), Client::Malformed);
        }
        let foreign = from_to(ROUTER, ALICE, &[], TCP, &[0; 8]);
        let not_ours = Client::NotOurs(NotOurs::ForeignQuote);
        assert_eq!(client(&message(&chain, 3, &foreign), GHOST), not_ours);
        let four = [0x45; 40];
        assert_eq!(client(&message(&chain, 4, &four), GHOST), Client::Malformed);
    }
    assert_eq!(icmp_error(&[]), Err(Malformed));
    assert_eq!(icmp_error(&[0]), Ok(None));
    assert_eq!(icmp_error(&[5]), Ok(None));
    assert_eq!(icmp_error(&[1, 0, 0, 0, 0, 0, 0]), Err(Malformed));
}

/// A later fragment may hold anything where the first has its headers.
#[test]
fn fragments() {
    for offset in [1, 2, 0x100, 0x1fff] {
        for more in [false, true] {
            let later = [extension(DESTINATION, 16), fragment(offset, more)];
            let bytes = message(&later, 1, &quoted(ALICE));
            assert_eq!(client(&bytes, GHOST), is(ROUTER), "{offset}");
            assert_eq!(icmp(&bytes), Ok(None));
            assert_eq!(client(&message(&later, 135, b""), GHOST), is(ROUTER));
            let beyond = from_to(ALICE, GHOST, &later, DESTINATION, b"");
            assert_eq!(client(&beyond, GHOST), is(ALICE));
        }
    }
    let broken_off = from_to(ALICE, GHOST, &[fragment(0, true)], DESTINATION, b"");
    assert_eq!(client(&broken_off, GHOST), Client::Malformed);
}

/// Extension headers have room up to the byte.
#[test]
fn chains_have_an_end() {
    let full = [extension(DESTINATION, 256), extension(ROUTING, 256)];
    let bytes = message(&full, 1, &quoted(ALICE));
    assert_eq!(client(&bytes[..CLIENT_BYTES], GHOST), is(ALICE));
    assert_eq!(client(&bytes, GHOST), is(ALICE));
    let more = [&full[..], &[extension(DESTINATION, 8)]].concat();
    let bytes = message(&more, 1, &quoted(ALICE));
    assert_eq!(client(&bytes, GHOST), Client::Malformed);

    let all = CLIENT_BYTES - 40;
    let bytes = from_to(ALICE, GHOST, &[extension(DESTINATION, all)], TCP, &[0; 99]);
    assert_eq!(client(&bytes, GHOST), is(ALICE));
    for length in [all + 8, 1024, 2048] {
        let long = [extension(DESTINATION, length)];
        let bytes = from_to(ALICE, GHOST, &long, TCP, &[0; 99]);
        assert_eq!(client(&bytes, GHOST), Client::Malformed, "{length}");
        assert_eq!(icmp(&bytes), Err(Malformed), "{length}");
    }
    let many = vec![extension(DESTINATION, 8); all / 8 + 1];
    let bytes = from_to(ALICE, GHOST, &many, TCP, b"");
    assert_eq!(client(&bytes, GHOST), Client::Malformed);
    assert_eq!(
        client(&[&bytes[..40], &[60; 9000]].concat(), GHOST),
        Client::Malformed
    );
}

#[test]
fn never_dispatched() {
    let from = |source| client(&from_to(source, GHOST, &[], TCP, b""), GHOST);
    assert_eq!(from(GHOST), Client::NotOurs(NotOurs::FromGhost));
    let about = |to| client(&message(&[], 1, &quoted(to)), GHOST);
    for groups in [
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 0, 0xffff, 0xc000, 0x201],
        [0, 0, 0, 0, 0, 0xffff, 0, 0],
        [0, 0, 0, 0, 0, 0xffff, 0xffff, 0xffff],
        [0xfe80, 0, 0, 0, 0, 0, 0, 1],
        [0xfebf, 0xffff, 0, 0, 0, 0, 0, 1],
        [0xff00, 0, 0, 0, 0, 0, 0, 0],
        [0xff02, 0, 0, 0, 0, 0, 0, 1],
        [0xffff; 8],
    ] {
        let address = address(groups);
        assert!(!is_client(address), "{groups:x?}");
        assert_eq!(from(address), NO_CLIENT, "{groups:x?}");
        assert_eq!(about(address), NO_CLIENT, "{groups:x?}");
    }
    assert_eq!(about(GHOST), NO_CLIENT);
    for groups in [
        [0, 0, 0, 0, 0, 0, 0, 2],
        [0, 0, 0, 0, 0, 0, 1, 0],
        [0, 0, 0, 0, 0, 0, 0xc000, 0x201],
        [0, 0, 0, 0, 0, 0xfffe, 0xc000, 0x201],
        [0, 0, 0, 0, 0, 0x7fff, 0xc000, 0x201],
        [0, 0, 0, 0, 1, 0xffff, 0xc000, 0x201],
        [0x8000, 0, 0, 0, 0, 0xffff, 0xc000, 0x201],
        [0x64, 0xff9b, 0, 0, 0, 0, 0xc000, 0x201],
        [0x2000, 0, 0, 0, 0, 0, 0, 0],
        [0xfc00, 0, 0, 0, 0, 0, 0, 1],
        [0xfe7f, 0xffff, 0, 0, 0, 0, 0, 1],
        [0xfec0, 0, 0, 0, 0, 0, 0, 1],
        [0xfeff, 0xffff, 0, 0, 0, 0, 0, 1],
    ] {
        let address = address(groups);
        assert!(is_client(address), "{groups:x?}");
        assert_eq!(from(address), is(address), "{groups:x?}");
        assert_eq!(about(address), is(address), "{groups:x?}");
    }
}

/// What is link-local stays on its link, and neighbour discovery is told from the rest there.
#[test]
fn link_local_sources() {
    let local = address([0xfe80, 0, 0, 0, 0, 0, 0, 1]);
    let send = |source: [u8; 16], kind, quoted: &[u8]| {
        let mut bytes = message(&[], kind, quoted);
        bytes[8..24].copy_from_slice(&source);
        client(&bytes, GHOST)
    };
    for source in [local, [0; 16], ROUTER] {
        for kind in 133..=137 {
            assert_eq!(send(source, kind, b""), NEIGHBOUR, "type {kind}");
        }
    }
    assert_eq!(send(local, 128, b""), NO_CLIENT);
    assert_eq!(send(local, 1, &quoted(ALICE)), NO_CLIENT);
    let from_ghost = Client::NotOurs(NotOurs::FromGhost);
    assert_eq!(send(GHOST, 135, b""), from_ghost);
    assert_eq!(send(GHOST, 1, &quoted(ALICE)), from_ghost);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 20_000 }))]

    /// What the packet was made of says whose it is.
    #[test]
    fn any_packet(made in any_made()) {
        made.check();
    }

    /// Bytes of any kind, and those that look enough like a packet to get further.
    #[test]
    fn any_bytes_are_survived(
        mut bytes in prop::collection::vec(prop_oneof![
            any::<u8>(), prop::sample::select(vec![0u8, 1, 2, 43, 44, 51, 58, 60, 0x60])
        ], 0..700),
        version: bool,
    ) {
        if version && !bytes.is_empty() {
            bytes[0] = 0x60;
        }
        survived(&bytes);
    }
}
