// SPDX-License-Identifier: GPL-2.0
//! The largest image: 81 pools of 1024 servers nearly fill 16 MiB. Were each
//! server compared with each, these tests would take minutes.

mod sample;

use onehop_uapi::*;
use sample::{check, name, sample, Sample};

fn address6(number: u32) -> [u8; 16] {
    (0x2001_0db8_0001_u128 << 80 | u128::from(number)).to_be_bytes()
}

fn largest() -> Sample {
    let mut largest = sample();
    let (pool, server) = (largest.pools[0], largest.servers[0]);
    largest.pools = (0..81)
        .map(|index| Pool {
            name: name(&format!("pool{index}")),
            ..pool
        })
        .collect();
    largest.servers = (0..81u32 * 1024)
        .map(|index| {
            // Neighbours in the image are far apart in their pools.
            let number = index.wrapping_mul(61) % 1024;
            let [_, _, high, low] = number.to_be_bytes();
            Server {
                name: name(&format!("s{number}")),
                pool: index / 1024,
                id: u16::try_from(number).unwrap(),
                address: Some([10, 0, high, low]),
                address6: Some(address6(index)),
                ..server
            }
        })
        .collect();
    largest
}

#[test]
fn it_is_valid() {
    let raw = largest().encode();
    assert!(raw.len() > 15 << 20);
    assert_eq!(check(&raw), Ok(()));
}

#[test]
fn a_collision_of_its_last_server_is_found() {
    let mut largest = largest();
    let taken = largest.servers[82_300];
    let last = largest.servers.last_mut().unwrap();
    assert_eq!(taken.pool, last.pool);
    last.address = taken.address;
    let invalid = check(&largest.encode()).unwrap_err();
    assert_eq!(invalid.cause, Cause::AddressInUse);
    assert_eq!(invalid.place, Place::Server(82_943));
}

#[test]
fn a_ghost_among_its_servers_is_found() {
    let mut largest = largest();
    largest.ghosts[1].address = Address::V6(address6(50_000));
    let invalid = check(&largest.encode()).unwrap_err();
    assert_eq!(invalid.cause, Cause::AddressInUse);
    assert_eq!(invalid.place, Place::Ghost(1));
}
