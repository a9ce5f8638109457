// SPDX-License-Identifier: GPL-2.0
//! Command lines that are wrong, and all verbs without the module.

use crate::run::web;

#[test]
fn usage() {
    let mut fake = web();
    let wrong = [
        "frobnicate",
        "up",
        "up s1 s2",
        "up a/b",
        "ghost",
        "ghost add 2001:db8::g",
        "server add s1",
        "server add s1 10.0.0.1 10.0.0.2 10.0.0.3",
        "server set s1 --address 2001:db8::1",
        "server set s1 --address6 10.0.0.1",
        "pool add web --mode anycast",
        "pool add web --shape star",
        "device",
        "device add a/b",
        "device add sixteen-letters!",
        "answer",
        "answer maybe",
        "pool add web --kind hush",
        "pool add web --seed 12",
        "server add s1 10.0.0.300",
        "server set s1 --admin away",
        "apply",
        "lookup",
        "lookup example.org",
        "lookup 1.2.3.4 --pool web --ghost 192.0.2.80",
        "drain",
        "drain s1 --for 8d",
        "up s1 --for 0",
        "down s1 --for 5m",
        "apply /dev/null --for 5m --now",
        "extend",
        "extend --for x",
        "commit s1",
        "pool set web --method trick",
        "plan",
        "plan lookup 1.2.3.4",
        "plan commit",
    ];
    for arguments in wrong {
        let ran = fake.run(arguments);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{arguments}");
        assert!(ran.err.contains("--help"), "{}", ran.err);
    }
    let ran = fake.run("server set s1 --admin away");
    assert!(
        ran.err
            .contains("admin \"away\" must be up or drain or down"),
        "{}",
        ran.err
    );
    let ran = fake.run("drain s1 --for 5x");
    let why = "time \"5x\" must be from 1s to 7d, as in 90, 90s, 5m, 1h, 2d, or none";
    assert!(ran.err.contains(why), "{}", ran.err);
    let ran = fake.run("answer maybe");
    let why = "answer \"maybe\" must be on or off";
    assert!(ran.err.contains(why), "{}", ran.err);
    assert_eq!(fake.run("--help").code, 0);
}

#[test]
fn without_the_module() {
    let mut fake = web();
    fake.absent = true;
    let verbs = [
        "",
        "show",
        "dump",
        "save",
        "ghost add 192.0.2.1",
        "pool add web",
        "server del s1",
        "up s1",
        "down s1 --pool web",
        "drain s1",
        "undrain s1 --pool web",
        "commit",
        "abort --pool web",
        "extend --for 5m --pool web",
        "plan down s1",
        "plan server del s1",
        "plan abort",
        "device add eth0",
        "answer on",
        "lookup 192.0.2.1",
        "stats",
        "metrics",
        "monitor",
        "apply /dev/null",
    ];
    let why = "onehopctl: /dev/onehop: not there; load the module first: modprobe onehop\n";
    for verb in verbs {
        let ran = fake.run(verb);
        assert_eq!((ran.code, &*ran.out, &*ran.err), (3, "", why), "{verb}");
    }
}
