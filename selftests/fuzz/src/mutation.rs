// SPDX-License-Identifier: GPL-2.0

//! Spoils frames: up to four fields of one.

use crate::address::{odd4, odd6};
use crate::bed::Server;
use crate::build::sum_header;
use crate::frame::{put, word, Frame, IPV4, IPV6, LINK, VLAN, VLAN_AD};
use crate::kind::Kind;
use crate::random::Random;

/// The frame of this number: the same whenever it is made.
pub fn frame(seed: u64, kind: Kind, index: u64) -> Frame {
    let mut random = Random::new(seed, kind as u64, index);
    let mut frame = kind.make(&mut random);
    for _ in 0..random.pick(&[0, 0, 1, 1, 2, 3, 4]) {
        if frame.offloads.kind != 0 && random.one_in(3) {
            spoil_offloads(&mut frame, &mut random);
        } else {
            spoil(&mut frame, &mut random);
        }
    }
    frame
}

fn spoil(frame: &mut Frame, random: &mut Random) {
    let is_tagged = matches!(frame.ethertype(), Some(VLAN | VLAN_AD));
    let start = if is_tagged { LINK + 4 } else { LINK };
    let is_ipv4 = word(&frame.bytes, start - 2) == Some(IPV4);
    let packet = frame.bytes.get_mut(start..).unwrap_or(&mut []);
    let mut is_summed = true;
    match random.below(16) {
        // Somewhere in the payload, or anywhere.
        0..=2 => flip(packet, 40, random),
        3 => flip(packet, 0, random),
        4 | 5 => {
            let lives = random.pick(&[0, 1, 1, 2, 3, 255]);
            set(packet, if is_ipv4 { 8 } else { 7 }, lives);
        }
        // Traffic class and what ECN makes of it.
        6 => set(packet, 1, random.byte()),
        7 => {
            let at = if is_ipv4 { 2 } else { 4 };
            let length = packet.len() as u16;
            let by = random.pick(&[0, 1, 7, 8, 0xffff, 0xfff8, 40, 0u16.wrapping_sub(20)]);
            let length = if is_ipv4 {
                length
            } else {
                length.wrapping_sub(40)
            };
            let lengths = [length.wrapping_add(by), 0, 20, random.word()];
            put(packet, at, random.pick(&lengths));
        }
        8 => {
            let first = random.pick(&[0x45, 0x46, 0x4f, 0x44, 0x65, 0x60, 0x6f, 0x00]);
            set(packet, 0, first);
        }
        9 => {
            let length = packet.len();
            let left = match random.below(3) {
                0 => random.below(length + 1),
                1 => length.saturating_sub(random.within(1, 8)),
                _ => random.below(64).min(length),
            };
            frame.bytes.truncate(start + left);
        }
        // Filled up.
        10 => {
            let length = random.within(1, 60);
            let filler = random.bytes(length);
            frame.bytes.extend(filler);
        }
        11 => {
            if is_ipv4 {
                set_all(packet, 12, &odd4(random).octets());
            } else {
                set_all(packet, 8, &odd6(random).octets());
            }
        }
        12 => {
            if is_ipv4 {
                let fragment = random.pick(&[0x8000, 0x2000, 0x4000, 1, 0x1fff, 0x6000, 0x2001]);
                put(packet, 6, fragment);
            } else {
                set(packet, 6, random.pick(&[0, 43, 44, 51, 60, 58, 59, 135]));
            }
        }
        13 => {
            if is_ipv4 {
                set(packet, 9, random.byte());
            } else {
                set(packet, 6, random.byte());
            }
        }
        14 => relink(frame, random),
        _ => {
            put(packet, 10, random.word());
            is_summed = false;
        }
    }
    if is_ipv4 && is_summed {
        sum_header(frame.bytes.get_mut(start..).unwrap_or(&mut []));
    }
}

/// Link addresses and what the frame says it holds.
fn relink(frame: &mut Frame, random: &mut Random) {
    let bytes = &mut frame.bytes;
    match random.below(8) {
        0 => set_all(bytes, 0, &[0xff; 6]),
        1 => set_all(bytes, 0, &[1, 0, 0x5e, 1, 2, 3]),
        2 => set_all(bytes, 0, &[2, 0, 0, 0, 0, 0x99]),
        3 => put(
            bytes,
            12,
            random.pick(&[IPV4, IPV6, 0x0806, 0x0101, 0x88cc]),
        ),
        _ => {
            let from = Server::of(random.within(1, 7) as u8).mac;
            set_all(bytes, 6, &from);
        }
    }
}

fn spoil_offloads(frame: &mut Frame, random: &mut Random) {
    let offloads = &mut frame.offloads;
    match random.below(6) {
        0 => offloads.size = random.pick(&[1, 8, 100, 1400, 9000, 0xffff, 0xfffe]),
        1 => offloads.kind = random.pick(&[0, 1, 3, 4, 5, 0x81, 0x84]),
        2 => offloads.header = random.pick(&[0, 14, 34, 54, 100, 300]),
        3 => offloads.checksum_start = random.pick(&[0, 14, 34, 54, 60, 74, 200]),
        4 => offloads.checksum_offset = random.pick(&[0, 2, 6, 16, 18, 100]),
        _ => offloads.flags = random.pick(&[0, 1, 2, 3, 4]),
    }
}

/// Another bit, at `from` or behind.
fn flip(bytes: &mut [u8], from: usize, random: &mut Random) {
    if bytes.len() > from {
        let at = random.within(from, bytes.len() - 1);
        bytes[at] ^= 1 << random.below(8);
    }
}

fn set(bytes: &mut [u8], at: usize, value: u8) {
    set_all(bytes, at, &[value]);
}

fn set_all(bytes: &mut [u8], at: usize, values: &[u8]) {
    if let Some(place) = bytes.get_mut(at..at + values.len()) {
        place.copy_from_slice(values);
    }
}
