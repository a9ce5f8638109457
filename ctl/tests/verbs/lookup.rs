// SPDX-License-Identifier: GPL-2.0
//! lookup

use serde_json::{json, Value};

use crate::fake::Fake;
use crate::run::web;

/// Client address modulo 3 names the server.
fn modulo() -> Fake {
    let mut fake = Fake::default();
    fake.done("pool add web --kind mod --policy reject");
    fake.done("ghost add 192.0.2.80");
    for id in 0..3 {
        fake.done(&format!(
            "server add s{id} 10.0.0.{} --id {id} --now",
            id + 1
        ));
    }
    fake
}

#[test]
fn the_papers_rule() {
    let mut fake = modulo();
    // 10.0.0.0 modulo 3 is 1.
    let out = fake.done("lookup 10.0.0.0 10.0.0.1 10.0.0.2");
    let owners: Vec<_> = out
        .lines()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(owners, ["s1", "s2", "s0"]);
    assert_eq!(out.lines().next(), Some("s1 (id 1) by mod, then s0 s2"));
    fake.done("down s1");
    // Modulo 2 among the others: 167772160 is even.
    assert_eq!(fake.done("lookup 10.0.0.0"), "s0 (id 0) by mod, then s2\n");
}

#[test]
fn draining_and_nobody() {
    let mut fake = modulo();
    for id in 0..3 {
        fake.done(&format!("server set s{id} --admin drain --now"));
    }
    let out = fake.done("lookup 10.0.0.0 --ghost 192.0.2.80");
    assert_eq!(out, "s1 (id 1, draining) by mod, then s0 s2\n");
    for id in 0..3 {
        fake.done(&format!("down s{id}"));
    }
    let out = fake.done("lookup 10.0.0.0");
    assert_eq!(out, "none: no server lives, policy reject\n");
    let out: Value = serde_json::from_str(&fake.done("lookup -j 10.0.0.0")).unwrap();
    let none = json!([{
        "client": "10.0.0.0", "pool": "web", "owner": null, "id": null, "verdict": "none",
        "kind": "mod", "rule": "mod", "override": null, "row": null, "runners_up": [], "moves": false, "older": [],
        "oldest": null, "method": "track"
    }]);
    assert_eq!(out, none);
}

#[test]
fn the_hash() {
    let mut fake = web();
    let out = fake.done("lookup 198.51.100.7");
    let pattern: Vec<_> = out.trim_end().split(' ').collect();
    let [owner, "(id", _, "by", "hash:", "row", row, "of", "1024,", "then", one, two] = pattern[..]
    else {
        panic!("{out}");
    };
    let mut all = [owner, one, two];
    let out: Value = serde_json::from_str(&fake.done("lookup -j 198.51.100.7")).unwrap();
    assert_eq!(out[0]["owner"], owner);
    assert_eq!(out[0]["row"], row.parse::<u32>().unwrap());
    assert_eq!(out[0]["runners_up"], json!([one, two]));
    assert_eq!(out[0]["verdict"], "up");

    // The successor takes over.
    fake.done(&format!("down {owner}"));
    assert!(fake.done("lookup 198.51.100.7").starts_with(one));
    all.sort_unstable();
    assert_eq!(all, ["s1", "s2", "s3"]);
}

#[test]
fn offline_agrees() {
    let mut fake = web();
    let clients: Vec<_> = (0..40)
        .map(|n| format!("198.51.{n}.7 2001:db8:0:{n:x}::1"))
        .collect();
    let clients = clients.join(" ");
    let online = fake.done(&format!("lookup {clients}"));
    let text = fake.done("save") + "start-down = true\n";
    fake.absent = true;
    let ran = fake.run_with(&format!("lookup --offline - {clients}"), &text, false);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    assert_eq!(ran.out, online);
}

#[test]
fn which_pool() {
    let mut fake = web();
    fake.done("pool add mail --kind mod");
    let which = fake.refused("lookup 192.0.2.1");
    assert_eq!(which, "--pool must be one of \"mail\", \"web\"");
    fake.done("lookup 192.0.2.1 --ghost 192.0.2.80");
    let out = fake.done("lookup 192.0.2.1 --pool mail");
    assert_eq!(out, "none: no server lives, policy drop\n");
    let ghost = fake.refused("lookup 192.0.2.1 --ghost 192.0.2.9");
    assert_eq!(ghost, "ghost \"192.0.2.9\" is not there");
}

#[test]
fn the_state_changes_meanwhile() {
    let mut fake = web();
    fake.races = 2;
    fake.done("lookup 192.0.2.1");
    assert_eq!(fake.races, 0);
    fake.races = u32::MAX;
    let why = fake.refused("lookup 192.0.2.1");
    assert_eq!(
        why,
        "others change the state all the time: given up after 10 tries"
    );
}
