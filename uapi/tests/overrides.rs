// SPDX-License-Identifier: GPL-2.0
//! Overrides: their prefixes, what they are to each other and to the servers.

mod sample;

use onehop_uapi::*;
use proptest::prelude::*;
use sample::{check, sample, Sample};

const ENOENT: i32 = 2;
const EEXIST: i32 = 17;
const EINVAL: i32 = 22;
const ERANGE: i32 = 34;
const EAFNOSUPPORT: i32 = 97;
const EADDRNOTAVAIL: i32 = 99;

fn address(text: &str) -> Address {
    Address::from(text.parse::<std::net::IpAddr>().unwrap())
}

fn entry(pool: u32, text: &str, bits: u8, server: u16) -> Override {
    let prefix = Prefix::new(address(text), bits).unwrap();
    Override {
        pool,
        prefix,
        server,
    }
}

/// Pool 0 has the servers 1, 2 and 3, pool 1 the servers 1 and 2.
fn overridden() -> Sample {
    Sample {
        overrides: vec![
            entry(0, "2001:db8:5::", 48, 1),
            entry(1, "203.0.113.0", 24, 2),
            entry(0, "203.0.113.0", 24, 3),
            entry(0, "203.0.113.0", 25, 3),
            entry(0, "203.0.113.7", 32, 2),
        ],
        ..sample()
    }
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Invalid>, errno: i32, sentence: &str) {
    let invalid = result.unwrap_err();
    assert_eq!((invalid.errno(), &*invalid.to_string()), (errno, sentence));
}

#[track_caller]
fn spoiled(spoil: impl FnOnce(&mut Sample), errno: i32, sentence: &str) {
    let mut sample = overridden();
    assert_eq!(check(&sample.encode()), Ok(()));
    spoil(&mut sample);
    refused(check(&sample.encode()), errno, sentence);
}

#[test]
fn they_are_read_as_they_were_written() {
    let raw = overridden().encode();
    let read: Result<Vec<_>, _> = Image::new(&raw).unwrap().overrides().collect();
    assert_eq!(read.unwrap(), overridden().overrides);
    let read: Result<Vec<_>, _> = Snapshot::new(&raw).unwrap().overrides().collect();
    assert_eq!(read.unwrap(), overridden().overrides);
}

#[test]
fn servers_are_those_of_the_pool() {
    let of_another =
        "override 1 of pool \"mail\": server \"3\" must be the id of a server of the pool";
    spoiled(|it| it.overrides[1].server = 3, ENOENT, of_another);
    let none =
        "override 0 of pool \"web\": server \"65535\" must be the id of a server of the pool";
    spoiled(|it| it.overrides[0].server = 65535, ENOENT, none);
    let index = "override 4: pool \"2\" must be the index of one of the image's pools";
    spoiled(|it| it.overrides[4].pool = 2, ERANGE, index);
}

#[test]
fn prefixes_are_unique_in_the_pool() {
    let at = "override 4 of pool \"web\": prefix";
    let twice = format!("{at} \"203.0.113.0/25\" must be unique in its pool");
    spoiled(|it| it.overrides[4] = it.overrides[3], EEXIST, &twice);
}

#[test]
fn prefixes() {
    let spoil = |offset: usize, byte: u8| {
        let mut raw = entry(0, "203.0.113.0", 24, 3).encode();
        raw[offset] = byte;
        Override::decode(&raw)
    };
    let families = "family \"5\" must be 4 (IPv4) or 6 (IPv6)";
    refused(spoil(6, 5), EAFNOSUPPORT, families);
    for bits in [0, 33] {
        let sentence = format!("bits \"{bits}\" must be from 1 to 32");
        refused(spoil(7, bits), ERANGE, &sentence);
    }
    let rest = "address, behind its first four bytes, \"1\" must be zero in every byte";
    refused(spoil(23, 1), EINVAL, rest);
    let host = "prefix \"203.0.113.7/24\" must be 203.0.113.0/24, with zeros behind its bits";
    refused(spoil(11, 7), EINVAL, host);
    for bits in [0, 129] {
        let sentence = format!("bits \"{bits}\" must be from 1 to 128");
        refused(Prefix::new(address("::"), bits), ERANGE, &sentence);
    }
    let host = "prefix \"2001:db8::1/127\" must be 2001:db8::/127, with zeros behind its bits";
    refused(Prefix::new(address("2001:db8::1"), 127), EINVAL, host);
    for (text, bits) in [("::ffff:203.0.113.0", 120), ("::ffff:0.0.0.0", 96)] {
        let sentence = format!("prefix \"{text}/{bits}\" must be written as IPv4");
        refused(Prefix::new(address(text), bits), EADDRNOTAVAIL, &sentence);
    }
    for (text, bits) in [("::fffe:0:0", 95), ("::fffe:0:0", 96), ("::1:0:0:0", 96)] {
        assert!(Prefix::new(address(text), bits).is_ok(), "{text}/{bits}");
    }
    let long = Prefix::new(address("2001:db8::1"), 128).unwrap();
    assert_eq!(long.to_string(), "2001:db8::1/128");
}

#[test]
fn as_many_as_there_may_be() {
    let mut sample = sample();
    sample.overrides = (0..4096u32)
        .map(|number| Address::V4((number << 8).to_be_bytes()))
        .map(|address| Override {
            pool: 0,
            prefix: Prefix::new(address, 24).unwrap(),
            server: 1,
        })
        .collect();
    assert_eq!(check(&sample.encode()), Ok(()));
    *sample.overrides.last_mut().unwrap() = sample.overrides[0];
    let twice = "override 4095 of pool \"web\": prefix \"0.0.0.0/24\" must be unique in its pool";
    refused(check(&sample.encode()), EEXIST, twice);
}

proptest! {
    #[test]
    fn prefixes_mask_as_numbers_do(number in any::<u128>(), bits in 1u8..=128) {
        let mask = u128::MAX << (128 - bits);
        let address = |number: u128| Address::V6(number.to_be_bytes());
        let prefix = Prefix::new(address(number & mask), bits).unwrap();
        prop_assert_eq!((prefix.address(), prefix.bits()), (address(number & mask), bits));
        prop_assert_eq!(Prefix::new(address(number), bits).is_ok(), number & !mask == 0);
        prop_assert_eq!(Prefix::around(address(number), bits), Ok(prefix));
    }
}
