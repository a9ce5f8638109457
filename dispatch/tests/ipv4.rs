// SPDX-License-Identifier: GPL-2.0

//! IPv4 bytes: whose packet, and that no bytes can do harm.

#[path = "bytes/ipv4.rs"]
mod bytes;
#[path = "made/ipv4.rs"]
mod made;
mod packet4;

use bytes::survived;
use made::any_made;
use onehop_dispatch::addr::Address;
use onehop_dispatch::client::{Client, Malformed, NotOurs};
use onehop_dispatch::ipv4::{client, icmp_error, is_client, Header, CLIENT_BYTES};
use proptest::prelude::*;

const GHOST: [u8; 4] = [192, 0, 2, 80];
const ALICE: [u8; 4] = [198, 51, 100, 7];
const ROUTER: [u8; 4] = [203, 0, 113, 1];
const TCP: u8 = 6;
const ICMP: u8 = 1;

/// A header with `options` words of options, and `payload`.
fn packet(protocol: u8, from: [u8; 4], to: [u8; 4], options: u8, payload: &[u8]) -> Vec<u8> {
    let header = 20 + 4 * usize::from(options);
    let total = (header + payload.len()) as u16;
    let mut bytes = vec![0x45 + options, 0];
    bytes.extend(total.to_be_bytes());
    bytes.extend([0x12, 0x34, 0, 0, 64, protocol, 0, 0]);
    bytes.extend(from);
    bytes.extend(to);
    bytes.resize(header, 1);
    bytes.extend(payload);
    bytes
}

fn icmp(kind: u8, quoted: &[u8]) -> Vec<u8> {
    let mut message = vec![kind, 0, 0, 0, 0, 0, 0, 0];
    message.extend(quoted);
    packet(ICMP, ROUTER, GHOST, 0, &message)
}

fn is(address: [u8; 4]) -> Client {
    Client::Is(Address::V4(address))
}

#[test]
fn a_header_is_read_whole() {
    let mut bytes = packet(TCP, ALICE, GHOST, 2, b"data");
    bytes[6..8].copy_from_slice(&[0x60 | 0x01, 0x02]);
    let expected = Header {
        source: ALICE,
        destination: GHOST,
        protocol: TCP,
        ttl: 64,
        dont_fragment: true,
        more_fragments: true,
        fragment_offset: 0x102,
        header_len: 28,
    };
    assert_eq!(Header::parse(&bytes), Ok(expected));
    bytes[6] = 0x80 | 0x1f;
    let header = Header::parse(&bytes).unwrap();
    assert!(!header.dont_fragment && !header.more_fragments);
    assert_eq!(header.fragment_offset, 0x1f02);
}

#[test]
fn headers_that_cannot_be() {
    let good = packet(TCP, ALICE, GHOST, 0, b"");
    for length in 0..20 {
        assert_eq!(Header::parse(&good[..length]), Err(Malformed), "{length}");
    }
    let with = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        Header::parse(&bytes)
    };
    for first in [0x55, 0x65, 0x05, 0x44, 0x40] {
        assert_eq!(with(0, first), Err(Malformed), "{first:x}");
    }
    assert_eq!(with(3, 19), Err(Malformed));
    assert_eq!(
        with(0, 0x46),
        Err(Malformed),
        "options beyond the total length"
    );
    assert!(with(3, 20).is_ok());
    assert!(
        with(3, 0).is_ok(),
        "a total length of 0 is a large offload packet"
    );
}

#[test]
fn a_packet_is_its_sources() {
    for protocol in [TCP, 17, 47, 50, 132, 0, 255] {
        let bytes = packet(protocol, ALICE, GHOST, 0, &[3; 40]);
        assert_eq!(client(&bytes, GHOST), is(ALICE), "protocol {protocol}");
        assert_eq!(
            client(&bytes[..20], GHOST),
            is(ALICE),
            "only a header is there"
        );
        assert!(!Header::parse(&bytes).unwrap().needs_more());
    }
    assert_eq!(
        client(&packet(TCP, ALICE, GHOST, 10, b""), GHOST),
        is(ALICE)
    );
    assert_eq!(client(&[0x65; 40], GHOST), Client::Malformed);
}

#[test]
fn an_error_is_the_quoted_destinations() {
    for kind in 0..=255 {
        let bytes = icmp(kind, &packet(TCP, GHOST, ALICE, 0, &[0; 8]));
        let expected = match kind {
            3 | 4 | 5 | 11 | 12 => ALICE,
            _ => ROUTER,
        };
        assert_eq!(client(&bytes, GHOST), is(expected), "type {kind}");
    }
}

/// I1: options and fragments in the quote, options outside, eight quoted bytes or none.
#[test]
fn quotes_of_all_shapes() {
    let mut fragment = packet(17, GHOST, ALICE, 0, &[0; 8]);
    fragment[6..8].copy_from_slice(&[0x20, 0xb9]);
    let longest = packet(TCP, GHOST, ALICE, 10, &[0; 8]);
    for quoted in [
        fragment,
        longest.clone(),
        longest[..20].to_vec(),
        packet(TCP, GHOST, ALICE, 0, &[0; 500]),
    ] {
        assert_eq!(client(&icmp(3, &quoted), GHOST), is(ALICE), "{quoted:?}");
    }
    let message = [&[11, 0, 0, 0, 0, 0, 0, 0], &longest[..]].concat();
    let outer = packet(ICMP, ROUTER, GHOST, 10, &message);
    assert_eq!(client(&outer[..CLIENT_BYTES], GHOST), is(ALICE));
    let short = &outer[..CLIENT_BYTES - 1];
    assert_eq!(client(short, GHOST), Client::Malformed);
    assert_eq!(
        icmp_error(&message),
        Header::parse(&longest).map(Some),
        "the quoted header"
    );
}

#[test]
fn short_or_foreign_quotes() {
    let quoted = packet(TCP, GHOST, ALICE, 0, b"");
    let whole = icmp(3, &quoted);
    for length in 20..48 {
        assert_eq!(
            client(&whole[..length], GHOST),
            Client::Malformed,
            "{length}"
        );
    }
    assert_eq!(icmp_error(&[]), Err(Malformed));
    assert_eq!(icmp_error(&[8]), Ok(None));
    let six = [0x60; 40];
    assert_eq!(client(&icmp(3, &six), GHOST), Client::Malformed);
    let foreign = packet(TCP, [192, 0, 2, 81], ALICE, 0, &[0; 8]);
    let not_ours = Client::NotOurs(NotOurs::ForeignQuote);
    assert_eq!(client(&icmp(3, &foreign), GHOST), not_ours);
}

/// Only the first fragment of an ICMP message says what type it is.
#[test]
fn fragments_of_icmp() {
    let mut bytes = icmp(3, &packet(TCP, GHOST, ALICE, 0, &[0; 8]));
    bytes[6] = 0x20;
    assert_eq!(client(&bytes, GHOST), is(ALICE));
    assert!(Header::parse(&bytes).unwrap().needs_more());
    bytes[6..8].copy_from_slice(&[0, 1]);
    assert_eq!(client(&bytes, GHOST), is(ROUTER));
    assert!(!Header::parse(&bytes).unwrap().needs_more());
}

#[test]
fn never_dispatched() {
    let from = |source| client(&packet(TCP, source, GHOST, 0, b""), GHOST);
    assert_eq!(from(GHOST), Client::NotOurs(NotOurs::FromGhost));
    let about = |client_address| {
        let quoted = packet(TCP, GHOST, client_address, 0, &[0; 8]);
        client(&icmp(3, &quoted), GHOST)
    };
    for address in [
        [0, 0, 0, 0],
        [0, 1, 2, 3],
        [127, 0, 0, 1],
        [169, 254, 9, 9],
        [224, 0, 0, 1],
        [239, 255, 255, 255],
        [255, 255, 255, 255],
    ] {
        assert!(!is_client(address));
        assert_eq!(
            from(address),
            Client::NotOurs(NotOurs::NoClient),
            "{address:?}"
        );
        assert_eq!(
            about(address),
            Client::NotOurs(NotOurs::NoClient),
            "{address:?}"
        );
    }
    assert_eq!(about(GHOST), Client::NotOurs(NotOurs::NoClient));
    for address in [
        [1, 0, 0, 0],
        [126, 255, 255, 255],
        [128, 0, 0, 1],
        [169, 253, 0, 1],
        [169, 255, 0, 1],
        [223, 255, 255, 255],
        [240, 0, 0, 1],
        [255, 255, 255, 254],
    ] {
        assert!(is_client(address));
        assert_eq!(from(address), is(address));
    }
}

/// A router without a global address still has something to say: only the client matters.
#[test]
fn an_error_may_come_from_a_link_local_router() {
    let mut bytes = icmp(11, &packet(TCP, GHOST, ALICE, 0, &[0; 8]));
    bytes[12..16].copy_from_slice(&[169, 254, 0, 1]);
    assert_eq!(client(&bytes, GHOST), is(ALICE));
    bytes[12..16].copy_from_slice(&GHOST);
    assert_eq!(client(&bytes, GHOST), Client::NotOurs(NotOurs::FromGhost));
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
        mut bytes in prop::collection::vec(any::<u8>(), 0..140), version: bool, icmp: bool,
        kind in prop::sample::select(vec![0u8, 3, 4, 5, 8, 11, 12])
    ) {
        if version && bytes.len() > 28 {
            bytes[0] = 0x40 | bytes[0] & 0x0f;
            bytes[2] = 0xff;
            if icmp {
                let header = usize::from(bytes[0] & 0x0f) * 4;
                bytes[9] = ICMP;
                bytes[6..8].copy_from_slice(&[0, 0]);
                for (at, value) in [(header, kind), (header + 8, 0x45)] {
                    if let Some(slot) = bytes.get_mut(at) {
                        *slot = value;
                    }
                }
            }
        }
        survived(&bytes);
    }
}
