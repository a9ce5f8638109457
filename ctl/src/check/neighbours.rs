// SPDX-License-Identifier: GPL-2.0
//! The neighbour tables, where every server needs its place.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::host::Family;
use super::scene::{Pool, Scene};
use super::Found;

/// The kernel's own value, where the table's limit cannot be seen.
const DEFAULT: usize = 1024;

pub fn table(scene: &Scene) -> Vec<Found> {
    let limits = [
        (Family::V4, "ipv4", scene.host.neighbours4),
        (Family::V6, "ipv6", scene.host.neighbours6),
    ];
    limits
        .into_iter()
        .filter_map(|(family, name, seen)| {
            let servers = servers(scene, family);
            let limit = seen.unwrap_or(DEFAULT);
            let key = format!("net.{name}.neigh.default.gc_thresh3");
            (servers > limit).then(|| {
                let of = match seen {
                    Some(_) => "",
                    None => ", by default, as it is not to be seen in this namespace",
                };
                let text = format!(
                    "is {limit}{of}: too few neighbours for {servers} servers, \
                     which drop out of the table by turns"
                );
                let value = (2 * servers).next_power_of_two();
                let fix = format!("sysctl -w {key}={value}, in the first namespace");
                Found::new(key, text, fix)
            })
        })
        .collect()
}

/// How many other hosts packets are sent on to.
fn servers(scene: &Scene, family: Family) -> usize {
    let addresses = scene.senders().flat_map(Pool::addresses);
    let addresses = addresses.map(|(_, address)| address);
    let others: BTreeSet<IpAddr> = addresses
        .filter(|address| Family::of(*address) == family && !scene.host.is_local(*address))
        .collect();
    others.len()
}

#[cfg(test)]
mod tests {
    use crate::check::sample::Sample;
    use crate::check::scene::Server;

    use super::*;

    #[test]
    fn there_are_more_servers_than_places() {
        let mut sample = Sample::dispatcher();
        sample.scene.host.neighbours4 = Some(2);
        sample.scene.host.neighbours6 = Some(2);
        assert_eq!(table(sample.scene()), []);
        sample.scene.host.neighbours4 = Some(1);
        let found = table(sample.scene());
        assert_eq!(found[0].subject, "net.ipv4.neigh.default.gc_thresh3");
        assert!(found[0].fix.contains("gc_thresh3=4"));
        sample.scene.host.neighbours6 = Some(1);
        assert_eq!(table(sample.scene()).len(), 2);
    }

    #[test]
    fn this_host_needs_no_place_and_a_member_has_no_neighbours_to_keep() {
        let mut sample = Sample::peer();
        sample.scene.host.neighbours4 = Some(1);
        assert_eq!(table(sample.scene()), []);
        let mut sample = Sample::member();
        sample.scene.host.neighbours4 = Some(0);
        assert_eq!(table(sample.scene()), []);
    }

    #[test]
    fn a_limit_that_cannot_be_seen_is_the_default() {
        let mut sample = Sample::dispatcher();
        sample.scene.host.neighbours4 = None;
        let servers = &mut sample.scene.pools[0].servers;
        servers.clear();
        servers.extend((0..1024u32).map(|n| Server {
            name: format!("s{n}"),
            addresses: vec![IpAddr::V4((0x0a02_0000 + n).into())],
            unreachable: Vec::new(),
        }));
        assert_eq!(table(sample.scene()), []);
        servers_of(&mut sample)[0]
            .addresses
            .push("10.3.0.1".parse().unwrap());
        let found = table(sample.scene());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].subject, "net.ipv4.neigh.default.gc_thresh3");
    }

    fn servers_of(sample: &mut Sample) -> &mut [Server] {
        &mut sample.scene.pools[0].servers
    }
}
