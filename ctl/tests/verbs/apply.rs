// SPDX-License-Identifier: GPL-2.0
//! apply, save

use onehop_uapi::{Condition, Health, Name};

use crate::fake::Fake;
use crate::run::web;

const MAIL: &str =
    "[pool.mail]\nkind = \"mod\"\n[pool.mail.server.m1]\nid = 1\naddress = \"10.0.0.1\"\n";

#[track_caller]
fn apply(fake: &mut Fake, options: &str, text: &str) -> String {
    let ran = fake.run_with(&format!("apply - {options}"), text, false);
    assert_eq!(ran.code, 0, "{}", ran.err);
    ran.out
}

#[test]
fn a_file_becomes_the_state() {
    let mut fake = web();
    let text = fake.done("save").replace("weight = 2", "weight = 4") + MAIL;
    let out = apply(&mut fake, "--reason spring --actor me", &text);
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "+ pool mail: mode router, method track, kind mod, prefix4 32, prefix6 64, policy drop",
            "+ server mail/m1: id 1, address 10.0.0.1, weight 1, admin up, start-down false",
            "~ server web/s3: weight 2 -> 4",
        ]
    );
    let summary = format!("generation 2 digest {:016x} moved ", fake.digest());
    assert!(lines[3].starts_with(&summary), "{}", lines[3]);
    let event = fake.events.pop_front().unwrap();
    assert_eq!(event.author.actor.as_str(), "me");
    assert_eq!(event.author.reason.as_str(), "spring");

    let text = fake.done("save");
    assert_eq!(apply(&mut fake, "", &text), "already so\n");
    assert_eq!(fake.generation, 2);
}

#[test]
fn what_the_file_lacks_is_removed() {
    let mut fake = web();
    let out = apply(&mut fake, "", "");
    assert_eq!(
        out.lines().take(5).collect::<Vec<_>>(),
        [
            "- pool web",
            "- ghost 192.0.2.80",
            "- server web/s1",
            "- server web/s2",
            "- server web/s3"
        ]
    );
    assert!(fake.pools.is_empty());
}

#[test]
fn health_stays() {
    let mut fake = web();
    fake.done("down s1");
    let text = fake.done("save");
    assert!(!text.contains("down"), "{text}");
    apply(&mut fake, "", &text.replace("weight = 2", "weight = 3"));
    let name = |text| Name::new("name", text).unwrap();
    let web = &fake.pools[&name("web")];
    assert_eq!(web.servers[&name("s1")].1.health, Health::Down);
}

#[test]
fn dry_run() {
    let mut fake = web();
    let out = apply(&mut fake, "--dry-run", MAIL);
    assert!(out.contains("- pool web"), "{out}");
    assert!(out.contains("generation 1 digest "), "{out}");
    assert!(fake.applied[0].dry_run);
    let heavier = fake.done("save").replace("weight = 2", "weight = 9");
    let ran = fake.run_with("apply - --dry-run", &heavier, false);
    let note = "onehopctl: existing connections of moved clients would stay where they began for \
                net.onehop.transition_seconds\n";
    assert_eq!((ran.code, &*ran.err), (0, note));
    assert_eq!((fake.generation, fake.pools.len()), (1, 1));
}

#[test]
fn a_dry_run_needs_no_module() {
    let mut fake = Fake {
        absent: true,
        ..Fake::default()
    };
    let text = MAIL.to_owned() + "start-down = true\n";
    let ran = fake.run_with("apply - --dry-run", &text, false);
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("/dev/onehop: not there"), "{}", ran.err);
    assert!(
        ran.err.contains("compared with an empty state"),
        "{}",
        ran.err
    );
    assert!(ran.out.contains("+ pool mail"), "{}", ran.out);

    // The digest is the one that the module will have.
    let mut fake = Fake::default();
    apply(&mut fake, "", &text);
    assert!(
        ran.out.contains(&format!("{:016x}", fake.digest())),
        "{}",
        ran.out
    );

    fake.absent = true;
    assert_eq!(fake.run_with("apply -", &text, false).code, 3);
}

#[test]
fn expected_generation() {
    let mut fake = web();
    let ran = fake.run_with("apply - --expect 7", MAIL, false);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.err, "onehopctl: generation \"7\" must be 1\n");
    apply(&mut fake, "--expect 1", MAIL);
    let expected = Condition {
        expected: Some(1),
        ..Condition::default()
    };
    assert_eq!(fake.applied.last(), Some(&expected));
}

#[test]
fn files() {
    let mut fake = web();
    let missing = "/nowhere/onehop.conf";
    let why = fake.refused(&format!("apply {missing}"));
    assert_eq!(
        why,
        format!("{missing}: No such file or directory (os error 2)")
    );
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/onehop.conf");
    let out = fake.done(&format!("apply {example}"));
    assert!(out.contains("+ ghost 2001:db8::80: pool web\n"), "{out}");
    let s2 = "~ server web/s2: address6 none -> 2001:db8::2, weight 1 -> 2\n";
    assert!(out.contains(s2), "{out}");
    let why = fake.refused("apply /bin/true");
    assert!(why.starts_with("/bin/true: must be UTF-8"), "{why}");
    let why = fake.refused("apply /dev/zero");
    assert!(why.starts_with("/dev/zero: longer than 256 MiB"), "{why}");
}

#[test]
fn saved() {
    let mut fake = web();
    fake.done("server add s.4 10.0.0.4 --start-down --admin drain");
    fake.done("pool add m --kind mod --policy reject --prefix4 24 --prefix6 56");
    assert_eq!(
        fake.done("save"),
        r#"[pool.m]
mode = "router"
method = "track"
kind = "mod"
prefix4 = 24
prefix6 = 56
policy = "reject"
ghosts = []

[pool.web]
mode = "router"
method = "track"
kind = "hash"
seed = "00112233445566778899aabbccddeeff"
rows = 1024
prefix4 = 32
prefix6 = 64
policy = "drop"
ghosts = ["192.0.2.80"]

[pool.web.server."s.4"]
id = 0
address = "10.0.0.4"
weight = 1
admin = "drain"
start-down = true

[pool.web.server.s1]
id = 1
address = "10.0.0.1"
weight = 1
admin = "up"

[pool.web.server.s2]
id = 2
address = "10.0.0.2"
weight = 1
admin = "up"

[pool.web.server.s3]
id = 3
address = "10.0.0.3"
weight = 2
admin = "up"
"#
    );
}
