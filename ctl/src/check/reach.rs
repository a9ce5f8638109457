// SPDX-License-Identifier: GPL-2.0
//! Servers that packets cannot be sent on to.

use std::net::IpAddr;

use super::scene::{Scene, Server};
use super::Found;

/// The servers' addresses that are not on any link of this host's.
fn apart(scene: &Scene) -> impl Iterator<Item = (&Server, IpAddr)> {
    let addresses = scene.senders().flat_map(|pool| {
        let running = pool.running();
        pool.addresses().map(move |it| (running, it))
    });
    let others = addresses.filter(|(_, (_, address))| !scene.host.is_local(*address));
    let apart = others.filter(|(running, (server, address))| match running {
        true => server.unreachable.contains(address),
        false => match scene.host.ways.get(address) {
            None => true,
            Some(way) => way.gateway,
        },
    });
    apart.map(|(_, it)| it)
}

fn subject(server: &Server, address: IpAddr) -> String {
    format!("server {} ({address})", server.name)
}

/// Its packets are dropped, and its clients do not move.
pub fn unreachable(scene: &Scene) -> Vec<Found> {
    apart(scene)
        .filter(|(_, address)| !scene.host.vrfs.contains_key(address))
        .map(|(server, address)| {
            let text = match scene.host.ways.get(&address) {
                Some(way) if way.gateway => {
                    format!(
                        "is behind a router, by {}: not on a link of this host",
                        way.device
                    )
                }
                Some(_) => "the module has no way to it".into(),
                None => "there is no route to it".into(),
            };
            let fix =
                "give this host an address in its network, or a route to it by a device alone";
            Found::new(subject(server, address), text, fix)
        })
        .collect()
}

/// Ways are looked up outside of VRFs.
pub fn in_vrf(scene: &Scene) -> Vec<Found> {
    apart(scene)
        .filter_map(|(server, address)| {
            let vrf = scene.host.vrfs.get(&address)?;
            let text = format!("is on a link of VRF {vrf} only, where onehop does not look");
            let fix = "take the device out of the VRF, or put a route to it by the device alone into table main";
            Some(Found::new(subject(server, address), text, fix))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::check::sample::{ip, Sample, SERVER2};

    use super::*;

    #[test]
    fn the_module_does_not_reach_it() {
        for mut sample in [Sample::dispatcher(), Sample::peer()] {
            assert_eq!(unreachable(sample.scene()), []);
            sample.scene.pools[0].servers[1].unreachable = vec![ip(SERVER2)];
            let found = unreachable(sample.scene());
            assert_eq!(found[0].subject, format!("server s2 ({SERVER2})"));
            assert_eq!(in_vrf(sample.scene()), []);
        }
    }

    #[test]
    fn before_the_module_runs_routes_tell() {
        let mut sample = Sample::dispatcher().stopped();
        assert_eq!(unreachable(sample.scene()), []);
        sample.way(SERVER2).gateway = true;
        assert!(unreachable(sample.scene())[0]
            .text
            .contains("behind a router"));
        sample.scene.host.ways.remove(&ip(SERVER2));
        assert!(unreachable(sample.scene())[0].text.contains("no route"));
    }

    #[test]
    fn it_is_in_a_vrf() {
        let mut sample = Sample::dispatcher();
        sample.scene.host.vrfs.insert(ip(SERVER2), "red".into());
        assert_eq!(in_vrf(sample.scene()), []);
        sample.scene.pools[0].servers[1].unreachable = vec![ip(SERVER2)];
        assert_eq!(in_vrf(sample.scene()).len(), 1);
        assert_eq!(unreachable(sample.scene()), []);
    }

    #[test]
    fn a_member_or_a_plain_server_need_not_reach_the_others() {
        for mut sample in [Sample::member(), Sample::plain()] {
            sample.scene.pools[0].servers[1].unreachable = vec![ip(SERVER2)];
            sample.scene.host.ways.clear();
            assert_eq!(unreachable(sample.scene()), []);
        }
    }
}
