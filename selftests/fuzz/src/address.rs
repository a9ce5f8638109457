// SPDX-License-Identifier: GPL-2.0

//! Addresses: who can be a client, and some that cannot.

use crate::random::Random;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub const GHOST4: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 80);
pub const GHOST6: Ipv6Addr = Ipv6Addr::new(0x2001, 0xdb8, 0x80, 0, 0, 0, 0, 0x80);

pub fn is_ghost(address: IpAddr) -> bool {
    address == GHOST4 || address == GHOST6
}

/// Whether it is one of the dispatcher's own.
pub fn is_own(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => [[10, 0, 0, 11], [10, 0, 5, 1]].contains(&v4.octets()),
        IpAddr::V6(v6) => matches!(
            v6.segments(),
            [0x2001, 0xdb8, 0, 0, 0, 0, 0, 0x11] | [0x2001, 0xdb8, 5, 0, 0, 0, 0, 1] | [0xfe80, ..]
        ),
    }
}

/// By the table of dispatch.md, "Which client a packet belongs to".
pub fn can_be_client(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            !(a == 0
                || a == 127
                || (a == 169 && b == 254)
                || (224..240).contains(&a)
                || v4 == Ipv4Addr::BROADCAST)
        }
        IpAddr::V6(v6) => {
            let is_link_local = v6.segments()[0] & 0xffc0 == 0xfe80;
            !(v6.is_unspecified()
                || v6.is_loopback()
                || v6.to_ipv4_mapped().is_some()
                || is_link_local
                || v6.octets()[0] == 0xff)
        }
    }
}

/// A client somewhere in the world.
pub fn client4(random: &mut Random) -> Ipv4Addr {
    loop {
        let client = Ipv4Addr::from(random.next() as u32);
        if client != GHOST4 && can_be_client(client.into()) {
            return client;
        }
    }
}

pub fn client6(random: &mut Random) -> Ipv6Addr {
    let rest = u128::from(random.next()) << 64 | u128::from(random.next());
    // 2000::/3, where addresses are given out.
    Ipv6Addr::from(rest >> 3 | 1 << 125)
}

/// One that is no client's, or is anything.
pub fn odd4(random: &mut Random) -> Ipv4Addr {
    match random.below(8) {
        0 => GHOST4,
        1 => Ipv4Addr::new(0, random.byte(), 0, 1),
        2 => Ipv4Addr::new(127, 0, 0, random.byte()),
        3 => Ipv4Addr::new(169, 254, random.byte(), 1),
        4 => Ipv4Addr::new(random.within(224, 239) as u8, 0, 0, random.byte()),
        5 => Ipv4Addr::BROADCAST,
        _ => Ipv4Addr::from(random.next() as u32),
    }
}

pub fn odd6(random: &mut Random) -> Ipv6Addr {
    match random.below(8) {
        0 => GHOST6,
        1 => Ipv6Addr::UNSPECIFIED,
        2 => Ipv6Addr::LOCALHOST,
        3 => client4(random).to_ipv6_mapped(),
        4 => Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, random.word()),
        5 => Ipv6Addr::new(0xff00 | random.word() & 0xff, 0, 0, 0, 0, 0, 0, 1),
        _ => Ipv6Addr::from(u128::from(random.next()) << 64 | 1),
    }
}
