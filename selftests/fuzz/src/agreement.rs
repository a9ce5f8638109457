// SPDX-License-Identifier: GPL-2.0

//! The naive law agrees with the module's own code on all frames that are sent: where they differ,
//! one of them has read dispatch.md wrong, and no guest is needed to find it.

use crate::address::{GHOST4, GHOST6};
use crate::kind::Kind;
use crate::law::{ends, whose, Whose};
use crate::mutation::frame;
use onehop_dispatch::addr::Address;
use onehop_dispatch::client::{Client, NotOurs};
use onehop_dispatch::{ipv4, ipv6};
use std::net::IpAddr;

const EACH: u64 = 5000;

fn modules(packet: &[u8]) -> Whose {
    let client = match packet[0] >> 4 {
        4 => ipv4::client(packet, GHOST4.octets()),
        _ => ipv6::client(packet, GHOST6.octets()),
    };
    match client {
        Client::Is(Address::V4(client)) => Whose::Client(IpAddr::from(client)),
        Client::Is(Address::V6(client)) => Whose::Client(IpAddr::from(client)),
        Client::NotOurs(NotOurs::Neighbour) => Whose::Neighbour,
        Client::NotOurs(_) => Whose::NotDispatched,
        Client::Malformed => Whose::Malformed,
    }
}

#[test]
fn agrees_with_dispatch() {
    let (mut clients, mut malformed, mut others) = (0, 0, 0);
    for &kind in Kind::ALL {
        for index in 0..EACH {
            let frame = frame(7, kind, index);
            let packet = frame.packet();
            let is_for_ghost =
                matches!(ends(packet), Some((_, to)) if to == GHOST4 || to == GHOST6);
            if !is_for_ghost {
                continue;
            }
            let ours = whose(packet);
            assert_eq!(ours, modules(packet), "{} {index}: {frame}", kind.name());
            match ours {
                Whose::Client(_) => clients += 1,
                Whose::Malformed => malformed += 1,
                Whose::NotDispatched | Whose::Neighbour => others += 1,
            }
        }
    }
    // All answers are there to be wrong about.
    assert!(clients > 10 * EACH && malformed > EACH / 20 && others > EACH / 5);
}
