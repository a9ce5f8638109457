// SPDX-License-Identifier: GPL-2.0
//! plan: what a change would do, and that it does it then.

use serde_json::{json, Value};

use crate::run::web;

/// What is planned of a change: then it is made, and has to be so.
#[track_caller]
fn planned(before: &[&str], change: &str) -> Value {
    let mut fake = web();
    fake.transition_seconds = Some(300);
    for arguments in before {
        fake.done(arguments);
    }
    let (generation, dump) = (fake.generation, fake.done("dump"));
    let plan: Value = serde_json::from_str(&fake.done(&format!("-j plan {change}"))).unwrap();
    assert_eq!((fake.generation, fake.done("dump")), (generation, dump));
    let done: Value = serde_json::from_str(&fake.done(&format!("-j {change}"))).unwrap();
    for field in [
        "changed",
        "digest",
        "moved_ppm",
        "diff",
        "connections",
        "until",
    ] {
        assert!(
            plan[field] == done[field] || (plan[field].is_null() && change == "abort"),
            "{change}: {field}: {} {}",
            plan[field],
            done[field]
        );
    }
    // What was foretold of the pool stands in the dump.
    let dump = fake.done("dump");
    let digest = dump.lines().find(|it| it.starts_with("pool\tweb\t"));
    let digest = digest.map(|line| line.split('\t').nth(9).unwrap());
    for pool in plan["pools"].as_array().unwrap() {
        assert_eq!(pool["digest"].as_str(), digest, "{change}");
    }
    plan
}

/// Parts per million of the clients of a server, before and after.
fn load(plan: &Value, server: &str) -> (Option<u64>, Option<u64>) {
    let servers = plan["pools"][0]["servers"].as_array().unwrap();
    let it = servers.iter().find(|it| it["server"] == server).unwrap();
    (it["before_ppm"].as_u64(), it["after_ppm"].as_u64())
}

#[test]
fn each_verb() {
    let plan = planned(&[], "down s3");
    let (before, after) = load(&plan, "s3");
    assert!((450_000..550_000).contains(&before.unwrap()), "{before:?}");
    assert_eq!(after, Some(0));
    assert_eq!(plan["pools"][0]["moved_ppm"].as_u64(), before);
    assert_eq!(plan["pools"][0]["functions"], 1);
    assert_eq!(plan["pools"][0]["functions_most"], 8);
    let shares = ["s1", "s2"].map(|it| load(&plan, it).1.unwrap());
    assert!(
        (999_998..=1_000_000).contains(&shares.iter().sum::<u64>()),
        "{shares:?}"
    );

    let plan = planned(&["down s3"], "up s3 --for 5m");
    assert_eq!(load(&plan, "s3").0, Some(0));
    let plan = planned(&[], "drain s1 --for 60");
    assert_eq!(load(&plan, "s1").1, Some(0));
    assert_eq!(plan["connections"], "stay");
    planned(&["drain s1"], "undrain s1");
    let plan = planned(&["drain s1"], "server set s2 --weight 3");
    assert_eq!(plan["pools"][0]["functions"], 2);
    assert_eq!(plan["diff"], json!(["~ server web/s2: weight 1 -> 3"]));
    let plan = planned(&[], "server add s4 10.0.0.4 --weight 4");
    assert_eq!(load(&plan, "s4").0, None);
    assert!(load(&plan, "s4").1.unwrap() > 400_000);
    let plan = planned(&[], "server add s4 10.0.0.4 --start-down");
    assert_eq!(load(&plan, "s4"), (None, Some(0)));
    assert_eq!(plan["pools"][0]["moved_ppm"], 0);
    let plan = planned(&[], "server del s2");
    assert_eq!(load(&plan, "s2").1, None);
    planned(&[], "server del s2 --now");
    let plan = planned(&[], "pool set web --rows 2048 --now");
    assert_eq!(plan["connections"], "move");
    planned(&["server set s3 --weight 1"], "pool set web --kind mod");
    assert_eq!(planned(&[], "ghost add 192.0.2.81")["pools"], json!([]));
    assert_eq!(planned(&[], "device add eth1")["pools"], json!([]));
    assert_eq!(planned(&[], "up s1")["changed"], false);
    planned(&[], "pool del web");
}

#[test]
fn abort() {
    assert_eq!(planned(&[], "abort")["changed"], false);
    let plan = planned(&["server set s1 --weight 5 --for none"], "abort");
    let (before, after) = load(&plan, "s1");
    assert!(
        before.unwrap() > 500_000 && after.unwrap() < 350_000,
        "{before:?} {after:?}"
    );
    assert_eq!(plan["pools"][0]["functions"], 2);
}

#[test]
fn a_kind_without_rows() {
    let before = [
        "pool del web",
        "pool add web --kind mod",
        "server add s1 10.0.0.1",
    ];
    let plan = planned(&before, "server add s2 10.0.0.2");
    let moved = plan["pools"][0]["moved_ppm"].as_u64().unwrap();
    assert!((490_000..510_000).contains(&moved), "{moved}");
    assert_eq!(load(&plan, "s1").0, Some(1_000_000));
}

#[test]
fn a_file() {
    let mut fake = web();
    let text = fake.done("save").replace("weight = 2", "weight = 4");
    let ran = fake.run_with("plan apply -", &text, false);
    let lines: Vec<_> = ran.out.lines().collect();
    assert_eq!(lines[0], "~ server web/s3: weight 2 -> 4");
    assert!(lines[1].starts_with("generation 1 digest "), "{}", lines[1]);
    assert_eq!(lines[2], "");
    assert!(lines[3].starts_with("pool web: "), "{}", lines[3]);
    assert!(
        lines[3].contains(" % of its clients move, digest "),
        "{}",
        lines[3]
    );
    assert!(
        lines[3].ends_with(", 1 of 8 functions taken"),
        "{}",
        lines[3]
    );
    let words = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(words(lines[4]), ["server", "weight", "before", "after"]);
    assert_eq!(words(lines[7])[..2], ["s3", "4"]);
    let note = "onehopctl: existing connections of moved clients would stay where they began for \
                net.onehop.transition_seconds\n";
    assert_eq!((ran.code, &*ran.err), (0, note));

    // It works without the module, against an empty state.
    fake.absent = true;
    let ran = fake.run_with("plan apply -", &text, false);
    assert_eq!(ran.code, 0);
    assert!(
        ran.out.contains("\npool web: is new, digest "),
        "{}",
        ran.out
    );
}

#[test]
fn others_are_faster() {
    let mut fake = web();
    fake.races = 3;
    assert!(fake.done("plan down s1 --pool web").contains("moved"));
    assert_eq!(fake.races, 0);
    fake.races = u32::MAX;
    let why = "others change the state all the time: given up after 10 tries";
    assert_eq!(fake.refused("plan down s1 --pool web"), why);
}
