// SPDX-License-Identifier: GPL-2.0
//! Each way in which a call can be spoiled, or refused by what stands, has its error
//! number and its sentence.

mod sample;

use onehop_uapi::*;
use sample::{check, name, sample};

const ENOENT: i32 = 2;
const E2BIG: i32 = 7;
const EBUSY: i32 = 16;
const ENODEV: i32 = 19;
const EINVAL: i32 = 22;
const ENOSPC: i32 = 28;
const ERANGE: i32 = 34;
const EBADMSG: i32 = 74;
const EMSGSIZE: i32 = 90;
const ESTALE: i32 = 116;

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Invalid>, errno: i32, sentence: &str) {
    let invalid = result.unwrap_err();
    assert_eq!((invalid.errno(), &*invalid.to_string()), (errno, sentence));
}

#[test]
fn calls() {
    let mut raw = [0; Info::SIZE];
    raw[40] = 1;
    refused(
        Info::check(&raw),
        EINVAL,
        "info \"1\" must be zero in every byte",
    );

    let mut raw = [0; Apply::SIZE];
    assert!(Apply::decode(&raw).is_ok());
    raw[12..16].copy_from_slice(&8u32.to_ne_bytes());
    let flags = "flags \"8\" must be a sum of 1 (dry run), 2 (expect) and 4 (now)";
    refused(Apply::decode(&raw), EINVAL, flags);
    raw[12..16].copy_from_slice(&1u32.to_ne_bytes());
    raw[16..24].copy_from_slice(&9u64.to_ne_bytes());
    let expected = "expected \"9\" must be 0 without the flag 2 (expect)";
    refused(Apply::decode(&raw), EINVAL, expected);
    raw[12..16].copy_from_slice(&3u32.to_ne_bytes());
    raw[24..28].copy_from_slice(&604_801u32.to_ne_bytes());
    let seconds =
        "seconds \"604801\" must be from 0 (default) to 604800, or 4294967295 (until commit)";
    refused(Apply::decode(&raw), ERANGE, seconds);
    raw[24..28].copy_from_slice(&604_800u32.to_ne_bytes());
    raw[28] = 1;
    let pad = "pad \"1\" must be zero in every byte";
    refused(Apply::decode(&raw), EINVAL, pad);
    raw[28] = 0;
    raw[88] = 0xff;
    let reason = "reason \"\\xff\" must be printable UTF-8 of at most 63 bytes";
    refused(Apply::decode(&raw), EBADMSG, reason);
    raw[88] = 0;
    raw[56..88].fill(b'a');
    let actor = format!(
        "actor \"{}...\" must be printable UTF-8 of at most 31 bytes",
        "a".repeat(28)
    );
    refused(Apply::decode(&raw), EBADMSG, &actor);
    raw[56..88].fill(0);
    raw[8..12].copy_from_slice(&0x1000001u32.to_ne_bytes());
    let len = "len \"16777217\" must be at most 16777216 bytes";
    refused(Apply::decode(&raw), E2BIG, len);

    let set = Set {
        pool: name("web"),
        server: name("s1"),
        state: State::Health(Health::Up),
        condition: Condition::default(),
        author: Author::default(),
    };
    let spoil = |offset: usize, byte: u8| {
        let mut raw = set.encode();
        raw[offset] = byte;
        Set::decode(&raw)
    };
    refused(
        spoil(64, 3),
        EINVAL,
        "field \"3\" must be 1 (admin) or 2 (health)",
    );
    refused(
        spoil(65, 3),
        EINVAL,
        "health \"3\" must be 1 (up) or 2 (down)",
    );
    refused(spoil(67, 3), EINVAL, "pad \"3\" must be zero in every byte");
    if cfg!(target_endian = "little") {
        let flags = "flags \"8\" must be a sum of 1 (dry run), 2 (expect) and 4 (now)";
        refused(spoil(68, 8), EINVAL, flags);
    }
    let pad = "pad2 \"1\" must be zero in every byte";
    refused(spoil(84, 1), EINVAL, pad);

    let mut raw = Answer {
        answer: true,
        author: Author::default(),
    }
    .encode();
    raw[4] = 1;
    let changed = "changed \"1\" must be zero in every byte";
    refused(Answer::decode(&raw), EINVAL, changed);
    raw[..4].copy_from_slice(&2u32.to_ne_bytes());
    let answer = "answer \"2\" must be 0 (off) or 1 (on)";
    refused(Answer::decode(&raw), EINVAL, answer);

    let pool = name("web");
    let client = Address::V4([198, 51, 100, 1]);
    let mut raw = Lookup { pool, client }.encode();
    raw[45] = 1;
    let rest = "client, behind its first four bytes, \"1\" must be zero in every byte";
    refused(Lookup::decode(&raw), EINVAL, rest);
    raw[32] = 5;
    let bits = "bits \"24\" must be zero in every byte";
    raw[33] = 24;
    refused(Lookup::decode(&raw), EINVAL, bits);
    raw[33] = 0;
    let family = "family \"5\" must be 4 (IPv4) or 6 (IPv6)";
    refused(Lookup::decode(&raw), EINVAL, family);
}

#[test]
fn transitions() {
    let commit = Transition {
        pool: name("web"),
        verb: Verb::Commit,
        condition: Condition::default(),
        author: Author::default(),
    };
    let spoil = |verb: u8, offset: usize, number: u32| {
        let mut raw = commit.encode();
        raw[32] = verb;
        raw[offset..][..4].copy_from_slice(&number.to_ne_bytes());
        Transition::decode(&raw)
    };
    let verbs = "verb \"4\" must be 1 (commit) or 2 (abort) or 3 (extend)";
    refused(spoil(4, 48, 0), EINVAL, verbs);
    let pad = "pad \"1\" must be zero in every byte";
    refused(spoil(1, 33, u32::from_ne_bytes([1, 0, 0, 0])), EINVAL, pad);
    for flags in [1, 4] {
        let sentence = format!("flags \"{flags}\" must be 0 or 2 (expect)");
        refused(spoil(1, 36, flags), EINVAL, &sentence);
    }
    let seconds = "seconds \"60\" must be 0 without verb extend";
    refused(spoil(1, 48, 60), ERANGE, seconds);
    refused(spoil(2, 48, 60), ERANGE, seconds);
    let endless = "seconds \"4294967295\" must be 0 without verb extend";
    refused(spoil(2, 48, u32::MAX), ERANGE, endless);
    let extend =
        "seconds \"0\" must be from 1 to 604800, or 4294967295 (until commit), with verb extend";
    refused(spoil(3, 48, 0), ERANGE, extend);
    assert!(spoil(3, 48, 604_800).is_ok());
    let long = spoil(3, 48, 604_801).unwrap_err();
    assert_eq!(long.errno(), ERANGE);
    refused(
        spoil(1, 52, u32::MAX),
        EINVAL,
        "pad2 \"255\" must be zero in every byte",
    );
}

#[test]
fn dumps() {
    let mut raw = sample().encode();
    raw[20..24].copy_from_slice(&15u32.to_ne_bytes());
    let most = "image: older \"15\" must be at most 7 for each pool";
    refused(Snapshot::new(&raw).map(|_| ()), E2BIG, most);
    raw[20..24].copy_from_slice(&1u32.to_ne_bytes());
    let len = "image: len \"1296\" must be 1328";
    refused(Snapshot::new(&raw).map(|_| ()), EMSGSIZE, len);
    raw.extend([0; Older::SIZE]);
    *raw.last_mut().unwrap() = 9;
    // What can stand can not be applied.
    let older = "image: older \"1\" must be zero in every byte";
    refused(check(&raw), EINVAL, older);
    let snapshot = Snapshot::new(&raw).unwrap();
    let pad = "older function 0: pad \"9\" must be zero in every byte";
    refused(snapshot.older().next().unwrap(), EINVAL, pad);
}

#[test]
fn answers_of_the_module() {
    let condition = Condition {
        expected: Some(7),
        ..Condition::default()
    };
    assert_eq!(condition.holds(7), Ok(()));
    assert_eq!(Condition::default().holds(7), Ok(()));
    refused(condition.holds(8), ESTALE, "generation \"7\" must be 8");
    let pool = Invalid::no_pool(name("wob"));
    refused::<()>(
        Err(pool),
        ENOENT,
        "pool \"wob\" must be the name of an existing pool",
    );
    let server = "server \"s9\" must be the name of an existing server of the pool";
    let answer = "answer \"on\" must be off until a device is named (onehopctl device add)";
    refused::<()>(Err(Invalid::no_device()), ENODEV, answer);
    refused::<()>(Err(Invalid::no_server(name("s9"))), ENOENT, server);
    refused::<()>(
        Err(Invalid::no_space(10, 16)),
        ENOSPC,
        "len \"10\" must be 16",
    );
    let busy = |invalid, sentence| refused::<()>(Err(invalid), EBUSY, sentence);
    busy(
        Invalid::queue_full(name("web"), Some(12)),
        "pool \"web\" must be rid of one of its 8 functions first; retry in 12 s, or commit",
    );
    busy(
        Invalid::queue_full(name("web"), None),
        "pool \"web\" must be rid of one of its 8 functions first; commit, as nothing else ends it",
    );
    busy(
        Invalid::leaving(3, name("s3"), Some(12)),
        "leaving server \"s3\": id \"3\" must be given to no other server; retry in 12 s, or commit",
    );
    busy(
        Invalid::is_leaving(name("s3")),
        "server \"s3\" must be one that is not leaving; only its health can be set, to down",
    );
}
