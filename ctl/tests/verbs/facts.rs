// SPDX-License-Identifier: GPL-2.0
//! check: from what ip, ethtool and /proc say to what is found.

use std::io;

use serde_json::{json, Value};

use crate::fake::Fake;
use crate::host::{check, file_with, link, plain, told, without_module, Host, FILE};
use crate::run::Ran;

#[test]
fn what_is_gathered_is_found() {
    type Lay = fn(&mut Host);
    let traps: &[(&[&str], Lay)] = &[
        (&["problem arp-ignore: 192.0.2.80"], |host| {
            host.files.remove("/proc/sys/net/ipv4/conf/all/arp_ignore");
        }),
        (&["problem arp-ignore: 192.0.2.80"], |host| {
            host.files
                .insert("/proc/sys/net/ipv4/conf/all/arp_ignore", "3\n");
        }),
        (&[], |host| {
            host.files
                .insert("/proc/sys/net/ipv4/conf/all/arp_ignore", "3\n");
            host.links[0]["addr_info"][0]["scope"] = "host".into();
        }),
        (&["problem ghost-dad-failed: 2001:db8:2::80"], |host| {
            host.links[0]["addr_info"][1]["dadfailed"] = true.into();
        }),
        (&[], |host| {
            host.links[0]["addr_info"] = json!([]);
            let local = json!([{ "type": "local", "dst": "192.0.2.0/24", "dev": "lo" }]);
            host.routes.insert("-j -4 route show table local", local);
            let local = json!([{ "type": "local", "dst": "2001:db8:2::80", "dev": "lo" }]);
            host.routes.insert("-j -6 route show table local", local);
        }),
        (&["problem ghost-as-source: 192.0.2.80"], |host| {
            host.ways.get_mut("10.0.0.2").unwrap()["prefsrc"] = "192.0.2.80".into();
        }),
        (&["hint device-down: eth0"], |host| {
            host.links[1]["flags"] = json!(["BROADCAST", "MULTICAST"]);
        }),
        (&["problem device-port: eth0"], |host| {
            host.links[1]["master"] = "bond0".into();
            let mut bond = link("bond0", &["UP"], &[]);
            bond["linkinfo"] = json!({ "info_kind": "bond", "info_data": { "mode": "802.3ad" } });
            host.links.push(bond);
        }),
        (
            &["problem device-absent: eth0", "problem rp-filter: eth1"],
            |host| {
                host.links[1]["ifname"] = "eth1".into();
                for key in ["arp_announce", "rp_filter"] {
                    let path = format!("/proc/sys/net/ipv4/conf/eth1/{key}");
                    let level = if key == "rp_filter" { "1\n" } else { "2\n" };
                    host.files.insert(path.leak(), level);
                }
            },
        ),
        (&["problem device-vlan-parent: eth0"], |host| {
            let addresses = host.links[1]["addr_info"].take();
            host.links[1]["addr_info"] = json!([]);
            let mut vlan = link("eth0.5", &["UP"], &[]);
            vlan["link"] = "eth0".into();
            vlan["addr_info"] = addresses;
            vlan["linkinfo"] = json!({ "info_kind": "vlan", "info_data": { "id": 5 } });
            host.links.push(vlan);
            host.files
                .insert("/proc/sys/net/ipv4/conf/eth0.5/arp_announce", "2\n");
            host.ways.clear();
        }),
    ];
    for (expected, lay) in traps {
        let mut host = Host::default();
        lay(&mut host);
        let ran = plain(&mut host);
        assert_eq!(told(&ran), *expected, "{}", ran.out);
        let problem = expected.iter().any(|it| it.starts_with("problem"));
        assert_eq!(ran.code, u8::from(problem));
    }
}

/// A dispatcher: the servers' addresses are others'.
fn dispatcher(lay: impl Fn(&mut Host)) -> Ran {
    let mut host = Host::default();
    host.links[0]["addr_info"] = json!([]);
    host.links[1]["addr_info"][0]["local"] = "10.0.0.254".into();
    host.links[1]["addr_info"][1]["local"] = "2001:db8::254".into();
    for other in ["10.0.0.1", "2001:db8::1", "192.0.2.80", "2001:db8:2::80"] {
        host.ways
            .insert(other, json!({ "dev": "eth0", "flags": [] }));
    }
    lay(&mut host);
    let mut fake = Fake::default();
    let ran = fake.run_with("apply -", FILE, false);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    check(&mut fake, &mut host, "", "")
}

#[test]
fn what_is_gathered_of_a_dispatcher_is_found() {
    type Lay = fn(&mut Host);
    let traps: &[(&[&str], Lay)] = &[
        (&[], |_| ()),
        (&["problem lro: eth0"], |host| host.lro = Some("on")),
        (&[], |host| {
            host.lro = Some("on");
            host.links[1]["linkinfo"] = json!({ "info_kind": "veth" });
        }),
        (&["hint lro-unknown: eth0"], |host| host.lro = None),
        (&["problem mtu-route: server s2"], |host| {
            host.ways.get_mut("10.0.0.2").unwrap()["metrics"] = json!([{ "mtu": 1400 }]);
        }),
        (&["problem mtu-smaller: eth0"], |host| {
            let mut inlet = link("eth1", &["UP"], &[]);
            inlet["mtu"] = 9000.into();
            host.links.push(inlet);
            let hops = json!([{ "dst": "default", "nexthops": [{ "dev": "eth1" }] }]);
            host.routes.insert("-j -6 route show default", hops);
        }),
        (&["hint local-out: 192.0.2.80"], |host| {
            host.ways.remove("192.0.2.80");
        }),
        (
            &["problem neighbour-table: net.ipv6.neigh.default.gc_thresh3"],
            |host| {
                host.files
                    .insert("/proc/sys/net/ipv6/neigh/default/gc_thresh3", "1\n");
            },
        ),
    ];
    for (expected, lay) in traps {
        let ran = dispatcher(lay);
        assert_eq!(told(&ran), *expected, "{}", ran.out);
    }
}

#[test]
fn a_vrf_is_looked_into() {
    let lay = |host: &mut Host| {
        let mut vrf = link("red", &["NOARP", "UP"], &[]);
        vrf["linkinfo"] = json!({ "info_kind": "vrf", "info_data": { "table": 100 } });
        let mut port = link("eth1", &["UP"], &[]);
        port["master"] = "red".into();
        host.links.extend([vrf, port]);
        let beyond = json!({ "dev": "eth0", "gateway": "10.0.0.253" });
        host.ways.insert("10.0.0.2", beyond.clone());
        host.ways.insert("10.0.0.2 vrf red", beyond);
    };
    // No module reaches it here: the file is checked.
    let mut fake = without_module();
    let mut told_with = |host: &mut Host| {
        let ran = check(&mut fake, host, "--config -", &file_with("mode = \"peer\""));
        let told = told(&ran).into_iter();
        told.filter(|it| it.contains(" server-"))
            .collect::<Vec<_>>()
    };
    let mut host = Host::default();
    assert_eq!(told_with(&mut host), [""; 0]);
    lay(&mut host);
    assert_eq!(
        told_with(&mut host),
        ["problem server-unreachable: server s2 (10.0.0.2)"]
    );
    let beyond = json!({ "dev": "eth1", "gateway": "10.9.0.1" });
    host.ways.insert("10.0.0.2 vrf red", beyond);
    assert_eq!(
        told_with(&mut host),
        ["problem server-unreachable: server s2 (10.0.0.2)"]
    );
    host.ways
        .insert("10.0.0.2 vrf red", json!({ "dev": "eth1" }));
    assert_eq!(
        told_with(&mut host),
        ["problem server-in-vrf: server s2 (10.0.0.2)"]
    );
}

#[test]
fn a_querier_is_seen() {
    let file = file_with("mode = \"broadcast\"\nshape = \"multicast\"");
    let told_with = |bridge: Value| {
        let mut host = Host::default();
        let mut link = link("br0", &["UP"], &[]);
        link["linkinfo"] = json!({ "info_kind": "bridge", "info_data": bridge });
        host.links.push(link);
        let mut fake = without_module();
        let ran = check(&mut fake, &mut host, "--config -", &file);
        told(&ran).contains(&"problem snooping: br0".into())
    };
    let seen = |address: &str| {
        let state = json!({ "mcast_querier_ipv4_addr": address });
        json!({ "mcast_snooping": 1, "mcast_querier": 0, "mcast_querier_state_ipv4": state })
    };
    assert!(!told_with(
        json!({ "mcast_snooping": 1, "mcast_querier": 0 })
    ));
    assert!(!told_with(
        json!({ "mcast_snooping": 0, "mcast_querier": 1 })
    ));
    assert!(told_with(
        json!({ "mcast_snooping": 1, "mcast_querier": 1 })
    ));
    assert!(told_with(seen("10.0.0.254")));
    assert!(!told_with(seen("0.0.0.0")));
}

/// The setting of eth0, of this family, that closes what an unload opens.
const DROPS: [&str; 2] = [
    "/proc/sys/net/ipv4/conf/eth0/drop_unicast_in_l2_multicast",
    "/proc/sys/net/ipv6/conf/eth0/drop_unicast_in_l2_multicast",
];

#[test]
fn a_member_is_told_what_an_unload_leaves_open() {
    let mut fake = Fake::default();
    let ran = fake.run_with("apply -", &file_with("mode = \"broadcast\""), false);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    let mut host = Host::default();
    let ran = check(&mut fake, &mut host, "", "");
    let hint = |ghost| format!("hint unload-order: {ghost}");
    assert_eq!(told(&ran), [hint("192.0.2.80"), hint("2001:db8:2::80")]);
    assert_eq!(ran.code, 0);
    host.files.insert(DROPS[0], "1\n");
    let ran = check(&mut fake, &mut host, "", "");
    assert_eq!(told(&ran), [hint("2001:db8:2::80")]);
    host.files.insert(DROPS[1], "1\n");
    let ran = check(&mut fake, &mut host, "", "");
    assert_eq!(ran.out, "no problem found\n");
}

#[test]
fn a_setting_of_ipv6_drops_what_the_module_should_see() {
    let mut fake = Fake::default();
    let file = file_with("mode = \"broadcast\"").replace("devices = [\"eth0\"]\n", "");
    let ran = fake.run_with("apply -", &file, false);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    let mut host = Host::default();
    let drops = |ran: Ran| told(&ran).contains(&"problem drop-unicast: eth0".into());
    for (setting, trap) in [(DROPS[0], false), (DROPS[1], true)] {
        host.files.insert(setting, "1\n");
        assert_eq!(drops(check(&mut fake, &mut host, "", "")), trap);
    }
}

#[test]
fn ip_fails() {
    let says = |ip| {
        let mut host = Host {
            ip: Some(ip),
            ..Host::default()
        };
        let ran = plain(&mut host);
        assert_eq!((ran.code, &*ran.out), (1, ""));
        ran.err
    };
    let absent = Err(io::ErrorKind::NotFound.into());
    assert_eq!(says(absent), "onehopctl: ip: not found; install iproute2\n");
    let failed = "onehopctl: ip -j -d address show: Object \"-d\" is unknown.\n";
    assert_eq!(says(Ok((false, ""))), failed);
    let nonsense = says(Ok((true, "[{\"mtu\":1500}]")));
    assert!(
        nonsense.contains("ip -j -d address show: answered missing field `ifname`"),
        "{nonsense}"
    );
}
