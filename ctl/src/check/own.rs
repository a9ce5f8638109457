// SPDX-License-Identifier: GPL-2.0
//! What a dispatcher's own processes and its own link make of a ghost.

use std::net::IpAddr;

use onehop_uapi::Mode;

use super::scene::Scene;
use super::Found;

/// Own packets to a ghost are dispatched on their way out; they need one.
pub fn local_out(scene: &Scene) -> Vec<Found> {
    let ghosts = scene.senders().flat_map(|pool| &pool.ghosts);
    let ghosts = ghosts.map(|ghost| ghost.address);
    ghosts
        .filter(|ghost| !scene.host.is_local(*ghost) && !scene.host.ways.contains_key(ghost))
        .map(|ghost| {
            let text = "there is no route to it: this host's own processes cannot reach it";
            let fix = format!("ip route add {ghost} dev DEVICE, the servers' link, if they should");
            Found::new(ghost, text, fix)
        })
        .collect()
}

/// A ghost within a network of this host's is asked for there, by ARP or ND.
pub fn answer_off(scene: &Scene) -> Vec<Found> {
    match &scene.module {
        Some(module) if !module.answer => (),
        _ => return Vec::new(),
    }
    let link = |ghost: IpAddr| {
        let devices = scene.host.devices.iter();
        let mut devices = devices.filter(|(_, device)| device.resolves);
        devices.find(|(_, device)| device.on_link(ghost))
    };
    let ghosts = scene.ghosts().filter(|(pool, ghost)| {
        ghost.running
            && match pool.mode {
                // Whoever has it as an address, and is no server, answers anyway.
                Mode::Router => scene.me(pool).is_none() && !scene.host.is_local(ghost.address),
                Mode::Peer => true,
                Mode::Broadcast => false,
            }
    });
    ghosts
        .filter_map(|(_, ghost)| Some((ghost.address, link(ghost.address)?.0)))
        .map(|(ghost, device)| {
            let text = format!(
                "is within a network of {device}, whose hosts ask for it; this host does not answer"
            );
            let fix = "onehopctl answer on, on one host; nothing if routers have a route to it";
            Found::new(ghost, text, fix)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::check::sample::{ip, Sample, GHOST4};

    use super::*;

    #[test]
    fn own_processes_have_no_route() {
        let mut sample = Sample::dispatcher();
        assert_eq!(local_out(sample.scene()), []);
        sample.scene.host.ways.remove(&ip(GHOST4));
        assert_eq!(local_out(sample.scene())[0].subject, GHOST4);
        sample
            .device("lo")
            .addresses
            .push(Sample::address(GHOST4, 32));
        assert_eq!(local_out(sample.scene()), []);
    }

    #[test]
    fn nobody_answers_on_the_link() {
        for mut sample in [Sample::dispatcher(), Sample::peer()] {
            assert_eq!(answer_off(sample.scene()), []);
            let eth0 = sample.device("eth0");
            eth0.addresses.push(Sample::address("192.0.2.7", 24));
            assert_eq!(answer_off(sample.scene())[0].subject, GHOST4);
            sample.scene.module.as_mut().unwrap().answer = true;
            assert_eq!(answer_off(sample.scene()), []);
        }
    }

    #[test]
    fn a_dispatcher_that_has_the_ghost_answers() {
        let mut sample = Sample::dispatcher();
        let eth0 = sample.device("eth0");
        eth0.addresses.push(Sample::address("192.0.2.7", 24));
        eth0.addresses.push(Sample::address(GHOST4, 24));
        assert_eq!(answer_off(sample.scene()), []);
    }
}
