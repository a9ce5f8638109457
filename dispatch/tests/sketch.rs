// SPDX-License-Identifier: GPL-2.0

//! The estimate of connections, against their number.

use onehop_dispatch::{
    addr::Address,
    flow::Ports,
    sketch::{estimate, slot, SLOTS},
};

/// Marks the slots of `number` connections and estimates.
fn estimated(connections: impl Iterator<Item = (Address, Ports)>) -> u32 {
    let mut marked = vec![false; SLOTS];
    for (client, ports) in connections {
        marked[usize::from(slot(client, ports))] = true;
    }
    estimate(marked.iter().filter(|mark| **mark).count())
}

fn ports(client: u16) -> Ports {
    Ports { client, ghost: 80 }
}

/// Within 5 %, and of few exactly.
fn is_close(estimate: u32, number: u32) -> bool {
    estimate.abs_diff(number) <= number / 20
}

#[test]
fn nothing_is_nothing() {
    assert_eq!(estimate(0), 0);
}

#[test]
fn few_are_counted() {
    for number in 1..=10 {
        assert!(estimate(number).abs_diff(number as u32) <= 1, "{number}");
    }
}

#[test]
fn neighbouring_clients() {
    for number in [100, 1000, 5000u32] {
        let clients = (0..number).map(|n| {
            let address = Address::V4((0x0a00_0001 + n).to_be_bytes());
            (address, ports(40_000))
        });
        let estimate = estimated(clients);
        assert!(is_close(estimate, number), "{estimate} for {number}");
    }
}

#[test]
fn neighbouring_ports() {
    for number in [100, 1000, 5000u16] {
        let address = Address::V4([192, 0, 2, 1]);
        let estimate = estimated((0..number).map(|n| (address, ports(32_768 + n))));
        assert!(is_close(estimate, number.into()), "{estimate} for {number}");
    }
}

#[test]
fn ipv6_clients() {
    let clients = (0..2000u32).map(|n| {
        let mut address = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        address[12..].copy_from_slice(&n.to_be_bytes());
        (Address::V6(address), ports(50_000))
    });
    let estimate = estimated(clients);
    assert!(is_close(estimate, 2000), "{estimate}");
}

#[test]
fn all_marked_is_the_most_it_can_tell() {
    let most = estimate(SLOTS);
    assert!((30_000..40_000).contains(&most), "{most}");
    assert_eq!(estimate(SLOTS + 1), most);
    assert!(estimate(SLOTS - 2) < most);
}
