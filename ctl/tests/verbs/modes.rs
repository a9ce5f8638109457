// SPDX-License-Identifier: GPL-2.0
//! Modes and shapes, both families, devices, answer.

use onehop_uapi::Address;
use serde_json::{json, Value};

use crate::fake::Fake;
use crate::run::web;

/// Pool web with servers and a ghost of both families.
fn both() -> Fake {
    let mut fake = web();
    for id in 1..4 {
        fake.done(&format!("server set s{id} --address6 2001:db8::{id}"));
    }
    fake.done("ghost add 2001:db8::80");
    fake.events.clear();
    fake
}

/// What a change says, but for its last line.
#[track_caller]
fn diff(fake: &mut Fake, arguments: &str) -> String {
    let out = fake.done(arguments);
    let (diff, _) = out.trim_end().rsplit_once('\n').unwrap();
    diff.to_owned()
}

#[test]
fn devices() {
    let mut fake = web();
    assert_eq!(diff(&mut fake, "device add eth1"), "+ device eth1");
    assert_eq!(fake.done("device add eth1"), "already so\n");
    fake.done("device add eth9");
    assert!(fake
        .done("save")
        .starts_with("devices = [\"eth1\", \"eth9\"]\n\n[pool.web]"));
    let out = fake.done("show");
    assert_eq!(
        out.lines().nth(1),
        Some("devices eth1, eth9 (absent), answer off")
    );
    let out = fake.done("dump");
    assert!(
        out.ends_with("\ndevice\teth1\t2\ndevice\teth9\t-\n"),
        "{out}"
    );
    let out: Value = serde_json::from_str(&fake.done("show -j")).unwrap();
    let devices = json!([{ "name": "eth1", "index": 2 }, { "name": "eth9", "index": null }]);
    assert_eq!(out["devices"], devices);
    assert_eq!(diff(&mut fake, "device del eth1"), "- device eth1");
    assert_eq!(fake.done("device del eth1"), "already so\n");
}

#[test]
fn answer() {
    let mut fake = web();
    assert_eq!(
        fake.refused("answer on"),
        "answer \"on\" must be off until a device is named (onehopctl device add)"
    );
    assert_eq!(fake.done("answer off"), "already so\n");
    fake.done("device add eth1");
    fake.events.clear();
    assert_eq!(fake.done("answer on --reason takeover"), "answer on\n");
    assert_eq!(fake.done("answer on"), "already so\n");
    assert_eq!(fake.announced, 2);
    assert!(fake.done("show").contains("\ndevices eth1, answer on\n"));
    assert!(fake.done("dump").lines().next().unwrap().ends_with("\ton"));
    let out: Value = serde_json::from_str(&fake.done("answer -j off --actor keepalived")).unwrap();
    assert_eq!(out, json!({ "changed": true, "answer": false }));
    assert_eq!(
        fake.done("monitor --count 2"),
        "\
2023-11-14T22:13:20.000Z 2 answer on by cargo(7): takeover
2023-11-14T22:13:20.000Z 2 answer off by keepalived
"
    );
}

#[test]
fn modes() {
    let mut fake = both();
    let set = diff(&mut fake, "pool set web --mode broadcast");
    assert_eq!(
        set,
        "~ pool web: mode router -> broadcast, shape none -> broadcast, method track -> none"
    );
    assert_eq!(
        fake.refused("pool set web --shape multicast"),
        "pool 0 \"web\": shape \"multicast\" must be broadcast until a device is named"
    );
    fake.done("device add eth1");
    let set = diff(&mut fake, "pool set web --shape multicast");
    assert_eq!(set, "~ pool web: shape broadcast -> multicast");
    // Which clients a server has does not depend on how their packets come.
    let digest = fake.digest();
    let set = diff(&mut fake, "pool set web --mode peer");
    assert_eq!(
        set,
        "~ pool web: mode broadcast -> peer, shape multicast -> none"
    );
    assert_eq!(fake.digest(), digest);
    assert_eq!(
        fake.refused("pool set web --shape igmp"),
        "shape \"igmp\" must be left out with mode peer: it needs --mode broadcast"
    );
    assert_eq!(
        fake.refused("pool set web --method chance"),
        "method \"chance\" must be left out with mode peer: it needs --mode router"
    );
    let set = diff(&mut fake, "pool set web --mode router --method chance");
    assert_eq!(
        set,
        "~ pool web: mode peer -> router, method none -> chance"
    );
    let kept = diff(&mut fake, "pool set web --policy reject");
    assert_eq!(kept, "~ pool web: policy drop -> reject");
    assert!(fake.done("save").contains("\nmethod = \"chance\"\n"));
    let set = diff(&mut fake, "pool set web --mode peer --policy drop");
    assert!(
        set.ends_with("method chance -> none, policy reject -> drop"),
        "{set}"
    );
    let added = diff(
        &mut fake,
        "pool add m --mode broadcast --shape igmp --kind mod",
    );
    assert!(
        added.starts_with("+ pool m: mode broadcast, shape igmp, kind mod, "),
        "{added}"
    );
    assert!(fake
        .done("save")
        .contains("mode = \"broadcast\"\nshape = \"igmp\"\nkind = \"mod\"\n"));
    let out = fake.done("dump");
    let shapes = out.lines().filter(|line| line.starts_with("pool\t"));
    let shapes: Vec<_> = shapes
        .map(|line| line.split('\t').nth(10).unwrap())
        .collect();
    assert_eq!(shapes, ["igmp", "-"]);
}

#[test]
fn addresses_of_servers() {
    let mut fake = both();
    assert_eq!(
        fake.refused("server add s4 10.0.0.4"),
        "server 0 \"s4\": address6 must be given, as its pool has an IPv6 ghost"
    );
    let added = diff(&mut fake, "server add s4 2001:db8::4 10.0.0.4 --id 4");
    let fields = "address 10.0.0.4, address6 2001:db8::4, weight 1";
    assert!(added.contains(fields), "{added}");
    for same in ["10.0.0.4", "2001:db8::4", "10.0.0.4 --address6 2001:db8::4"] {
        assert_eq!(fake.done(&format!("server add s4 {same}")), "already so\n");
    }
    fake.done("server add s5 10.0.0.5 --address6 2001:db8::5");
    assert_eq!(
        fake.refused("server add s6 2001:db8::6 2001:db8::7"),
        "address \"2001:db8::7\" must be the only one of its family: a server has one of each"
    );
    assert_eq!(
        fake.refused("server set s1 --address6 none"),
        "server 1 \"s1\": address6 must be given, as its pool has an IPv6 ghost"
    );
    fake.done("ghost del 2001:db8::80");
    let set = diff(&mut fake, "server set s1 --address6 none");
    assert_eq!(set, "~ server web/s1: address6 2001:db8::1 -> none");
    let ran = fake.run("server set s1 --address 2001:db8::1");
    let why = "address \"2001:db8::1\" must be an IPv4 address or none";
    assert!(ran.err.contains(why), "{}", ran.err);

    fake.done("ghost del 192.0.2.80");
    assert_eq!(
        fake.refused("server set s1 --address none"),
        "server 1 \"s1\": address or address6 must be given"
    );
    assert!(fake
        .done("save")
        .contains("address = \"10.0.0.5\"\naddress6 = \"2001:db8::5\"\n"));
}

#[test]
fn both_families_shown() {
    let mut fake = both();
    fake.own = vec![Address::V6([
        0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    ])];
    fake.done("server set s2 --weight 2 --now");
    fake.done("pool set web --mode broadcast");
    fake.done("server set s3 --address none");
    let out = fake.done("show");
    let lines: Vec<_> = out.lines().skip(3).collect();
    assert_eq!(
        lines,
        [
            "  ghosts 192.0.2.80 2001:db8::80",
            "  server  id  state  weight  address   via   address6     via6       last change",
            "  s1       1  up          1  10.0.0.1  eth1  2001:db8::1  this host  never",
            "  s2       2  up          2  10.0.0.2  eth1  2001:db8::2  eth1       never",
            "  s3       3  up          2  -         -     2001:db8::3  eth1       never",
            "  the router needs, ghost1 and ghost1v6 each being an address on the servers' link that no host has:",
            "    ip neighbour replace ghost1 lladdr ff:ff:ff:ff:ff:ff nud permanent dev DEVICE",
            "    ip route replace 192.0.2.80 via ghost1 dev DEVICE",
            "    ip neighbour replace ghost1v6 lladdr ff:ff:ff:ff:ff:ff nud permanent dev DEVICE",
            "    ip route replace 2001:db8::80 via ghost1v6 dev DEVICE",
        ]
    );
    let out: Value = serde_json::from_str(&fake.done("show -j")).unwrap();
    let pool = &out["pools"][0];
    assert_eq!(pool["shape"], "broadcast");
    assert_eq!(pool["ghosts"], json!(["192.0.2.80", "2001:db8::80"]));
    assert_eq!(pool["servers"][0]["this_host"], true);
    assert_eq!(pool["servers"][0]["reach6"], "local");
    assert_eq!(pool["servers"][2]["address"], Value::Null);
    let need = json!({ "ghost": "192.0.2.80", "link": "ff:ff:ff:ff:ff:ff", "next_hop": true });
    assert_eq!(pool["router_needs"][0], need);
    let out = fake.done("dump");
    let s1 = out
        .lines()
        .find(|line| line.starts_with("server\tweb\ts1\t"))
        .unwrap();
    assert_eq!(
        s1.split('\t').skip(17).collect::<Vec<_>>(),
        ["2001:db8::1", "local", "-", "false", "-"]
    );
    let s3 = out
        .lines()
        .find(|line| line.starts_with("server\tweb\ts3\t"))
        .unwrap();
    let columns: Vec<_> = s3.split('\t').collect();
    assert_eq!((columns[4], columns[9], columns[10]), ("-", "-", "-"));
    assert_eq!(columns[17..], ["2001:db8::3", "link", "eth1", "false", "-"]);
}

#[test]
fn groups_for_the_router() {
    let mut fake = both();
    fake.done("device add eth1");
    let mut entries = |shape: &str| {
        fake.done(&format!("pool set web --mode broadcast --shape {shape}"));
        let out = fake.done("show");
        let lines = out.lines().filter(|line| line.contains("neighbour"));
        lines.map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        entries("multicast"),
        [
            "ip neighbour replace 192.0.2.80 lladdr 03:bf:c0:00:02:50 nud permanent dev DEVICE",
            "ip neighbour replace 2001:db8::80 lladdr 03:bf:00:00:00:80 nud permanent dev DEVICE",
        ]
    );
    assert_eq!(
        entries("igmp"),
        [
            "ip neighbour replace 192.0.2.80 lladdr 01:00:5e:7f:02:50 nud permanent dev DEVICE",
            "ip neighbour replace 2001:db8::80 lladdr 33:33:00:00:00:80 nud permanent dev DEVICE",
        ]
    );
    let out: Value = serde_json::from_str(&fake.done("show -j")).unwrap();
    let need = json!({ "ghost": "192.0.2.80", "link": "01:00:5e:7f:02:50", "next_hop": false });
    assert_eq!(out["pools"][0]["router_needs"][0], need);
}

#[test]
fn lookup_by_an_ipv6_ghost() {
    let mut fake = both();
    fake.done("pool add mail --kind mod");
    let by_pool = fake.done("lookup 2001:db8:1::7 --pool web");
    assert_eq!(
        fake.done("lookup 2001:db8:1::7 --ghost 2001:db8::80"),
        by_pool
    );
    // The lower half of the address is the host's: it does not count.
    assert_eq!(fake.done("lookup 2001:db8:1:0:ffff::1 --pool web"), by_pool);
    let why = fake.refused("lookup 192.0.2.1 --ghost 2001:db8::81");
    assert_eq!(why, "ghost \"2001:db8::81\" is not there");
}
