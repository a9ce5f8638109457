// SPDX-License-Identifier: GPL-2.0
//! Each way in which a valid request can be spoiled has its error number and its
//! sentence.

mod sample;

use onehop_uapi::*;
use sample::{check, name, sample, Sample};

const E2BIG: i32 = 7;
const ENOMEM: i32 = 12;
const EEXIST: i32 = 17;
const EINVAL: i32 = 22;
const ERANGE: i32 = 34;
const EPROTO: i32 = 71;
const EBADMSG: i32 = 74;
const EMSGSIZE: i32 = 90;
const EAFNOSUPPORT: i32 = 97;

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Invalid>, errno: i32, sentence: &str) {
    let invalid = result.unwrap_err();
    assert_eq!((invalid.errno(), &*invalid.to_string()), (errno, sentence));
}

#[track_caller]
fn spoiled(spoil: impl FnOnce(&mut Sample), errno: i32, sentence: &str) {
    let mut sample = sample();
    spoil(&mut sample);
    refused(check(&sample.encode()), errno, sentence);
}

/// Overwrites bytes at an offset into the sample's image.
#[track_caller]
fn patched(offset: usize, bytes: &[u8], errno: i32, sentence: &str) {
    let mut raw = sample().encode();
    raw[offset..][..bytes.len()].copy_from_slice(bytes);
    refused(check(&raw), errno, sentence);
}

const POOL: usize = Header::SIZE;
const GHOST: usize = POOL + 2 * Pool::SIZE;
const SERVER: usize = GHOST + 3 * Ghost::SIZE;

#[test]
fn the_sample_is_valid() {
    assert_eq!(check(&sample().encode()), Ok(()));
}

#[test]
fn images() {
    let raw = sample().encode();
    refused(
        check(&raw[..31]),
        EMSGSIZE,
        "image: len \"31\" must be at least 32 bytes",
    );
    refused(
        check(&raw[..1295]),
        EMSGSIZE,
        "image: len \"1295\" must be 1296",
    );
    refused(
        check(&[raw, vec![0]].concat()),
        EMSGSIZE,
        "image: len \"1297\" must be 1296",
    );
    let huge = vec![0; (16 << 20) + 1];
    refused(
        check(&huge),
        E2BIG,
        "image: len \"16777217\" must be at most 16777216 bytes",
    );
    patched(0, &3u32.to_ne_bytes(), EPROTO, "image: abi \"3\" must be 4");
    patched(
        4,
        &257u32.to_ne_bytes(),
        E2BIG,
        "image: pools \"257\" must be at most 256",
    );
    patched(
        8,
        &257u32.to_ne_bytes(),
        E2BIG,
        "image: ghosts \"257\" must be at most 256",
    );
    let servers = "image: servers \"2049\" must be at most 1024 for each pool";
    patched(12, &2049u32.to_ne_bytes(), E2BIG, servers);
    let devices = "image: devices \"17\" must be at most 16";
    patched(16, &17u32.to_ne_bytes(), E2BIG, devices);
    let older = "image: older \"1\" must be zero in every byte";
    patched(20, &[1], EINVAL, older);
    let overrides = "image: overrides \"4097\" must be at most 4096";
    patched(24, &4097u32.to_ne_bytes(), E2BIG, overrides);
    let rows = "image: rows \"131073\" must be at most 65536 for each pool";
    patched(28, &131073u32.to_ne_bytes(), E2BIG, rows);
    let sample = sample().encode();
    let image = Image::new(&sample).unwrap();
    let short = "scratch must be as long as the longest list of records";
    refused(check::image(&image, &mut [0; 4]), ENOMEM, short);
}

#[test]
fn pools() {
    let characters = "must be 1 to 31 characters of A-Z a-z 0-9 . _ -";
    patched(
        POOL,
        b"w\x1bb",
        EBADMSG,
        &format!("pool 0: name \"w\\x1bb\" {characters}"),
    );
    patched(
        POOL,
        b"\0",
        EBADMSG,
        &format!("pool 0: name \"\\x00eb\" {characters}"),
    );
    let unended = format!("web{}...", "\\x00".repeat(25));
    patched(
        POOL + 31,
        b"x",
        EBADMSG,
        &format!("pool 0: name \"{unended}\" {characters}"),
    );
    let modes = "must be 1 (router) or 2 (broadcast) or 3 (peer)";
    patched(
        POOL + 32,
        &[4],
        EINVAL,
        &format!("pool 0 \"web\": mode \"4\" {modes}"),
    );
    let kinds = "pool 0 \"web\": kind \"4\" must be 1 (mod) or 2 (hash) or 3 (table)";
    patched(POOL + 33, &[4], EINVAL, kinds);
    let policies = "pool 0 \"web\": policy \"0\" must be 1 (drop) or 2 (reject)";
    patched(POOL + 34, &[0], EINVAL, policies);
    patched(
        POOL + 38,
        &[0],
        EINVAL,
        "pool 0 \"web\": method \"0\" must be 1 (track) or 2 (chance)",
    );
    let foreign = |it: &mut Sample| it.pools[0].mode = Mode::Peer;
    let method = "pool 0 \"web\": method \"1\" must be 0 without mode router";
    spoiled(foreign, EINVAL, method);
    patched(
        POOL + 39,
        &[5],
        EINVAL,
        "pool 0 \"web\": pad \"5\" must be zero in every byte",
    );
    patched(
        POOL + 47,
        &[5],
        EINVAL,
        "pool 0 \"web\": tracked \"5\" must be zero in every byte",
    );
    patched(
        POOL + 71,
        &[5],
        EINVAL,
        "pool 0 \"web\": digest \"5\" must be zero in every byte",
    );
    let policy = "pool 0 \"web\": policy \"2\" must be 1 (drop) with mode broadcast";
    let rejecting = |it: &mut Sample| {
        it.pools[0].mode = Mode::Broadcast;
        it.pools[0].shape = Some(Shape::Broadcast);
        it.pools[0].method = None;
        it.pools[0].policy = Policy::Reject;
    };
    spoiled(rejecting, ERANGE, policy);
    for prefix4 in [0, 33] {
        let sentence = format!("pool 1 \"mail\": prefix4 \"{prefix4}\" must be from 1 to 32");
        spoiled(|it| it.pools[1].prefix4 = prefix4, ERANGE, &sentence);
    }
    for prefix6 in [0, 129] {
        let sentence = format!("pool 0 \"web\": prefix6 \"{prefix6}\" must be from 1 to 128");
        spoiled(|it| it.pools[0].prefix6 = prefix6, ERANGE, &sentence);
    }
    for (kind, rows) in [Kind::Hash, Kind::Table]
        .into_iter()
        .flat_map(|kind| [0, 128, 257, 131072].map(|rows| (kind, rows)))
    {
        let expected = format!("a power of two from 256 to 65536 with kind {kind}");
        let sentence = format!("pool 0 \"web\": rows \"{rows}\" must be {expected}");
        let spoil = |it: &mut Sample| (it.pools[0].kind, it.pools[0].rows) = (kind, rows);
        spoiled(spoil, ERANGE, &sentence);
    }
    let rows = "pool 1 \"mail\": rows \"256\" must be 0 with kind mod";
    spoiled(|it| it.pools[1].rows = 256, ERANGE, rows);
    let seed = "pool 1 \"mail\": seed \"7\" must be zero in every byte with kind mod";
    spoiled(|it| it.pools[1].seed[9] = 7, EINVAL, seed);
    let twice = "pool 1 \"web\": name \"web\" must be unique";
    spoiled(|it| it.pools[1].name = name("web"), EEXIST, twice);
}

#[test]
fn ghosts() {
    patched(
        GHOST + 4,
        &[5],
        EAFNOSUPPORT,
        "ghost 0: family \"5\" must be 4 (IPv4) or 6 (IPv6)",
    );
    patched(
        GHOST + 7,
        &[1],
        EINVAL,
        "ghost 0: pad \"1\" must be zero in every byte",
    );
    let rest = "ghost 0: address, behind its first four bytes, \"1\" must be zero in every byte";
    patched(GHOST + 23, &[1], EINVAL, rest);
    let index = "ghost 2: pool \"2\" must be the index of one of the image's pools";
    spoiled(|it| it.ghosts[2].pool = 2, ERANGE, index);
}

#[test]
fn servers() {
    let at = "server 0 \"s1\"";
    for id in [1024, 65535] {
        let sentence = format!("{at}: id \"{id}\" must be from 0 to 1023");
        spoiled(|it| it.servers[0].id = id, ERANGE, &sentence);
    }
    for weight in [0, 1001] {
        let sentence = format!("{at}: weight \"{weight}\" must be from 1 to 1000");
        spoiled(|it| it.servers[0].weight = weight, ERANGE, &sentence);
    }
    let weight = format!("{at}: weight \"2\" must be 1 with kind mod");
    spoiled(|it| it.servers[0].weight = 2, ERANGE, &weight);
    let index = format!("{at}: pool \"9\" must be the index of one of the image's pools");
    spoiled(|it| it.servers[0].pool = 9, ERANGE, &index);
    let admin = format!("{at}: admin \"4\" must be 1 (up) or 2 (drain) or 3 (down)");
    patched(SERVER + 40, &[4], EINVAL, &admin);
    let flags = format!("{at}: flags \"2\" must be 0 or 1 (start-down)");
    patched(SERVER + 41, &[2], EINVAL, &flags);
    let out = [
        (42, "health"),
        (43, "pad"),
        (64, "reach"),
        (65, "reach6"),
        (67, "pad2"),
        (68, "ifindex"),
        (72, "ifindex6"),
        (76, "drain_left"),
        (80, "changed_at"),
        (88, "packets"),
        (96, "bytes"),
        (104, "actor"),
        (136, "reason"),
    ];
    for (offset, field) in out {
        let sentence = format!("{at}: {field} \"3\" must be zero in every byte");
        patched(SERVER + offset, &[3], EINVAL, &sentence);
    }

    // Servers 1, 2 and 4 are those of pool 0.
    let twice = "server 2 \"s3\": name \"s3\" must be unique in its pool";
    spoiled(|it| it.servers[2].name = name("s3"), EEXIST, twice);
    let twice = "server 4 \"s2\": id \"3\" must be unique in its pool";
    spoiled(|it| it.servers[4].id = 3, EEXIST, twice);
}
