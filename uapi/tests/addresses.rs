// SPDX-License-Identifier: GPL-2.0
//! Which addresses ghosts and servers can have, and which a server must have.

mod sample;

use std::net::IpAddr;

use onehop_uapi::*;
use sample::{check, sample, Sample};

const EDESTADDRREQ: i32 = 89;
const EADDRINUSE: i32 = 98;
const EADDRNOTAVAIL: i32 = 99;

fn v4(text: &str) -> Address {
    Address::V4(text.parse::<std::net::Ipv4Addr>().unwrap().octets())
}

fn v6(text: &str) -> Address {
    Address::V6(text.parse::<std::net::Ipv6Addr>().unwrap().octets())
}

#[track_caller]
fn refused(spoil: impl FnOnce(&mut Sample), errno: i32, sentence: &str) {
    let mut sample = sample();
    assert_eq!(check(&sample.encode()), Ok(()));
    spoil(&mut sample);
    let invalid = check(&sample.encode()).unwrap_err();
    assert_eq!((invalid.errno(), &*invalid.to_string()), (errno, sentence));
}

#[track_caller]
fn usable(address: &str, usable: bool) {
    let (field, address) = match address.parse().unwrap() {
        IpAddr::V4(address) => ("address", Address::V4(address.octets())),
        IpAddr::V6(address) => ("address6", Address::V6(address.octets())),
    };
    let spoil_ghost = |it: &mut Sample| it.ghosts[1].address = address;
    let spoil_server = |it: &mut Sample| match address {
        Address::V4(address) => it.servers[0].address = Some(address),
        Address::V6(address) => it.servers[0].address6 = Some(address),
    };
    if usable {
        let mut sample = sample();
        spoil_server(&mut sample);
        assert_eq!(check(&sample.encode()), Ok(()), "{address}");
        return;
    }
    let sentence = format!("\"{address}\" must be an address that a host can have on a network");
    refused(
        spoil_ghost,
        EADDRNOTAVAIL,
        &format!("ghost 1: address {sentence}"),
    );
    let server = format!("server 0 \"s1\": {field} {sentence}");
    refused(spoil_server, EADDRNOTAVAIL, &server);
}

#[test]
fn those_that_no_host_has() {
    for address in [
        "0.1.2.3",
        "127.0.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
    ] {
        usable(address, false);
    }
    for address in [
        "::1",
        "::ffff:10.0.0.1",
        "fe80::1",
        "febf::1",
        "ff00::",
        "ff02::1",
    ] {
        usable(address, false);
    }
}

#[test]
fn those_next_to_them() {
    for address in [
        "1.0.0.0",
        "126.0.0.1",
        "128.0.0.1",
        "223.255.255.255",
        "169.254.1.1",
    ] {
        usable(address, true);
    }
    for address in [
        "::2",
        "::fffe:a00:1",
        "::1:0:0:1",
        "fe7f::1",
        "fec0::1",
        "feff::1",
        "fd00::1",
    ] {
        usable(address, true);
    }
}

#[test]
fn zero_is_none_for_a_server_and_nothing_for_a_ghost() {
    let words = "must be an address that a host can have on a network";
    for zero in [Address::V4([0; 4]), Address::V6([0; 16])] {
        let sentence = format!("ghost 0: address \"{zero}\" {words}");
        refused(|it| it.ghosts[0].address = zero, EADDRNOTAVAIL, &sentence);
    }
    let mut raw = sample().servers[0].encode();
    raw[48..64].fill(0);
    assert_eq!(Server::decode(&raw).unwrap().address6, None);
}

#[test]
fn a_server_has_one() {
    let sentence = "server 0 \"s1\": address or address6 must be given";
    let spoil = |it: &mut Sample| (it.servers[0].address, it.servers[0].address6) = (None, None);
    refused(spoil, EDESTADDRREQ, sentence);
}

#[test]
fn a_server_has_one_of_each_family_that_its_pool_has_ghosts_of() {
    // Server 2 is one of pool 0, which has ghosts of both families; server 0 one
    // of pool 1, which has an IPv4 ghost only.
    let at = "server 2 \"s1\"";
    let sentence4 = format!("{at}: address must be given, as its pool has an IPv4 ghost");
    let sentence6 = format!("{at}: address6 must be given, as its pool has an IPv6 ghost");
    for mode in [Mode::Router, Mode::Peer] {
        let without4 = |it: &mut Sample| {
            it.pools[0].mode = mode;
            it.pools[0].method = (mode == Mode::Router).then_some(Method::Track);
            it.servers[2].address = None;
        };
        refused(without4, EDESTADDRREQ, &sentence4);
        let without6 = |it: &mut Sample| {
            it.pools[0].mode = mode;
            it.pools[0].method = (mode == Mode::Router).then_some(Method::Track);
            it.servers[2].address6 = None;
        };
        refused(without6, EDESTADDRREQ, &sentence6);
    }

    let mut sample = sample();
    sample.servers[0].address6 = None;
    assert_eq!(check(&sample.encode()), Ok(()));
    sample.pools[0].mode = Mode::Broadcast;
    sample.pools[0].shape = Some(Shape::Broadcast);
    sample.pools[0].method = None;
    sample.servers[1].address = None;
    sample.servers[2].address6 = None;
    assert_eq!(check(&sample.encode()), Ok(()));
}

#[test]
fn unique_in_the_pool() {
    // Servers 1, 2 and 4 are those of pool 0.
    let twice = "server 4 \"s2\": address \"10.0.0.3\" must be unique in its pool";
    refused(
        |it| it.servers[4].address = it.servers[1].address,
        EADDRINUSE,
        twice,
    );
    let twice = "server 4 \"s2\": address6 \"2001:db8::3\" must be unique in its pool";
    refused(
        |it| it.servers[4].address6 = it.servers[1].address6,
        EADDRINUSE,
        twice,
    );
    let mut sample = sample();
    sample.ghosts.clear();
    for server in &mut sample.servers {
        server.address = None;
    }
    assert_eq!(check(&sample.encode()), Ok(()));
}

#[test]
fn ghosts_are_unique_and_no_server_has_one() {
    let twice = "ghost 1: address \"192.0.2.80\" must be a ghost of one pool, once";
    refused(
        |it| it.ghosts[1].address = v4("192.0.2.80"),
        EADDRINUSE,
        twice,
    );
    let twice = "ghost 3: address \"2001:db8::80\" must be a ghost of one pool, once";
    refused(|it| it.ghosts.push(it.ghosts[2]), EADDRINUSE, twice);
    let both = "must be an address that no server has as its own";
    let sentence = format!("ghost 0: address \"10.0.0.2\" {both}");
    refused(
        |it| it.ghosts[0].address = v4("10.0.0.2"),
        EADDRINUSE,
        &sentence,
    );
    let sentence = format!("ghost 2: address \"2001:db8::2\" {both}");
    refused(
        |it| it.ghosts[2].address = v6("2001:db8::2"),
        EADDRINUSE,
        &sentence,
    );
}
