// SPDX-License-Identifier: GPL-2.0
//! Ghosts among the addresses of this host.

use std::net::IpAddr;

use super::scene::Scene;
use super::words::{bind, unbind};
use super::Found;

/// A server that lacks the ghost: it drops what it gets, or sends it by its
/// own routes, and nothing on a dispatcher shows it.
pub fn missing(scene: &Scene) -> Vec<Found> {
    let pools = scene.pools.iter();
    let pools = pools.filter_map(|pool| Some((pool, scene.me(pool)?)));
    let ghosts = pools.flat_map(|(pool, me)| {
        let ghosts = pool.ghosts.iter();
        ghosts.map(move |ghost| (pool, me, ghost.address))
    });
    ghosts
        .filter(|(_, _, ghost)| !scene.host.is_local(*ghost))
        .map(|(pool, me, ghost)| {
            let text = format!(
                "this host is server {} of pool {} and does not have the ghost",
                me.name, pool.name
            );
            Found::new(ghost, text, bind(ghost))
        })
        .collect()
}

/// A ghost that DAD has found elsewhere is an address that serves nobody.
pub fn dad_failed(scene: &Scene) -> Vec<Found> {
    let ghosts = scene.ghosts().map(|(_, ghost)| ghost.address);
    let bindings = ghosts.flat_map(|ghost| scene.host.bindings(ghost));
    bindings
        .filter(|(_, bound)| bound.dad_failed)
        .map(|(device, bound)| {
            let ghost = bound.address;
            let text = format!(
                "duplicate address detection on {device} has found it on another host: \
                 it is not in use here"
            );
            let fix = format!(
                "{}; {}: there is no detection on lo",
                unbind(device, bound),
                bind(ghost)
            );
            Found::new(ghost, text, fix)
        })
        .collect()
}

/// Connections from a ghost have their answers dispatched, mostly to others.
pub fn as_source(scene: &Scene) -> Vec<Found> {
    let ways = |ghost: IpAddr| {
        let mut ways = scene.host.ways.iter();
        ways.find(|(_, way)| !way.local && way.source == Some(ghost))
    };
    let ghosts = scene.ghosts().map(|(_, ghost)| ghost.address);
    ghosts
        .filter_map(|ghost| Some((ghost, ways(ghost)?)))
        .map(|(ghost, (to, way))| {
            let text = format!(
                "this host's own packets to {to} have the ghost as source: \
                 answers go to whoever owns {to}"
            );
            let fix = format!(
                "have the ghost on lo, not on {}, or name another source in the route: \
                 ip route ... src ADDRESS",
                way.device
            );
            Found::new(ghost, text, fix)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::check::host::Network;
    use crate::check::sample::{ip, Sample, GHOST4, GHOST6, SERVER1, SERVER2};

    use super::*;

    #[test]
    fn a_server_lacks_a_ghost() {
        for mut sample in [Sample::plain(), Sample::member(), Sample::peer()] {
            assert_eq!(missing(sample.scene()), []);
            sample.unbind(GHOST4);
            let found = missing(sample.scene());
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].subject, GHOST4);
            assert_eq!(found[0].fix, format!("ip addr add {GHOST4}/32 dev lo"));
        }
    }

    #[test]
    fn a_dispatcher_needs_no_ghost() {
        assert!(!Sample::dispatcher().scene().host.is_local(ip(GHOST4)));
        assert_eq!(missing(Sample::dispatcher().scene()), []);
    }

    #[test]
    fn a_local_route_is_as_good_as_an_address() {
        let mut sample = Sample::plain();
        sample.unbind(GHOST4);
        sample.scene.host.local.push(Network {
            address: ip("192.0.2.0"),
            prefix: 24,
        });
        assert_eq!(missing(sample.scene()), []);
    }

    #[test]
    fn detection_failed() {
        let mut sample = Sample::plain();
        let eth0 = sample.device("eth0");
        eth0.addresses.push(Sample::address(GHOST6, 64));
        assert_eq!(dad_failed(sample.scene()), []);
        let eth0 = sample.device("eth0");
        eth0.addresses.last_mut().unwrap().dad_failed = true;
        let found = dad_failed(sample.scene());
        assert_eq!(found.len(), 1);
        assert!(found[0].text.contains("eth0"));
    }

    #[test]
    fn the_ghost_is_a_source() {
        let mut sample = Sample::plain();
        sample.way(SERVER2).source = Some(ip(SERVER1));
        assert_eq!(as_source(sample.scene()), []);
        sample.way(SERVER2).source = Some(ip(GHOST4));
        assert_eq!(as_source(sample.scene()).len(), 1);
        // Packets to itself do not leave the host.
        sample.way(SERVER2).local = true;
        assert_eq!(as_source(sample.scene()), []);
    }
}
