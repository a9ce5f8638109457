// SPDX-License-Identifier: GPL-2.0

//! What packets carry.

use crate::build::{tcp, udp, TCP};
use crate::random::Random;

pub fn ports(random: &mut Random) -> [u16; 2] {
    [random.word(), random.pick(&[80, 443, 53, 9])]
}

/// As much as most packets carry, and at times what fills an Ethernet.
pub fn data(random: &mut Random) -> Vec<u8> {
    let most = random.pick(&[8, 60, 200, 1380]);
    let length = random.within(0, most);
    random.bytes(length)
}

pub fn segment(random: &mut Random, data: &[u8]) -> Vec<u8> {
    let flags = random.pick(&[2, 16, 24, 17, 4, 18]);
    let options: &[u8] = if random.one_in(2) {
        &[2, 4, 5, 0xb4]
    } else {
        &[]
    };
    tcp(ports(random), flags, options, data)
}

/// A transport packet of either sort.
pub fn transport(random: &mut Random, protocol: u8) -> Vec<u8> {
    let data = data(random);
    match protocol {
        TCP => segment(random, &data),
        _ => udp(ports(random), &data),
    }
}

/// What a datagram's fragments have in common.
pub fn datagram(random: &mut Random) -> Random {
    Random::new(0, 0, random.below(64) as u64)
}
