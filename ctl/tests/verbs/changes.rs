// SPDX-License-Identifier: GPL-2.0
//! ghost, pool, server, up, down

use onehop_uapi::{Admin, Health, Name};

use crate::fake::Fake;
use crate::run::web;

fn name(text: &str) -> Name {
    Name::new("name", text).unwrap()
}

/// The output of a change, without its last line, which has the digest.
#[track_caller]
fn diff(fake: &mut Fake, arguments: &str) -> String {
    let generation = fake.generation;
    let out = fake.done(arguments);
    let (diff, summary) = match out.trim_end().rsplit_once('\n') {
        Some((diff, summary)) => (diff, summary),
        None => ("", out.trim_end()),
    };
    let expected = format!(
        "generation {} digest {:016x} moved ",
        generation + 1,
        fake.digest()
    );
    assert!(summary.starts_with(&expected), "{summary}");
    diff.to_owned()
}

#[track_caller]
fn already_so(fake: &mut Fake, arguments: &str) {
    let generation = fake.generation;
    assert_eq!(fake.done(arguments), "already so\n");
    assert_eq!(fake.generation, generation);
}

#[test]
fn ghosts() {
    let mut fake = web();
    assert_eq!(
        diff(&mut fake, "ghost add 192.0.2.81"),
        "+ ghost 192.0.2.81: pool web"
    );
    already_so(&mut fake, "ghost add 192.0.2.81 --pool web");
    fake.done("pool add mail --kind mod");
    assert_eq!(
        fake.refused("ghost add 192.0.2.82"),
        "--pool must be one of \"mail\", \"web\""
    );
    assert_eq!(
        fake.refused("ghost add 192.0.2.81 --pool mail"),
        "ghost \"192.0.2.81\" is a ghost of pool \"web\": move it with onehopctl ghost set"
    );
    let moved = diff(&mut fake, "ghost set 192.0.2.81 --pool mail");
    assert_eq!(moved, "~ ghost 192.0.2.81: pool web -> mail");
    assert_eq!(
        fake.refused("ghost set 192.0.2.81 --pool mial"),
        "pool \"mial\" is not there: there is \"mail\", \"web\""
    );
    assert_eq!(
        diff(&mut fake, "ghost del 192.0.2.81"),
        "- ghost 192.0.2.81"
    );
    already_so(&mut fake, "ghost del 192.0.2.81");
    assert_eq!(
        fake.refused("ghost add 10.0.0.2 --pool mail"),
        "ghost 0: address \"10.0.0.2\" must be an address that no server has as its own"
    );
    assert_eq!(fake.ghosts.len(), 1);
}

#[test]
fn pools() {
    let mut fake = Fake::default();
    assert_eq!(
        fake.refused("ghost add 192.0.2.81"),
        "there is no pool yet: add one with onehopctl pool add"
    );
    let seed = "0123456789abcdef0123456789ABCDEF";
    let added = diff(
        &mut fake,
        &format!("pool add web --seed {seed} --rows 512 --policy reject"),
    );
    assert_eq!(
        added,
        "+ pool web: mode router, method track, kind hash, seed 0123456789abcdef0123456789abcdef, rows 512, \
         prefix4 32, prefix6 64, policy reject"
    );
    already_so(&mut fake, "pool add web");
    already_so(&mut fake, "pool add web --rows 512 --kind hash");
    assert_eq!(
        fake.refused("pool add web --rows 256"),
        "pool \"web\" is there, and otherwise: change it with onehopctl pool set"
    );
    let set = diff(&mut fake, "pool set web --rows 256 --prefix4 24");
    assert_eq!(set, "~ pool web: rows 512 -> 256, prefix4 32 -> 24");
    assert_eq!(
        fake.refused("pool set web --rows 300"),
        "pool 0 \"web\": rows \"300\" must be a power of two from 256 to 65536 with kind hash"
    );
    let set = diff(&mut fake, "pool set web --kind mod");
    assert!(
        set.starts_with("~ pool web: kind hash -> mod, seed 0123"),
        "{set}"
    );
    assert_eq!(
        fake.refused("pool set wob --kind mod"),
        "pool \"wob\" is not there: there is \"web\""
    );
    fake.done("ghost add 192.0.2.80");
    fake.done("server add s1 10.0.0.1");
    let removed = diff(&mut fake, "pool del web");
    assert_eq!(removed, "- pool web\n- ghost 192.0.2.80\n- server web/s1");
    already_so(&mut fake, "pool del web");
}

#[test]
fn a_fresh_seed_is_drawn_and_printed() {
    let mut fake = Fake::default();
    let seed = |added: String| {
        let (_, seed) = added.split_once("seed ").unwrap();
        seed[..32].to_owned()
    };
    let one = seed(diff(&mut fake, "pool add one"));
    let two = seed(diff(&mut fake, "pool add two"));
    assert_ne!(one, two);
    assert!(fake.done("save").contains(&one));
    assert_eq!(fake.pools[&name("one")].pool.rows, 65536);
}

#[test]
fn servers() {
    let mut fake = web();
    let added = diff(
        &mut fake,
        "server add s4 10.0.0.4 --weight 5 --start-down --admin drain",
    );
    assert_eq!(
        added,
        "+ server web/s4: id 0, address 10.0.0.4, weight 5, admin drain, start-down true"
    );
    assert_eq!(
        fake.pools[&name("web")].servers[&name("s4")].1.health,
        Health::Down
    );
    already_so(&mut fake, "server add s4 10.0.0.4");
    already_so(&mut fake, "server add s4 10.0.0.4 --id 0 --weight 5");
    assert_eq!(
        fake.refused("server add s4 10.0.0.5"),
        "server \"s4\" is there, and otherwise: change it with onehopctl server set"
    );
    let added = diff(&mut fake, "server add s5 10.0.0.5");
    assert!(added.starts_with("+ server web/s5: id 4, "), "{added}");
    assert_eq!(
        fake.refused("server add s6 10.0.0.5"),
        "server 5 \"s6\": address \"10.0.0.5\" must be unique in its pool"
    );
    assert_eq!(
        fake.refused("server add s6 10.0.0.6 --id 4"),
        "server 5 \"s6\": id \"4\" must be unique in its pool"
    );
    let set = diff(
        &mut fake,
        "server set s4 --address 10.0.0.44 --weight 1 --admin up",
    );
    assert_eq!(
        set,
        "~ server web/s4: address 10.0.0.4 -> 10.0.0.44, weight 5 -> 1, admin drain -> up"
    );
    already_so(&mut fake, "server set s4 --admin up");
    assert_eq!(
        fake.refused("server set s1 --weight 1001"),
        "server 1 \"s1\": weight \"1001\" must be from 1 to 1000"
    );
    assert_eq!(
        fake.refused("server set s9 --weight 1"),
        "server \"s9\" is not there: there is \"s1\", \"s2\", \"s3\", \"s4\", \"s5\""
    );
    assert_eq!(diff(&mut fake, "server del s4"), "- server web/s4");
    already_so(&mut fake, "server del s4");
    already_so(&mut fake, "server del s4 --pool web");
}

#[test]
fn a_server_of_two_pools_needs_its_pool() {
    let mut fake = web();
    fake.done("pool add mail --kind mod");
    fake.done("server add s1 10.0.0.1 --pool mail");
    let which = "server \"s1\" is in more than one pool: --pool must be one of \"mail\", \"web\"";
    for verb in [
        "server set s1 --admin up",
        "server del s1",
        "up s1",
        "down s1",
    ] {
        assert_eq!(fake.refused(verb), which);
    }
    diff(&mut fake, "down s1 --pool mail");
    assert_eq!(
        fake.pools[&name("mail")].servers[&name("s1")].1.health,
        Health::Down
    );
    assert_eq!(
        fake.pools[&name("web")].servers[&name("s1")].1.health,
        Health::Up
    );
    diff(&mut fake, "down s2");
    assert_eq!(
        fake.refused("server set s2 --pool mail --weight 1"),
        "server \"s2\" of pool \"mail\" is not there: there is \"s1\""
    );
}

#[test]
fn health() {
    let mut fake = web();
    let ran = fake.run("down s3 --reason too-slow --actor watchd.sh(123)");
    // s3 has half of the weight.
    assert!(ran.out.starts_with("generation 2 digest "), "{}", ran.out);
    let moved = ran
        .out
        .trim_end()
        .split(' ')
        .nth(5)
        .unwrap()
        .parse::<f64>()
        .unwrap();
    assert!((40.0..60.0).contains(&moved), "{moved}");
    assert_eq!(
        ran.err,
        "onehopctl: existing connections of moved clients move at once\n"
    );
    for _ in 0..100 {
        already_so(&mut fake, "down s3");
    }
    let (server, status) = &fake.pools[&name("web")].servers[&name("s3")];
    assert_eq!((server.admin, status.health), (Admin::Up, Health::Down));
    assert_eq!(status.author.actor.as_str(), "watchd.sh(123)");
    assert_eq!(status.author.reason.as_str(), "too-slow");
    diff(&mut fake, "up s3");
    let (_, status) = &fake.pools[&name("web")].servers[&name("s3")];
    assert_eq!(status.author.actor.as_str(), "cargo(7)");
    assert!(status.author.reason.is_empty());

    assert_eq!(
        fake.refused("up s9"),
        "server \"s9\" is not there: there is \"s1\", \"s2\", \"s3\""
    );
    let server = "server \"s9\" must be the name of an existing server of the pool";
    assert_eq!(fake.refused("up s9 --pool web"), server);
    let pool = "pool \"wob\" must be the name of an existing pool";
    assert_eq!(fake.refused("up s1 --pool wob"), pool);
}

#[test]
fn a_long_or_odd_reason_is_cut_rather_than_refused() {
    let mut fake = web();
    let reason = "é".repeat(40);
    diff(&mut fake, &format!("down s1 --reason {reason}\u{1b}[31m"));
    diff(&mut fake, "down s2 --reason \u{1b}[31m");
    // Programs begin their complaints as they like.
    diff(&mut fake, "down s3 --reason -bash: --actor -bash");
    let servers = &fake.pools[&name("web")].servers;
    assert_eq!(
        servers[&name("s1")].1.author.reason.as_str(),
        "é".repeat(31)
    );
    assert_eq!(servers[&name("s2")].1.author.reason.as_str(), "?[31m");
    assert_eq!(servers[&name("s3")].1.author.reason.as_str(), "-bash:");
    assert_eq!(servers[&name("s3")].1.author.actor.as_str(), "-bash");
}

#[test]
fn an_edit_is_tried_again_when_another_was_faster() {
    let mut fake = web();
    fake.races = 3;
    fake.done("server set s1 --weight 3");
    assert_eq!(fake.pools[&name("web")].servers[&name("s1")].0.weight, 3);
    let tries: Vec<_> = fake
        .applied
        .iter()
        .map(|condition| condition.expected)
        .collect();
    assert_eq!(tries, [Some(1), Some(2), Some(3), Some(4)]);

    fake.races = u32::MAX;
    let why = fake.refused("server set s1 --weight 4");
    assert_eq!(
        why,
        "others change the state all the time: given up after 10 tries"
    );
    assert_eq!(fake.applied.len(), 14);
}

#[test]
fn json() {
    let mut fake = web();
    let out = fake.done("-j down s1");
    let it: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(it["changed"], true);
    assert_eq!(it["generation"], 2);
    assert_eq!(it["digest"], format!("{:016x}", fake.digest()));
    assert!(it["moved_ppm"].as_u64().unwrap() > 0);
    let out = fake.done("server set s2 --weight 9 --json");
    let it: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(it["diff"][0], "~ server web/s2: weight 1 -> 9");
}
