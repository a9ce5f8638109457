// SPDX-License-Identifier: GPL-2.0
//! analyze by the module's pool, and plan by a log.

use serde_json::Value;

use crate::fake::Fake;
use crate::run::web;

/// A hundred requests of as many clients, and fifty of one.
fn log() -> String {
    let many = (0..100).map(|number| format!("192.0.2.{number}\n"));
    many.collect::<String>() + &"198.51.100.1\n".repeat(50)
}

#[track_caller]
fn run(fake: &mut Fake, arguments: &str) -> Value {
    let ran = fake.run_with(arguments, &log(), false);
    assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn the_pool_that_the_module_has() {
    let report = run(&mut web(), "-j analyze -");
    assert_eq!(
        (&report["pool"], &report["kind"]),
        (&"web".into(), &"hash".into())
    );
    assert_eq!(
        (&report["rows"], &report["load"]),
        (&1024.into(), &150.into())
    );
    let servers = report["servers"].as_array().unwrap();
    let names = servers.iter().map(|it| it["server"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["s1", "s2", "s3"]);
    assert_eq!(report["heavy_clients"][0]["prefix"], "198.51.100.1/32");

    let mut fake = web();
    fake.absent = true;
    let ran = fake.run_with("analyze -", &log(), false);
    assert_eq!(ran.code, 3);
    assert!(
        ran.err.ends_with("; give --config FILE or --servers N\n"),
        "{}",
        ran.err
    );
    let ran = fake.run_with("analyze --servers 2 -", &log(), false);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    assert_eq!(
        Fake::default().refused("analyze -"),
        "there is no pool yet: add one with onehopctl pool add"
    );
}

/// By the owners that lookup tells of each request, before and after.
#[test]
fn a_plan_by_a_log() {
    let mut fake = web();
    let owners = |fake: &mut Fake| -> Vec<String> {
        let log = log();
        let clients: Vec<_> = log.lines().collect();
        let answers = fake.done(&format!("-j lookup {}", clients.join(" ")));
        let answers: Value = serde_json::from_str(&answers).unwrap();
        let owner = |it: &Value| it["owner"].as_str().unwrap().to_owned();
        answers.as_array().unwrap().iter().map(owner).collect()
    };
    let before = owners(&mut fake);
    let plan = run(&mut fake, "-j plan --log - server set s1 --weight 7");
    fake.done("server set s1 --weight 7 --now");
    let after = owners(&mut fake);
    let ppm = |count: usize| count as u64 * 1_000_000 / 150;
    let moved = before.iter().zip(&after).filter(|(a, b)| a != b).count();
    assert!(moved > 10, "{moved}");
    let pool = &plan["pools"][0];
    assert_eq!(
        pool["log"],
        serde_json::json!({ "requests": 150, "moved_ppm": ppm(moved) })
    );
    for server in pool["servers"].as_array().unwrap() {
        let name = server["server"].as_str().unwrap();
        let share = |owners: &[String]| ppm(owners.iter().filter(|it| *it == name).count());
        assert_eq!(server["log"]["before_ppm"], share(&before), "{name}");
        assert_eq!(server["log"]["after_ppm"], share(&after), "{name}");
    }
}

#[test]
fn a_plan_by_a_log_for_people() {
    let mut fake = web();
    let ran = fake.run_with("plan --log - down s3", &(log() + "nonsense\n"), false);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.err
            .contains("of the log, left out: lines 1 with a name"),
        "{}",
        ran.err
    );
    assert!(
        ran.out.contains(" % of the log's 150 requests, digest "),
        "{}",
        ran.out
    );
    let heads = ran
        .out
        .lines()
        .find(|line| line.contains("server  "))
        .unwrap();
    assert!(
        heads.ends_with("before      after  log before  log after"),
        "{heads}"
    );

    // What moves nobody needs no log.
    let ran = fake.run_with("plan --log - ghost add 192.0.2.81", "", false);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    let why = fake.refused("plan --log /nowhere/log down s3");
    assert_eq!(
        why,
        "\"/nowhere/log\" cannot be read: No such file or directory (os error 2)"
    );
    fake.done("server set s1 --weight 5 --for none");
    assert!(fake
        .refused("plan --log - abort")
        .ends_with(": leave out --log"));
    // A pool that is new has a load, but nothing moves.
    let mut fake = Fake::default();
    let text = web().done("save");
    let dir = env!("CARGO_TARGET_TMPDIR");
    let file = format!("{dir}/plan-by-log.conf");
    std::fs::write(&file, text).unwrap();
    let plan = run(&mut fake, &format!("-j plan --log - apply {file}"));
    assert_eq!(plan["pools"][0]["log"]["moved_ppm"], Value::Null);
    assert_eq!(
        plan["pools"][0]["servers"][0]["log"]["before_ppm"],
        Value::Null
    );
    assert!(plan["pools"][0]["servers"][0]["log"]["after_ppm"].as_u64() > Some(0));
}
