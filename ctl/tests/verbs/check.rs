// SPDX-License-Identifier: GPL-2.0
//! check: what it says, and its exit code. What each check finds of which facts
//! stands beside it, in ctl/src/check/.

use serde_json::{json, Value};

use crate::fake::Fake;
use crate::host::{check, plain, told, without_module, Host, FILE};
use crate::run::{web, Ran};

#[test]
fn a_server_in_order() {
    let ran = plain(&mut Host::default());
    assert_eq!(
        (ran.code, &*ran.out, &*ran.err),
        (0, "no problem found\n", "")
    );
}

#[test]
fn it_needs_the_module_or_a_file() {
    let mut fake = without_module();
    let ran = check(&mut fake, &mut Host::default(), "", "");
    assert_eq!((ran.code, &*ran.out), (3, ""));
    let ran = check(&mut Fake::default(), &mut Host::default(), "", "");
    assert_eq!(
        (ran.code, told(&ran)),
        (1, vec!["problem no-pool: this host".into()])
    );
}

#[test]
fn a_problem_is_one_line_and_exit_code_1() {
    let mut host = Host::default();
    host.links[0]["addr_info"] = json!([]);
    let ran = plain(&mut host);
    assert_eq!((ran.code, &*ran.err), (1, "onehopctl: 2 problems found\n"));
    assert_eq!(
        ran.out,
        "problem ghost-missing: 192.0.2.80: this host is server s1 of pool web and does not have \
         the ghost; ip addr add 192.0.2.80/32 dev lo\n\
         problem ghost-missing: 2001:db8:2::80: this host is server s1 of pool web and does not \
         have the ghost; ip addr add 2001:db8:2::80/128 dev lo\n"
    );
}

#[test]
fn json_has_the_same() {
    let mut fake = without_module();
    let mut host = Host::default();
    let mut run = |host: &mut Host| check(&mut fake, host, "-j --config -", FILE);
    assert_eq!(run(&mut host).out, "[]\n");
    host.files.clear();
    let ran = run(&mut host);
    let findings: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(ran.code, 1);
    assert_eq!(
        findings[0],
        json!({
            "severity": "problem",
            "name": "arp-announce",
            "subject": "192.0.2.80",
            "text": "ARP requests that this host sends for it name it as sender on eth0 (arp_announce 0)",
            "fix": "sysctl -w net.ipv4.conf.all.arp_announce=2; or load the module, which guards it",
        })
    );
}

#[test]
fn digests_are_compared() {
    let mut fake = web();
    let own = format!("{:016x}", fake.digest());
    let mut run = |arguments: &str| check(&mut fake, &mut Host::default(), arguments, "");
    let differing = |ran: &Ran| {
        let told = told(ran).into_iter();
        told.filter(|it| it.contains("digest")).collect::<Vec<_>>()
    };
    let same = run(&format!("--peer-digest {own} s2={own}"));
    assert_eq!(differing(&same), [""; 0]);
    let ran = run(&format!(
        "--peer-digest s2=0123456789abcdef {own} --peer-digest 0123456789ABCDEF"
    ));
    let expected = [
        "problem digest-differs: another host",
        "problem digest-differs: s2",
    ];
    assert_eq!(differing(&ran), expected);
    for bad in ["123", "s2=", "+123456789abcdef", "s2=0123456789abcdeg"] {
        let ran = run(&format!("--peer-digest {bad}"));
        assert_eq!((ran.code, &*ran.out), (2, ""), "{bad}");
        assert!(
            ran.err.contains("must be 16 hexadecimal digits"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn a_file_that_is_not_applied() {
    let mut fake = web();
    let saved = fake.done("save");
    let mut told_with = |file: &str| {
        let ran = check(&mut fake, &mut Host::default(), "--config -", file);
        told(&ran).contains(&"hint not-applied: configuration".into())
    };
    assert!(!told_with(&saved));
    assert!(told_with(FILE));
}
