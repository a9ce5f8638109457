// SPDX-License-Identifier: GPL-2.0
//! What is said of a pool in transition: show, dump, save, lookup, metrics, monitor.

use onehop_uapi::{Author, Event, Name, What};
use serde_json::{json, Value};

use crate::fake::{Fake, NOW};
use crate::run::web;

fn name(text: &str) -> Name {
    Name::new("name", text).unwrap()
}

/// s3 drains for a minute, and s1 has left for good.
fn in_transition() -> Fake {
    let mut fake = web();
    fake.done("server del s1 --for none");
    fake.done("drain s3 --for 60s");
    fake.pools.get_mut(&name("web")).unwrap().tracked = 5;
    fake
}

/// The lines of dump that begin with a word, in columns.
fn lines(fake: &mut Fake, word: &str) -> Vec<Vec<String>> {
    let out = fake.done("dump");
    let lines = out.lines().map(|line| line.split('\t').map(str::to_owned));
    let lines = lines.map(Iterator::collect::<Vec<_>>);
    lines.filter(|line| line[0] == word).collect()
}

#[test]
fn for_people() {
    let mut fake = in_transition();
    let out = fake.done("show");
    for line in [
        "  s1       1  leaving                 1  10.0.0.1  eth1  never",
        "  s2       2  up                      1  10.0.0.2  eth1  never",
        "  s3       3  drain, 1 min left       2  10.0.0.3  eth1  1 min ago by cargo(7)",
        "  in transition, 3 functions, 5 connections noted",
    ] {
        assert!(out.lines().any(|it| it == line), "{line}\n{out}");
    }
    let older: Vec<_> = out
        .lines()
        .skip_while(|it| !it.contains("older function"))
        .collect();
    let words = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        words(older[0]),
        ["older", "function", "ends", "in", "moved", "connections"]
    );
    assert_eq!(words(older[1])[1..3], ["1", "min"]);
    assert_eq!(words(older[2])[1..5], ["never,", "but", "by", "commit"]);
    assert!(older[1].ends_with(" %     about 17"), "{}", older[1]);
    assert_eq!(older.len(), 3);

    // Not noted by anybody.
    fake.done("pool set web --mode peer");
    let out = fake.done("show");
    assert!(out.contains("\n  in transition, 3 functions\n"), "{out}");
    fake.done("commit");
    assert!(!fake.done("show").contains("transition"));
}

#[test]
fn for_scripts() {
    let mut fake = in_transition();
    let older = lines(&mut fake, "older");
    assert_eq!(older.len(), 2);
    assert_eq!(older[0][1..3], ["web", "1"]);
    assert_eq!(older[0][4..6], ["60000", "17"]);
    assert_eq!(older[1][1..3], ["web", "2"]);
    assert_eq!(older[1][4..6], ["-", "17"]);
    assert!(older[1][6].parse::<u32>().unwrap() > 200_000);
    assert_eq!(lines(&mut fake, "pool")[0][10..], ["-", "track", "5"]);
    let servers = lines(&mut fake, "server");
    let ends: Vec<_> = servers.iter().map(|line| line[20..].join(" ")).collect();
    assert_eq!(ends, ["true -", "false -", "false 60"]);
    assert_eq!(servers[0][2], "s1");

    let out: Value = serde_json::from_str(&fake.done("show -j")).unwrap();
    let pool = &out["pools"][0];
    assert_eq!(
        (&pool["tracked"], &pool["method"]),
        (&json!(5), &json!("track"))
    );
    let expected = |line: &[String], remaining: Value| {
        let moved: u32 = line[6].parse().unwrap();
        json!({ "digest": line[3], "remaining_ms": remaining, "flows": 17, "moved_ppm": moved })
    };
    let expected = [
        expected(&older[0], json!(60_000)),
        expected(&older[1], Value::Null),
    ];
    assert_eq!(pool["older"], json!(expected));
    assert_eq!(pool["servers"][0]["leaving"], true);
    assert_eq!(pool["servers"][2]["drain_left"], 60);
}

#[test]
fn who_leaves_is_not_saved() {
    let mut fake = in_transition();
    let text = fake.done("save");
    assert!(!text.contains("s1"), "{text}");
    let ran = fake.run_with("apply -", &text, false);
    assert_eq!((ran.code, &*ran.out), (0, "already so\n"));
}

#[test]
fn looked_up() {
    let mut fake = web();
    fake.done("server del s3");
    let clients: Vec<_> = (0..64).map(|n| format!("198.51.100.{n}")).collect();
    let clients = clients.join(" ");
    let (mut moved, mut stayed) = (0, 0);
    for line in fake.done(&format!("lookup {clients}")).lines() {
        let owner = line.split(' ').next().unwrap();
        match line.split_once("; ") {
            Some((_, rest)) => {
                let expected = format!(
                    "new connections -> {owner}; existing ones stay on s3 (track); \
                     all but TCP -> s3"
                );
                assert_eq!(rest, expected);
                moved += 1;
            }
            None => stayed += 1,
        }
    }
    assert!(moved > 16 && stayed > 16, "{moved} {stayed}");
    let out: Value = serde_json::from_str(&fake.done(&format!("-j lookup {clients}"))).unwrap();
    let found = out.as_array().unwrap();
    let with = |moves: bool| found.iter().find(|it| it["moves"] == moves).unwrap();
    assert_eq!(with(true)["older"], json!(["s3"]));
    assert_eq!(with(true)["oldest"], "s3");
    assert_eq!(with(false)["older"], json!([]));
    assert_eq!(with(false)["oldest"], with(false)["owner"]);

    // A way of their own: the servers' sockets.
    fake.done("pool set web --mode peer");
    let out = fake.done(&format!("lookup {clients}"));
    assert!(out.contains("existing ones stay on s3 (sockets)"), "{out}");
    // Nobody is left but who leaves.
    fake.done("server del s1");
    fake.done("server del s2");
    let out = fake.done("lookup 198.51.100.1");
    assert!(
        out.starts_with("none: no server lives, policy drop; new connections -> nobody; "),
        "{out}"
    );
}

#[test]
fn measured() {
    let mut fake = in_transition();
    let moved = lines(&mut fake, "older")[1][6].clone();
    let out = fake.done("metrics");
    for line in [
        "onehop_pool_functions{pool=\"web\"} 3",
        "onehop_pool_tracked{pool=\"web\"} 5",
        "onehop_older_flows{pool=\"web\",age=\"2\"} 17",
        "onehop_older_remaining_seconds{pool=\"web\",age=\"1\"} 60",
        &format!("onehop_older_moved_ppm{{pool=\"web\",age=\"2\"}} {moved}"),
        "onehop_server_leaving{pool=\"web\",server=\"s1\"} 1",
        "onehop_server_leaving{pool=\"web\",server=\"s2\"} 0",
        "onehop_server_drain_seconds{pool=\"web\",server=\"s3\"} 60",
        "onehop_drops_total{reason=\"unclaimed\"} 115",
        "onehop_packets_total{counter=\"untracked\"} 126",
    ] {
        assert!(out.lines().any(|it| it == line), "{line}\n{out}");
    }
    let endless = "onehop_older_remaining_seconds{pool=\"web\",age=\"2\"}";
    assert!(!out.contains(endless), "{out}");

    // A successor of the same name, with another id: the samples stay unique.
    fake.done("server add s1 10.0.0.1 --id 9");
    let out = fake.done("metrics");
    let mut samples: Vec<_> = out.lines().map(|line| line.split(' ').next()).collect();
    samples.retain(|it| *it != Some("#"));
    let all = samples.len();
    samples.sort_unstable();
    samples.dedup();
    assert_eq!(samples.len(), all);
}

#[test]
fn watched() {
    let mut fake = web();
    let event = |what, server| Event {
        time: NOW,
        generation: 4,
        what,
        pool: Some(name("web")),
        server,
        author: Author::default(),
    };
    fake.events.extend([
        event(What::Begun(2), None),
        event(What::Ending(300), None),
        event(What::TrackFull(65536), None),
        event(What::Retired(1), None),
        event(What::Drained, Some(name("s2"))),
    ]);
    let events = fake.events.clone();
    assert_eq!(
        fake.done("monitor --count 5"),
        "\
2023-11-14T22:13:20.000Z 4 web begun 2 functions now
2023-11-14T22:13:20.000Z 4 web ending 300 connections left
2023-11-14T22:13:20.000Z 4 web track_full 65536 connections noted: more go to the oldest owner
2023-11-14T22:13:20.000Z 4 web retired 1 functions now
2023-11-14T22:13:20.000Z 4 web/s2 drained
"
    );
    fake.events = events;
    let out = fake.done("monitor -j --count 5");
    let lines = out.lines().map(|it| serde_json::from_str(it).unwrap());
    let lines: Vec<Value> = lines.collect();
    let pairs: Vec<_> = lines.iter().map(|it| (&it["type"], &it["value"])).collect();
    let expected = json!([
        ["begun", 2],
        ["ending", 300],
        ["track_full", 65536],
        ["retired", 1],
        ["drained", null]
    ]);
    assert_eq!(json!(pairs), expected);
    assert_eq!(lines[0]["pool"], "web");
    assert_eq!(lines[0]["server"], Value::Null);
}
