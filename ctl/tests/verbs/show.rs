// SPDX-License-Identifier: GPL-2.0
//! show, dump

use serde_json::{json, Value};

use crate::fake::Fake;
use crate::run::web;

fn with_history() -> Fake {
    let mut fake = web();
    fake.done("down s2 --reason no-answer --actor watchd.sh(123)");
    fake.done("server set s3 --admin drain --now --reason kernel");
    fake
}

fn digest_of_web(fake: &mut Fake) -> String {
    let out = fake.done("dump");
    let line = out.lines().find(|line| line.starts_with("pool\tweb\t"));
    line.unwrap().split('\t').nth(9).unwrap().to_owned()
}

#[test]
fn for_people() {
    let mut fake = with_history();
    let pool = digest_of_web(&mut fake);
    let expected = format!(
        "\
generation 3, digest {:016x}, enabled

pool web: router by track, hash over 1024 rows, clients by /32 and /64, drop if no server lives, digest {pool}
  ghosts 192.0.2.80
  server  id  state          weight  address   via   last change
  s1       1  up                  1  10.0.0.1  eth1  never
  s2       2  down (health)       1  10.0.0.2  eth1  1 min ago by watchd.sh(123): no-answer
  s3       3  drain               2  10.0.0.3  eth1  1 min ago by cargo(7): kernel
",
        fake.digest()
    );
    assert_eq!(fake.done("show"), expected);
}

#[test]
fn bare_is_show() {
    let mut fake = with_history();
    assert_eq!(fake.done(""), fake.done("show"));
    assert_eq!(fake.done("-j"), fake.done("show -j"));
}

#[test]
fn nothing_to_show() {
    let mut fake = Fake::default();
    let out = fake.done("show");
    assert_eq!(out.lines().last(), Some("no pools"));
    fake.done("pool add web --kind mod");
    let out = fake.done("show");
    let lines: Vec<_> = out.lines().skip(3).collect();
    assert_eq!(lines, ["  no ghosts", "  no servers"]);
}

#[test]
fn one_pool() {
    let mut fake = web();
    fake.done("pool add mail --kind mod");
    assert!(fake.done("show").contains("pool mail"));
    let out = fake.done("show web");
    assert!(
        out.contains("pool web") && !out.contains("pool mail"),
        "{out}"
    );
    let why = fake.refused("show wob");
    assert_eq!(why, "pool \"wob\" is not there: there is \"mail\", \"web\"");
}

#[test]
fn statistics() {
    let mut fake = web();
    let out = fake.done("show -s");
    let head = out
        .lines()
        .find(|line| line.contains("last change"))
        .unwrap();
    assert!(head.contains("packets  bytes"), "{head}");
    assert!(out.contains("\nseen                 100\n"), "{out}");
    assert!(out.contains("\ndrop_not_dispatched  108\n"), "{out}");
}

#[test]
fn colours_only_where_asked_for() {
    let mut fake = with_history();
    assert!(!fake.done("show").contains('\x1b'));
    let ran = fake.run_with("show", "", true);
    assert!(
        ran.out.contains("\x1b[31mdown (health)\x1b[0m"),
        "{}",
        ran.out
    );
    // Without the colours it is the same text.
    let mut plain = ran.out;
    for code in ["\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m"] {
        plain = plain.replace(code, "");
    }
    assert_eq!(plain, fake.done("show"));
}

#[test]
fn for_machines() {
    let mut fake = with_history();
    let out: Value = serde_json::from_str(&fake.done("show -j")).unwrap();
    let digest = |digest: u64| format!("{digest:016x}");
    let changed = |actor: &str, reason: &str| json!({ "at": "2023-11-14T22:13:20.000000000Z", "actor": actor, "reason": reason });
    let server = |id: u16, weight: u16, states: [&str; 3], changed: Value| {
        json!({
            "name": format!("s{id}"), "id": id, "address": format!("10.0.0.{id}"),
            "address6": null, "reach6": null, "device6": null, "this_host": false,
            "weight": weight, "admin": states[0], "health": states[1], "state": states[2],
            "reach": "link", "device": "eth1", "changed": changed, "packets": 0, "bytes": 0,
            "leaving": false, "drain_left": null, "table_rows": null,
        })
    };
    let expected = json!({
        "abi": 4, "enabled": true, "generation": 3, "digest": digest(fake.digest()),
        "answer": false, "devices": [],
        "pools": [{
            "name": "web", "mode": "router", "shape": null, "method": "track", "kind": "hash", "rows": 1024,
            "seed": "00112233445566778899aabbccddeeff", "prefix4": 32, "prefix6": 64,
            "policy": "drop", "digest": digest_of_web(&mut fake), "ghosts": ["192.0.2.80"], "router_needs": [],
            "tracked": 0, "older": [], "overrides": 0,
            "servers": [
                server(1, 1, ["up", "up", "up"], Value::Null),
                server(2, 1, ["up", "down", "down"], changed("watchd.sh(123)", "no-answer")),
                server(3, 2, ["drain", "up", "drain"], changed("cargo(7)", "kernel")),
            ],
        }],
    });
    assert_eq!(out, expected);
}

#[test]
fn columns() {
    let mut fake = with_history();
    let out = fake.done("dump");
    let digest = format!("{:016x}", fake.digest());
    let lines: Vec<Vec<_>> = out.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines[0], ["state", "3", &digest, "off"]);
    let seed = "00112233445566778899aabbccddeeff";
    let pool = [
        "pool", "web", "router", "hash", "drop", "32", "64", "1024", seed,
    ];
    assert_eq!(lines[1][..9], pool);
    assert_eq!(lines[1][9].len(), 16);
    assert_eq!(lines[1][10..], ["-", "track", "0"]);
    assert_eq!(lines[2], ["ghost", "web", "192.0.2.80"]);
    let s1 = "server web s1 1 10.0.0.1 1 up up up link eth1 false 0 0 0 - - - - - false -";
    assert_eq!(lines[3], s1.split(' ').collect::<Vec<_>>());
    let s2 = "server web s2 2 10.0.0.2 1 up down down link eth1 false 0 0 1700000000000000000 \
              watchd.sh(123) no-answer - - - false -";
    assert_eq!(lines[4], s2.split(' ').collect::<Vec<_>>());
    assert_eq!(lines.len(), 6);
}
