// SPDX-License-Identifier: GPL-2.0
//! stats, metrics, monitor, version

use onehop_uapi::{Author, Counter, Event, Reach, What};
use serde_json::Value;

use crate::fake::{Fake, NOW};
use crate::run::web;

#[test]
fn stats() {
    let mut fake = web();
    let out = fake.done("stats");
    assert_eq!(out.lines().next(), Some("seen\t100"));
    assert!(out.contains("\ndrop_ttl\t110\n"), "{out}");
    assert_eq!(out.lines().count(), Counter::COUNT);
    let out: Value = serde_json::from_str(&fake.done("stats -j")).unwrap();
    assert_eq!(out["drop_no_server"], 104);

    fake.counters.push(7);
    let out = fake.done("stats");
    let last = format!("counter_{}\t7", Counter::COUNT);
    assert_eq!(out.lines().last(), Some(&*last));
    fake.counters.truncate(2);
    assert_eq!(fake.done("stats"), "seen\t100\nhanded\t101\n");
}

#[test]
fn metrics() {
    let mut fake = web();
    fake.done("down s2");
    fake.done("device add eth1");
    fake.done("device add \"odd\"");
    fake.done("answer on");
    let out = fake.done("metrics");
    for line in [
        "onehop_info{version=\"0.1.0\",abi=\"4\"} 1",
        "onehop_enabled 1",
        "onehop_answer 1",
        "onehop_generation 4",
        "onehop_packets_total{counter=\"seen\"} 100",
        "onehop_packets_total{counter=\"local\"} 102",
        "onehop_drops_total{reason=\"disabled\"} 103",
        "onehop_server_up{pool=\"web\",server=\"s1\"} 1",
        "onehop_server_up{pool=\"web\",server=\"s2\"} 0",
        "onehop_server_reachable{pool=\"web\",server=\"s2\"} 1",
        "onehop_server_weight{pool=\"web\",server=\"s3\"} 2",
        "onehop_server_packets_total{pool=\"web\",server=\"s3\"} 0",
        "onehop_server_bytes_total{pool=\"web\",server=\"s3\"} 0",
        "onehop_packets_total{counter=\"guarded\"} 121",
        "onehop_device_present{device=\"eth1\"} 1",
        "onehop_device_present{device=\"\\\"odd\\\"\"} 0",
    ] {
        assert!(out.lines().any(|it| it == line), "{line}\n{out}");
    }
    // The exposition format: a family is announced, then all of its samples follow.
    let mut family = "";
    for line in out.lines() {
        match line.strip_prefix("# TYPE ") {
            Some(announced) => family = announced.split(' ').next().unwrap(),
            None if line.starts_with("# HELP ") => {}
            None => {
                let name = line.split(['{', ' ']).next().unwrap();
                assert_eq!(name, family);
                let value = line.rsplit(' ').next().unwrap();
                assert!(value.parse::<u64>().is_ok(), "{line}");
            }
        }
    }
}

#[test]
fn monitor() {
    let mut fake = web();
    fake.done("down s2 --reason no-answer --actor w(1)");
    fake.done("server set s1 --weight 7 --reason busy");
    let event = |what| Event {
        time: NOW + 1_234_567,
        generation: 3,
        what,
        pool: None,
        server: None,
        author: Author::default(),
    };
    fake.events.push_back(event(What::Lost(17)));
    fake.events.push_back(Event {
        pool: Some(fake.pools.keys().next().copied().unwrap()),
        server: onehop_uapi::Name::new("name", "s1").ok(),
        ..event(What::Reach(Reach::Unreachable))
    });
    let events = fake.events.clone();
    assert_eq!(
        fake.done("monitor --count 4"),
        "\
2023-11-14T22:13:20.000Z 2 web/s2 health down by w(1): no-answer
2023-11-14T22:13:20.000Z 3 applied by cargo(7): busy
2023-11-14T22:13:20.001Z 3 lost 17 events: this reader is too slow
2023-11-14T22:13:20.001Z 3 web/s1 reach unreachable
"
    );
    fake.events = events;
    let out = fake.done("monitor -j --count 3");
    let lines: Vec<Value> = out
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    assert_eq!(lines[0]["type"], "health");
    assert_eq!(lines[0]["value"], "down");
    assert_eq!(lines[0]["pool"], "web");
    assert_eq!(lines[0]["server"], "s2");
    assert_eq!(lines[0]["actor"], "w(1)");
    assert_eq!(lines[0]["reason"], "no-answer");
    assert_eq!(lines[1]["value"], Value::Null);
    assert_eq!(lines[2]["value"], 17);
    assert_eq!(fake.done("monitor --count 0"), "");
}

#[test]
fn version() {
    let mut fake = web();
    let out = fake.done("version");
    assert_eq!(out, "onehopctl 0.1.0 (abi 4)\nmodule 0.1.0 (abi 4)\n");
    let mut fake = Fake {
        absent: true,
        ..Fake::default()
    };
    let out = fake.done("version");
    assert!(
        out.contains("\nmodule unknown (/dev/onehop: not there"),
        "{out}"
    );
    let out: Value = serde_json::from_str(&fake.done("version -j")).unwrap();
    assert_eq!(out["module"], Value::Null);
    assert_eq!(out["abi"], 4);
}
