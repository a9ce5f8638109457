// SPDX-License-Identifier: GPL-2.0
//! drain, undrain, commit, abort, extend, --now and --for

use onehop_uapi::{Admin, Health, Name, Span};

use crate::fake::Fake;
use crate::run::web;

fn name(text: &str) -> Name {
    Name::new("name", text).unwrap()
}

fn group(fake: &mut Fake) -> &mut crate::fake::Group {
    fake.pools.get_mut(&name("web")).unwrap()
}

/// What standard error says of existing connections.
#[track_caller]
fn connections(fake: &mut Fake, arguments: &str) -> String {
    let ran = fake.run(arguments);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let note = ran.err.trim_end();
    let note = note.strip_prefix("onehopctl: existing connections of moved clients ");
    note.unwrap_or_default().to_owned()
}

#[test]
fn drained_and_back() {
    let mut fake = web();
    fake.transition_seconds = Some(300);
    let note = connections(&mut fake, "drain s2 --reason kernel");
    // Ninety seconds later than what happens there, and 300 from then on.
    assert_eq!(note, "stay where they began until 2023-11-14T22:19:50Z");
    let (server, status) = &group(&mut fake).servers[&name("s2")];
    assert_eq!(server.admin, Admin::Drain);
    assert_eq!(status.author.reason.as_str(), "kernel");
    assert_eq!(fake.done("drain s2"), "already so\n");
    assert_eq!(group(&mut fake).older.len(), 1);
    connections(&mut fake, "undrain s2");
    assert_eq!(group(&mut fake).servers[&name("s2")].0.admin, Admin::Up);
    let why = "server \"s9\" is not there: there is \"s1\", \"s2\", \"s3\"";
    assert_eq!(fake.refused("drain s9"), why);
}

#[test]
fn how_long() {
    let mut fake = web();
    let setting = "stay where they began for net.onehop.transition_seconds";
    assert_eq!(connections(&mut fake, "drain s1"), setting);
    let hour = connections(&mut fake, "undrain s1 --for 1h");
    assert_eq!(hour, "stay where they began until 2023-11-14T23:14:50Z");
    let endless = connections(&mut fake, "server set s1 --weight 9 --for none");
    assert_eq!(endless, "stay where they began until onehopctl commit");
    assert_eq!(group(&mut fake).older[0].remaining, None);
    let now = connections(&mut fake, "server set s1 --weight 2 --now");
    assert_eq!(now, "move at once");
    assert!(group(&mut fake).older.is_empty());
    fake.transition_seconds = Some(0);
    assert_eq!(connections(&mut fake, "up s1"), "");
    assert_eq!(
        connections(&mut fake, "server set s1 --weight 1"),
        "move at once"
    );
    assert_eq!(connections(&mut fake, "down s1"), "move at once");
    let spans: Vec<_> = fake.applied.iter().map(|it| (it.now, it.span)).collect();
    let expected = [
        (false, Span::Forever),
        (true, Span::Default),
        (false, Span::Default),
    ];
    assert_eq!(spans[..3], expected);
    let both = connections(&mut fake, "server set s2 --admin down --for 1h");
    let until = "stay where they began until 2023-11-14T23:14:50Z";
    assert_eq!(both, format!("{until}; those of \"s2\" end"));
    fake.done("server set s2 --admin up --now");
    let text = fake.done("save").replace("weight = 2", "weight = 7");
    let ran = fake.run_with("apply - --for 2m", &text, false);
    assert_eq!(ran.code, 0);
    let last = fake.applied.last().unwrap();
    assert_eq!((last.now, last.span), (false, Span::Seconds(120)));
    let out = fake.done("-j server set s3 --weight 1 --for 60");
    let it: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(it["connections"], "stay");
    assert_eq!(it["until"], "2023-11-14T22:15:50Z");
    let out = fake.done("-j server set s3 --weight 1");
    let it: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&it["connections"], &it["until"]),
        (&None::<()>.into(), &None::<()>.into())
    );
}

#[test]
fn ended_undone_lengthened() {
    let mut fake = web();
    for verb in ["commit", "abort", "extend --for 5m"] {
        assert_eq!(fake.done(verb), "already so\n");
    }
    let before = fake.done("save");
    let digest = fake.digest();
    fake.done("server set s1 --weight 5 --for 1m");
    fake.done("extend --for 10m --reason slow");
    assert_eq!(group(&mut fake).older[0].remaining, Some(600_000));
    fake.done("extend --for none --pool web");
    assert_eq!(group(&mut fake).older[0].remaining, None);
    let out = fake.done("abort");
    assert!(
        out.starts_with(&format!("generation 5 digest {digest:016x} moved ")),
        "{out}"
    );
    assert_eq!(fake.done("save"), before);
    // Connections that began before, and those that began in between.
    assert_eq!(group(&mut fake).older.len(), 2);
    assert!(fake.done("commit").starts_with("generation 6 "));
    assert!(group(&mut fake).older.is_empty());

    fake.done("pool add mail --kind mod");
    let which = "--pool must be one of \"mail\", \"web\"";
    for verb in ["commit", "abort", "extend --for 5m"] {
        assert_eq!(fake.refused(verb), which);
        let pool = "pool \"wob\" must be the name of an existing pool";
        assert_eq!(fake.refused(&format!("{verb} --pool wob")), pool);
    }
}

#[test]
fn a_full_queue() {
    let mut fake = web();
    for weight in 2..9 {
        fake.done(&format!("server set s1 --weight {} --for 90", weight * 10));
    }
    assert_eq!(group(&mut fake).older.len(), 7);
    let why = "pool \"web\" must be rid of one of its 8 functions first; retry in 90 s, or commit";
    assert_eq!(fake.refused("server set s1 --weight 1000"), why);
    assert_eq!(fake.refused("plan server set s1 --weight 1000"), why);
    assert_eq!(fake.refused("drain s2"), why);
    // It frees places rather than taking one.
    fake.done("down s1");
    assert!(group(&mut fake).older.len() < 7);
}

#[test]
fn a_server_leaves() {
    let mut fake = web();
    fake.done("server add s0 10.0.0.10 --now");
    assert_eq!(group(&mut fake).servers[&name("s0")].0.id, 0);
    fake.done("server del s0");
    assert_eq!(group(&mut fake).leaving().len(), 1);
    assert_eq!(fake.done("server del s0"), "already so\n");
    let why = "server \"s0\" must be one that is not leaving; only its health can be set, to down";
    assert_eq!(fake.refused("up s0"), why);
    assert_eq!(fake.refused("drain s0 --pool web"), why);
    // Its id is taken for as long, but not from itself.
    let why = "leaving server \"s0\": id \"0\" must be given to no other server; retry in 300 s, or commit";
    assert_eq!(fake.refused("server add s8 10.0.0.8 --id 0"), why);
    let added = fake.done("server add s8 10.0.0.8");
    assert!(added.contains("+ server web/s8: id 4, "), "{added}");
    let back = fake.done("server add s0 10.0.0.10");
    assert!(back.contains("+ server web/s0: id 0, "), "{back}");
    fake.done("server del s0");
    fake.done("down s0");
    assert!(group(&mut fake).fallen.contains(&0));
}

#[test]
fn a_server_is_removed_at_once() {
    let mut fake = web();
    fake.done("server set s1 --weight 9");
    let note = connections(&mut fake, "server del s3 --now --reason broken");
    assert_eq!(note, "move at once");
    // The transition of s1 goes on.
    assert_eq!(group(&mut fake).older.len(), 1);
    assert!(!group(&mut fake).servers.contains_key(&name("s3")));
    let reasons: Vec<_> = fake
        .events
        .iter()
        .map(|it| it.author.reason.to_string())
        .collect();
    assert_eq!(reasons[1..], ["broken", "broken"]);
    assert_eq!(fake.done("server del s9 --now"), "already so\n");
    // One that is leaving already.
    fake.done("server del s2");
    assert!(fake.done("server del s2 --now").starts_with("generation "));
    assert!(group(&mut fake).fallen.contains(&2));
    let (_, status) = &group(&mut fake).servers[&name("s1")];
    assert_eq!(status.health, Health::Up);
}
