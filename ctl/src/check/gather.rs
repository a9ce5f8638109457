// SPDX-License-Identifier: GPL-2.0
//! Gathers the facts of this host: from iproute2, /proc/sys and ethtool.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::host::{Address, Device, Family, Host, Lro, Settings, Way};
use super::ip::{ask, Bridge, Link, Route};
use crate::system::System;
use crate::Error;

/// The facts, with the ways to these addresses.
pub fn host(system: &mut dyn System, addresses: &BTreeSet<IpAddr>) -> Result<Host, Error> {
    let mut host = Host::default();
    for link in ask::<Link>(system, "-j -d address show", "")? {
        let name = link.ifname.clone();
        let device = device(system, link);
        host.devices.insert(name, device);
    }
    for family in ["-4", "-6"] {
        let question = format!("-j {family} route show table local");
        let routes = ask::<Route>(system, &question, "")?;
        host.local.extend(routes.iter().filter_map(Route::local));
    }
    host.defaults4 = defaults(system, "-4")?;
    host.defaults6 = defaults(system, "-6")?;
    host.ways = ways(system, addresses, "")?;
    host.vrfs = vrfs(system, &host, addresses)?;
    host.neighbours4 = number(system, "/proc/sys/net/ipv4/neigh/default/gc_thresh3");
    host.neighbours6 = number(system, "/proc/sys/net/ipv6/neigh/default/gc_thresh3");
    Ok(host)
}

fn device(system: &mut dyn System, link: Link) -> Device {
    let flag = |name: &str| link.flags.iter().any(|flag| flag == name);
    let (loopback, up) = (flag("LOOPBACK"), flag("UP"));
    let resolves = !loopback && !flag("NOARP");
    let kind = link.linkinfo.info_kind;
    let addresses = link.addr_info.iter().filter_map(|it| {
        Some(Address {
            address: it.local?,
            prefix: it.prefixlen,
            host_scope: it.scope == "host",
            dad_failed: it.dadfailed,
        })
    });
    Device {
        loopback,
        up,
        resolves,
        mtu: link.mtu,
        master: link.master,
        parent: link.link.filter(|_| kind != "veth"),
        addresses: addresses.collect(),
        // What has a kind is software, and merges nothing by itself.
        lro: match kind.is_empty() && !loopback {
            true => lro(system, &link.ifname),
            false => Lro::Off,
        },
        queriers: queriers(&link.linkinfo.info_data),
        settings: settings(system, &link.ifname),
        kind,
    }
}

fn queriers(bridge: &Bridge) -> Vec<Family> {
    let seen = [
        (Family::V4, bridge.mcast_querier_state_ipv4.is_there()),
        (Family::V6, bridge.mcast_querier_state_ipv6.is_there()),
    ];
    let snoops = bridge.mcast_snooping != 0;
    let is_one = bridge.mcast_querier != 0;
    let families = seen.into_iter();
    let families = families.filter(|(_, seen)| snoops && (is_one || *seen));
    families.map(|(family, _)| family).collect()
}

/// As the kernel puts them together with those of `all`: the larger one, but
/// IPv6 asks the device alone.
fn settings(system: &mut dyn System, device: &str) -> Settings {
    let mut level = |family: &str, device: &str, name: &str| {
        let path = format!("/proc/sys/net/{family}/conf/{device}/{name}");
        number(system, &path).unwrap_or(0)
    };
    let mut larger = |name: &str| {
        let (all, own) = (level("ipv4", "all", name), level("ipv4", device, name));
        u32::max(all, own)
    };
    Settings {
        arp_ignore: larger("arp_ignore"),
        arp_announce: larger("arp_announce"),
        rp_filter: larger("rp_filter"),
        drop_unicast4: larger("drop_unicast_in_l2_multicast") != 0,
        drop_unicast6: level("ipv6", device, "drop_unicast_in_l2_multicast") != 0,
    }
}

fn number<T: std::str::FromStr>(system: &mut dyn System, path: &str) -> Option<T> {
    system.file(path)?.trim().parse().ok()
}

fn lro(system: &mut dyn System, device: &str) -> Lro {
    let ran = system.run("ethtool", &["-k", device], "");
    let out = ran.map(|ran| ran.out).unwrap_or_default();
    let mut lines = out.lines().map(str::trim);
    match lines.find_map(|line| line.strip_prefix("large-receive-offload: ")) {
        Some(state) if state.starts_with("on") => Lro::On,
        Some(_) => Lro::Off,
        None => Lro::Unknown,
    }
}

fn defaults(system: &mut dyn System, family: &str) -> Result<BTreeSet<String>, Error> {
    let routes = ask::<Route>(system, &format!("-j {family} route show default"), "")?;
    Ok(routes.into_iter().flat_map(Route::devices).collect())
}

/// The ways to addresses, all in one go. `vrf` is empty, or names one.
fn ways<'a>(
    system: &mut dyn System,
    addresses: impl IntoIterator<Item = &'a IpAddr>,
    vrf: &str,
) -> Result<BTreeMap<IpAddr, Way>, Error> {
    let addresses = addresses.into_iter();
    let batch: String = addresses
        .map(|address| format!("route get {address}{vrf}\n"))
        .collect();
    if batch.is_empty() {
        return Ok(BTreeMap::new());
    }
    let routes = ask::<Route>(system, "-j -force -batch -", &batch)?;
    Ok(routes.into_iter().filter_map(Route::way).collect())
}

/// Looks into the VRFs for what is not on link outside.
fn vrfs(
    system: &mut dyn System,
    host: &Host,
    addresses: &BTreeSet<IpAddr>,
) -> Result<BTreeMap<IpAddr, String>, Error> {
    let apart = |address: &&IpAddr| host.ways.get(address).is_none_or(|way| way.gateway);
    let apart: Vec<_> = addresses.iter().filter(apart).collect();
    let mut found = BTreeMap::new();
    let vrfs = host.devices.iter().filter(|(_, it)| it.kind == "vrf");
    for (vrf, _) in vrfs {
        for (address, way) in ways(system, apart.iter().copied(), &format!(" vrf {vrf}"))? {
            // What the VRF has no route to is looked up outside again.
            let device = host.devices.get(&way.device);
            let within = device.and_then(|it| it.master.as_ref()) == Some(vrf);
            if within && !way.gateway {
                found.insert(address, vrf.clone());
            }
        }
    }
    Ok(found)
}
