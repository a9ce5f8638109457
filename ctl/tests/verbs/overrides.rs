// SPDX-License-Identifier: GPL-2.0
//! override, and what it does to the other verbs

use serde_json::{json, Value};

use crate::fake::Fake;
use crate::run::web;

/// The lines in front of the one that has the digest.
#[track_caller]
fn diff(fake: &mut Fake, arguments: &str) -> String {
    let out = fake.done(arguments);
    let (diff, summary) = out.trim_end().rsplit_once('\n').unwrap();
    assert!(summary.starts_with("generation "), "{out}");
    diff.to_owned()
}

#[track_caller]
fn owner(fake: &mut Fake, client: &str) -> String {
    fake.done(&format!("lookup {client}")).trim_end().into()
}

#[test]
fn clients_get_a_server() {
    let mut fake = web();
    let added = diff(&mut fake, "override add 203.0.113.0/24 s3 --now");
    assert_eq!(added, "+ override web/203.0.113.0/24: server s3");
    fake.done("override add 203.0.113.7 s1 --pool web --now");
    fake.done("override add 2001:DB8:5:0::/48 s2 --now");
    for (client, rule) in [
        ("203.0.113.9", "s3 (id 3) by override 203.0.113.0/24, then "),
        ("203.0.113.7", "s1 (id 1) by override 203.0.113.7/32, then "),
        (
            "2001:db8:5:9::1",
            "s2 (id 2) by override 2001:db8:5::/48, then ",
        ),
    ] {
        let told = owner(&mut fake, client);
        assert!(told.starts_with(rule), "{told}");
    }
    assert!(owner(&mut fake, "203.0.114.9").contains(" by hash: row "));
    let out: Value = serde_json::from_str(&fake.done("lookup -j 203.0.113.9")).unwrap();
    assert_eq!(out[0]["kind"], "hash");
    assert_eq!(out[0]["rule"], "override");
    assert_eq!(out[0]["override"], "203.0.113.0/24");
    assert_eq!(out[0]["row"], Value::Null);

    // A server that does not live has no clients of its own.
    fake.done("down s3");
    assert!(owner(&mut fake, "203.0.113.9").contains(" by hash: row "));
    fake.done("up s3 --now");

    let out = fake.done("override list");
    let words: Vec<Vec<_>> = out
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let listed = [
        ["web", "203.0.113.0/24", "s3"],
        ["web", "203.0.113.7/32", "s1"],
        ["web", "2001:db8:5::/48", "s2"],
    ];
    assert_eq!(words, listed);
    let out: Value = serde_json::from_str(&fake.done("-j override list --pool web")).unwrap();
    let first = json!({ "pool": "web", "prefix": "203.0.113.0/24", "server": "s3", "id": 3 });
    assert_eq!((&out[0], out.as_array().unwrap().len()), (&first, 3));
    assert!(fake.done("show").contains("\n  3 overrides\n"));
    let out: Value = serde_json::from_str(&fake.done("show -j")).unwrap();
    assert_eq!(out["pools"][0]["overrides"], 3);
    let out = fake.done("dump");
    let line = "override\tweb\t2001:db8:5::/48\ts2\t2";
    assert!(out.lines().any(|it| it == line), "{out}");

    let set = diff(&mut fake, "override set 203.0.113.7/32 s2");
    assert_eq!(set, "~ override web/203.0.113.7/32: server s1 -> s2");
    let removed = diff(&mut fake, "override del 203.0.113.7/32");
    assert_eq!(removed, "- override web/203.0.113.7/32");
    fake.done("override del 2001:db8:5::/48");
    assert!(fake.done("show").contains("\n  1 override\n"));
}

#[test]
fn what_is_so_already() {
    let mut fake = web();
    fake.done("override add 203.0.113.0/24 s3");
    for arguments in [
        "override add 203.0.113.0/24 s3",
        "override set 203.0.113.0/24 s3",
        "override del 203.0.114.0/24",
        "override del 203.0.114.0/24 --pool web",
    ] {
        assert_eq!(fake.done(arguments), "already so\n", "{arguments}");
    }
}

#[test]
fn mistakes() {
    let mut fake = web();
    fake.done("override add 203.0.113.0/24 s3");
    let why = fake.refused("override add 203.0.113.0/24 s1");
    let told = "override \"203.0.113.0/24\" is one to server \"s3\": change it with onehopctl override set";
    assert_eq!(why, told);
    let there = "is not there: there is \"s1\", \"s2\", \"s3\"";
    let why = fake.refused("override add 192.0.2.0/24 s9");
    assert_eq!(why, format!("server \"s9\" {there}"));
    let why = fake.refused("override set 192.0.2.0/24 s9 --pool web");
    assert_eq!(why, format!("server \"s9\" of pool \"web\" {there}"));
    let why = fake.refused("override list --pool wob");
    assert_eq!(why, "pool \"wob\" is not there: there is \"web\"");

    fake.done("pool add mail --kind mod");
    fake.done("server add s1 10.0.0.1 --pool mail");
    let more = "is in more than one pool: --pool must be one of \"mail\", \"web\"";
    let why = fake.refused("override add 192.0.2.0/24 s1");
    assert_eq!(why, format!("server \"s1\" {more}"));
    for pool in ["mail", "web"] {
        fake.done(&format!("override add 192.0.2.0/24 s1 --pool {pool}"));
    }
    let why = fake.refused("override del 192.0.2.0/24");
    assert_eq!(why, format!("override \"192.0.2.0/24\" {more}"));
    fake.done("override del 192.0.2.0/24 --pool mail");
    fake.done("override del 192.0.2.0/24");
    assert_eq!(fake.done("override list").lines().count(), 1);
}

#[test]
fn prefixes() {
    let mut fake = web();
    let bits = "must be an IPv4 or IPv6 address and its bits, as in 203.0.113.0/24";
    for text in [
        "203.0.113/24",
        "203.0.113.0/",
        "203.0.113.0/+24",
        "203.0.113.0/256",
        "/24",
        "s1",
        "2001:db8::/x",
    ] {
        let ran = fake.run(&format!("override add {text} s1"));
        let why = format!("prefix \"{text}\" {bits}");
        assert_eq!(ran.code, 2, "{text}");
        assert!(ran.err.contains(&why), "{}", ran.err);
    }
    for (text, why) in [
        (
            "203.0.113.7/24",
            "prefix \"203.0.113.7/24\" must be 203.0.113.0/24, with zeros behind its bits",
        ),
        (
            "203.0.113.0/0",
            "prefix \"203.0.113.0/0\": bits \"0\" must be from 1 to 32",
        ),
        (
            "2001:db8::/129",
            "prefix \"2001:db8::/129\": bits \"129\" must be from 1 to 128",
        ),
        (
            "::ffff:203.0.113.0/120",
            "prefix \"::ffff:203.0.113.0/120\" must be written as IPv4",
        ),
    ] {
        let ran = fake.run(&format!("override add {text} s1"));
        assert_eq!(ran.code, 2, "{text}");
        assert!(ran.err.contains(why), "{}", ran.err);
    }
}

#[test]
fn a_server_that_has_clients_stays() {
    let mut fake = web();
    fake.done("override add 203.0.113.0/24 s3 --now");
    let advice =
        "remove it with --overrides, or give its clients another one with onehopctl override set";
    for how in ["", " --now"] {
        let why = fake.refused(&format!("server del s3{how}"));
        let told = format!("server \"s3\" is that of override \"203.0.113.0/24\": {advice}");
        assert_eq!(why, told);
        // Not even made down.
        assert!(owner(&mut fake, "203.0.113.9").starts_with("s3 "));
    }
    fake.done("override add 203.0.113.9 s3 --now");
    let why = fake.refused("server del s3");
    let told = format!("server \"s3\" is that of override \"203.0.113.0/24\" and 1 more: {advice}");
    assert_eq!(why, told);
    fake.done("server del s2");
    let out = diff(&mut fake, "server del s3 --overrides");
    assert_eq!(
        out.lines().collect::<Vec<_>>(),
        [
            "- server web/s3",
            "- override web/203.0.113.0/24",
            "- override web/203.0.113.9/32"
        ]
    );
    // A file that lacks the server and names it is refused as a whole.
    let text = fake.done("save") + "[pool.web.override]\n\"203.0.113.0/24\" = \"s3\"\n";
    let ran = fake.run_with("apply -", &text, false);
    let why = "pool.web.override.203.0.113.0/24 \"s3\" must be the name of a server of the pool: \"s1\"\n";
    assert!(ran.err.ends_with(why), "{}", ran.err);
}

#[test]
fn a_plan() {
    let mut fake = web();
    fake.done("override add 128.0.0.0/1 s1 --now");
    let plan: Value = serde_json::from_str(&fake.done("-j plan override del 128.0.0.0/1")).unwrap();
    assert_eq!(plan["diff"], json!(["- override web/128.0.0.0/1"]));
    let part = |server: usize, when: &str| {
        let ppm = plan["pools"][0]["servers"][server][when].as_u64();
        ppm.unwrap()
    };
    // Half the clients, and a quarter of the others; then a quarter of all.
    let (before, after) = (part(0, "before_ppm"), part(0, "after_ppm"));
    assert!((590_000..660_000).contains(&before), "{before}");
    assert!((200_000..300_000).contains(&after), "{after}");
    let all: u64 = (0..3).map(|server| part(server, "before_ppm")).sum();
    assert!((999_990..=1_000_000).contains(&all), "{all}");
    let moved = plan["pools"][0]["moved_ppm"].as_u64().unwrap();
    assert!((330_000..420_000).contains(&moved), "{moved}");
    assert_eq!(fake.done("override list").lines().count(), 1);
}

#[test]
fn mistakes_in_a_file() {
    let text = "[pool.web]\nseed = \"00112233445566778899aabbccddeeff\"\n\
                [pool.web.server.s1]\nid = 1\naddress = \"10.0.0.1\"\n[pool.web.override]\n";
    #[track_caller]
    fn refused(text: &str, why: &str) {
        let ran = Fake::default().run_with("apply -", text, false);
        assert_eq!(
            (ran.code, &*ran.err),
            (1, &*format!("onehopctl: <stdin>:{why}\n"))
        );
    }
    let line = |line: &str, why: &str| refused(&format!("{text}{line}\n"), &format!("7: {why}"));
    let name = "must be the name of a server of the pool: \"s1\"";
    line(
        "\"203.0.113.0/24\" = \"s2\"",
        &format!("pool.web.override.203.0.113.0/24 \"s2\" {name}"),
    );
    line(
        "\"203.0.113.0/24\" = 1",
        "pool.web.override.203.0.113.0/24 \"1\" must be a string: the name of a server of the pool: \"s1\"",
    );
    line(
        "\"203.0.113.0/25x\" = \"s1\"",
        "pool.web.override: prefix \"203.0.113.0/25x\" must be an IPv4 or IPv6 address and its bits, as in 203.0.113.0/24",
    );
    line(
        "\"2001:db8::1/64\" = \"s1\"",
        "pool.web.override: prefix \"2001:db8::1/64\" must be 2001:db8::/64, with zeros behind its bits",
    );
    let twice = "\"2001:DB8::/64\" = \"s1\"\n\"2001:db8::/64\" = \"s1\"";
    let ran = Fake::default().run_with("apply -", &format!("{text}{twice}\n"), false);
    let why = "pool.web.override: prefix \"2001:db8::/64\" must be unique in its pool\n";
    assert!(ran.err.ends_with(why), "{}", ran.err);
    refused(
        "[pool.web]\nkind = \"mod\"\n[pool.web.override]\n\"192.0.2.1\" = \"s1\"\n",
        "4: pool.web.override.192.0.2.1 \"s1\" must be the name of a server of the pool, which has none",
    );
    let many: String = (0..4097)
        .map(|n| format!("\"10.{}.{}.0/24\" = \"s1\"\n", n / 256, n % 256))
        .collect();
    let most = "1: image: overrides \"4097\" must be at most 4096";
    refused(&format!("{text}{many}"), most);
}
