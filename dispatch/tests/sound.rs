// SPDX-License-Identifier: GPL-2.0

//! Headers that the stack would take as they are, and clients told by the header alone.

mod packet4;
mod packet6;

use onehop_dispatch::addr::Address;
use onehop_dispatch::client::Client;
use onehop_dispatch::{ipv4, ipv6};
use proptest::prelude::*;

const GHOST: [u8; 4] = [192, 0, 2, 80];

/// As a router of RFC 1071 would have it: 16 bits at a time.
fn sum(header: &[u8]) -> u16 {
    let words = header
        .chunks(2)
        .map(|word| u16::from_be_bytes([word[0], word[1]]));
    words.fold(0, |sum: u16, word| {
        let (sum, carry) = sum.overflowing_add(word);
        sum + u16::from(carry)
    })
}

/// A packet to the ghost whose checksum is right.
fn sound4(source: [u8; 4], options: u8, payload: &[u8]) -> Vec<u8> {
    let packet = packet4::Packet {
        source,
        destination: GHOST,
        options,
        fragment: 0,
        protocol: packet4::UDP,
        payload,
    };
    let mut bytes = packet.bytes();
    summed(&mut bytes, 20 + 4 * usize::from(options));
    bytes
}

fn summed(bytes: &mut [u8], header: usize) {
    bytes[10..12].fill(0);
    let checksum = !sum(&bytes[..header]);
    bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
}

#[test]
fn a_whole_header_tells_its_length() {
    let bytes = sound4([198, 51, 100, 7], 0, &[9; 80]);
    assert_eq!(ipv4::sound_length(&bytes), Some(100));
    // Whatever a frame has been filled up with.
    assert_eq!(
        ipv4::sound_length(&[&bytes[..], &[0; 20]].concat()),
        Some(100)
    );
    assert_eq!(ipv4::sound_length(&bytes[..20]), Some(100));
    assert_eq!(ipv4::sound_length(&bytes[..19]), None);
}

#[test]
fn any_bit_that_is_turned_shows() {
    let bytes = sound4([198, 51, 100, 7], 0, b"data");
    for bit in 0..160 {
        let mut turned = bytes.clone();
        turned[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(ipv4::sound_length(&turned), None, "bit {bit}");
    }
}

#[test]
fn what_takes_longer_to_tell_is_not_told() {
    assert_eq!(
        ipv4::sound_length(&sound4([198, 51, 100, 7], 1, b"data")),
        None
    );
    for (first, total) in [(0x45, 0), (0x45, 19), (0x44, 40), (0x55, 40), (0x65, 40)] {
        let mut bytes = sound4([198, 51, 100, 7], 0, &[0; 20]);
        bytes[0] = first;
        bytes[2..4].copy_from_slice(&[0, total]);
        summed(&mut bytes, 20);
        assert_eq!(
            ipv4::sound_length(&bytes),
            None,
            "{first:#x}, {total} bytes"
        );
    }
}

#[test]
fn an_ipv6_header_has_no_checksum() {
    let packet = packet6::Packet {
        source: [0x20; 16],
        destination: [0x21; 16],
        hop_limit: 64,
        extensions: &[],
        protocol: packet6::TCP,
        payload: &[0; 30],
    };
    let mut bytes = packet.bytes();
    assert_eq!(ipv6::sound_length(&bytes), Some(70));
    assert_eq!(ipv6::sound_length(&bytes[..39]), None);
    bytes[0] = 0x45;
    assert_eq!(ipv6::sound_length(&bytes), None);
    bytes[0] = 0x60;
    bytes[4..6].fill(0);
    assert_eq!(ipv6::sound_length(&bytes), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 20_000 }))]

    /// The checksum in words of 32 bits is the one in words of 16.
    #[test]
    fn the_checksum_is_the_usual_one(
        mut bytes in any::<[u8; 20]>(), right: bool, ones in 0..20usize
    ) {
        bytes[0] = 0x45;
        bytes[2] |= 1;
        // Sums at the edge: many bits that are all alike.
        bytes[4..4 + ones.min(16)].fill(0xff);
        if right {
            summed(&mut bytes, 20);
        }
        let length = u32::from(u16::from_be_bytes([bytes[2], bytes[3]]));
        let expected = (sum(&bytes) == 0xffff).then_some(length);
        prop_assert_eq!(ipv4::sound_length(&bytes), expected);
        if right {
            prop_assert_eq!(expected, Some(length));
        }
    }

    /// The sender is the client, of all packets whose header says enough.
    #[test]
    fn the_sender_is_the_client(
        mut four in any::<[u8; 24]>(), mut six in any::<[u8; 44]>(), first in any::<u8>(), own: bool
    ) {
        (four[0], six[0]) = (0x45, 0x60);
        four[2] = 1;
        // Half of all addresses in the ranges that nobody can have.
        four[12] = first;
        six[8] = [0, 0xfe, 0xff, first][usize::from(first % 4)];
        let header = ipv4::Header::parse(&four).unwrap();
        let ghost = if own { header.source } else { GHOST };
        if !header.needs_more() {
            let told = header.sender(ghost);
            let told = told.map_or_else(Client::NotOurs, |it| Client::Is(Address::V4(it)));
            prop_assert_eq!(told, ipv4::client(&four, ghost));
        }
        let header = ipv6::Header::parse(&six).unwrap();
        let ghost = if own { header.source } else { [0x20; 16] };
        if !header.needs_more() {
            let told = header.sender(ghost);
            let told = told.map_or_else(Client::NotOurs, |it| Client::Is(Address::V6(it)));
            prop_assert_eq!(told, ipv6::client(&six, ghost));
        }
    }
}
