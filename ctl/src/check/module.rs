// SPDX-License-Identifier: GPL-2.0
//! The module: not there where it should be, or there and stopped.

use std::collections::BTreeSet;

use onehop_uapi::Mode;

use super::scene::{Ghost, Pool, Scene};
use super::words::{list, sysctl, unbind};
use super::Found;

/// A ghost that is bound, or is to be served, where the module does not have it.
pub fn off(scene: &Scene) -> Vec<Found> {
    let (why, fix) = match scene.module {
        None => ("the module is not loaded", "modprobe onehop and "),
        Some(_) => ("it is not in the module's configuration", ""),
    };
    let fix = format!("{fix}onehopctl apply FILE; or take the ghost off");
    let ghosts = scene.ghosts().filter(|(_, ghost)| !ghost.running);
    ghosts
        .filter_map(|(pool, ghost)| {
            let text = format!("{why}, and {}", without_module(scene, pool, ghost)?);
            Some(Found::new(ghost.address, text, &*fix))
        })
        .collect()
}

/// The harm that a ghost does whose module is off.
fn without_module(scene: &Scene, pool: &Pool, ghost: &Ghost) -> Option<&'static str> {
    let bound = scene.host.is_local(ghost.address);
    match (pool.mode, bound, scene.me(pool).is_some()) {
        // A plain server is fine without.
        (Mode::Router, true, true) => None,
        (Mode::Router, true, false) => {
            Some("bound here: this host takes every client's packets and serves none")
        }
        (Mode::Broadcast, true, _) => {
            Some("bound here: this host answers the clients of all servers")
        }
        (Mode::Peer, true, _) => {
            Some("bound here: this host keeps, and resets, the connections of others' clients")
        }
        (Mode::Broadcast | Mode::Peer, false, true) => {
            Some("this host is a server: its clients get no answer")
        }
        (Mode::Router, false, _) | (_, false, false) => None,
    }
}

/// Fails closed: whatever comes for a ghost is dropped.
pub fn disabled(scene: &Scene) -> Vec<Found> {
    match &scene.module {
        Some(module) if !module.enabled && !scene.pools.is_empty() => vec![Found::new(
            "net.onehop.enabled",
            "is 0: packets for ghosts are dropped",
            "sysctl -w net.onehop.enabled=1",
        )],
        _ => Vec::new(),
    }
}

/// The file that was checked is not what packets meet.
pub fn not_applied(scene: &Scene) -> Vec<Found> {
    if scene.module.is_none() || scene.applied {
        return Vec::new();
    }
    vec![Found::new(
        "configuration",
        "the file differs from what the module has",
        "onehopctl apply FILE; --dry-run says what would change",
    )]
}

/// What a member would do if the module went before the ghost.
pub fn unload_order(scene: &Scene) -> Vec<Found> {
    let ghosts = scene.ghosts().filter(|(_, ghost)| ghost.running);
    let mine = ghosts
        .filter(|(pool, ghost)| scene.me(pool).is_some() && scene.host.is_local(ghost.address));
    mine.filter_map(|(pool, ghost)| {
        let open = left_open(scene, pool, ghost);
        let harms: BTreeSet<_> = open.iter().map(|(harm, _)| *harm).collect();
        if harms.is_empty() {
            return None;
        }
        let text = format!(
            "if the module were unloaded now, this host would {}",
            list(harms)
        );
        let binding = scene.host.bindings(ghost.address).next();
        let fix = format!(
            "take it off first{}; or {}",
            binding.map_or_else(String::new, |(name, it)| format!(": {}", unbind(name, it))),
            list(open.iter().map(|(_, cure)| cure))
        );
        Some(Found::new(ghost.address, text, fix))
    })
    .collect()
}

/// What the settings leave open without the module, and what would close it.
fn left_open(scene: &Scene, pool: &Pool, ghost: &Ghost) -> Vec<(&'static str, String)> {
    let v4 = ghost.address.is_ipv4();
    let mut open = Vec::new();
    for (name, device) in scene.linked(pool) {
        if v4 && device.resolves && device.settings.arp_ignore == 0 {
            let cure = sysctl("ipv4", name, "arp_ignore", 1);
            open.push(("answer ARP for it", cure));
        }
        let (family, drops) = match v4 {
            true => ("ipv4", device.settings.drop_unicast4),
            false => ("ipv6", device.settings.drop_unicast6),
        };
        if pool.mode == Mode::Broadcast && !drops {
            let cure = sysctl(family, name, "drop_unicast_in_l2_multicast", 1);
            // Elsewhere the setting would be a trap itself: see `drop-unicast`.
            let named = match v4 || scene.names(name) {
                true => String::new(),
                false => format!("name {name} in devices and "),
            };
            open.push(("answer pings of all clients", named + &cure));
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use crate::check::sample::{ip, Sample, GHOST4, GHOST6};

    use super::*;

    #[test]
    fn a_member_without_its_module() {
        for sample in [Sample::member(), Sample::peer()] {
            assert_eq!(off(sample.scene()), []);
            let mut sample = sample.stopped();
            let found = off(sample.scene());
            assert_eq!(found.len(), 2);
            assert!(found[0].text.contains("not loaded, and bound here"));
            sample.unbind(GHOST4);
            let found = off(sample.scene());
            assert!(found.iter().any(|it| it.text.contains("get no answer")));
        }
    }

    #[test]
    fn a_ghost_that_is_not_in_the_configuration() {
        let mut sample = Sample::member();
        let ghosts = &mut sample.scene.pools[0].ghosts;
        let ghost = ghosts.iter_mut().find(|it| it.address == ip(GHOST6));
        ghost.unwrap().running = false;
        let found = off(sample.scene());
        assert_eq!((found.len(), &*found[0].subject), (1, GHOST6));
        assert!(found[0].text.contains("not in the module's configuration"));
    }

    #[test]
    fn without_the_module_a_plain_server_is_fine_and_a_dispatcher_with_the_ghost_is_not() {
        assert_eq!(off(Sample::plain().scene()), []);
        let mut sample = Sample::dispatcher().stopped();
        assert_eq!(off(sample.scene()), []);
        let eth0 = sample.device("eth0");
        eth0.addresses.push(Sample::address(GHOST4, 32));
        assert_eq!(off(sample.scene()).len(), 1);
    }

    #[test]
    fn it_is_disabled() {
        for mut sample in [Sample::dispatcher(), Sample::member()] {
            assert_eq!(disabled(sample.scene()), []);
            sample.scene.module.as_mut().unwrap().enabled = false;
            assert_eq!(disabled(sample.scene()).len(), 1);
        }
        assert_eq!(disabled(Sample::plain().scene()), []);
    }

    #[test]
    fn the_file_is_not_applied() {
        let mut sample = Sample::dispatcher();
        assert_eq!(not_applied(sample.scene()), []);
        sample.scene.applied = false;
        assert_eq!(not_applied(sample.scene()).len(), 1);
        assert_eq!(not_applied(sample.stopped().scene()), []);
    }

    #[test]
    fn an_unload_leaves_open_what_the_settings_do_not_close() {
        let mut sample = Sample::member();
        let found = unload_order(sample.scene());
        let texts = found.iter().map(|it| (&*it.subject, &*it.text));
        let open = "if the module were unloaded now, this host would";
        assert_eq!(
            texts.collect::<Vec<_>>(),
            [
                (
                    GHOST4,
                    &*format!("{open} answer ARP for it and answer pings of all clients")
                ),
                (GHOST6, &*format!("{open} answer pings of all clients")),
            ]
        );
        let settings = &mut sample.device("eth0").settings;
        settings.arp_ignore = 1;
        settings.drop_unicast4 = true;
        settings.drop_unicast6 = true;
        assert_eq!(unload_order(sample.scene()), []);
        assert_eq!(unload_order(Sample::dispatcher().scene()), []);
    }

    #[test]
    fn an_unload_leaves_nothing_open_of_what_is_not_here_or_not_served() {
        let mut sample = Sample::dispatcher();
        sample
            .device("eth0")
            .addresses
            .push(Sample::address(GHOST4, 32));
        assert_eq!(unload_order(sample.scene()), []);
        let mut sample = Sample::member();
        sample.unbind(GHOST4);
        assert_eq!(unload_order(sample.scene()).len(), 1);
    }

    #[test]
    fn what_closes_it_is_no_trap_itself() {
        let mut sample = Sample::member();
        let name = "name eth0 in devices and ";
        let named = |sample: &Sample| {
            let found = unload_order(sample.scene());
            found
                .iter()
                .map(|it| it.fix.contains(name))
                .collect::<Vec<_>>()
        };
        assert_eq!(named(&sample), [false, false]);
        sample.scene.devices.clear();
        assert_eq!(named(&sample), [false, true]);
    }
}
