// SPDX-License-Identifier: GPL-2.0
//! ARP on a server that has a ghost, without the module to guard it.

use std::net::IpAddr;

use super::host::{Device, Family};
use super::scene::Scene;
use super::words::{list, sysctl};
use super::Found;

/// A host that answers ARP for the ghost draws all clients of the link to itself.
pub fn ignore(scene: &Scene) -> Vec<Found> {
    leaks(scene, answers)
        .map(|(ghost, devices)| {
            let levels = list(devices.iter().map(|(name, device)| {
                format!("{name} (arp_ignore {})", device.settings.arp_ignore)
            }));
            let text =
                format!("ARP for it is answered with this host's own link address on {levels}");
            let bound = devices.iter().find(|(_, device)| device.has(ghost));
            let moved = bound.map(|(name, _)| format!("have it on lo instead of {name}, and "));
            let fix = format!(
                "{}{}, before the address; or load the module, which guards it",
                moved.unwrap_or_default(),
                sysctl("ipv4", "all", "arp_ignore", 1)
            );
            Found::new(ghost, text, fix)
        })
        .collect()
}

/// An ARP request in the ghost's name teaches the link this host's address.
pub fn announce(scene: &Scene) -> Vec<Found> {
    leaks(scene, announces)
        .map(|(ghost, devices)| {
            let levels = list(devices.iter().map(|(name, device)| {
                format!("{name} (arp_announce {})", device.settings.arp_announce)
            }));
            let text =
                format!("ARP requests that this host sends for it name it as sender on {levels}");
            let fix = format!(
                "{}; or load the module, which guards it",
                sysctl("ipv4", "all", "arp_announce", 2)
            );
            Found::new(ghost, text, fix)
        })
        .collect()
}

/// The ghosts that no module guards, each with the devices that leak it.
fn leaks(
    scene: &Scene,
    leak: fn(&Scene, &Device, IpAddr) -> bool,
) -> impl Iterator<Item = (IpAddr, Vec<(&str, &Device)>)> {
    let ghosts = scene.unguarded(Family::V4);
    let leaks = ghosts.map(move |(pool, ghost)| {
        let devices = scene.linked(pool).into_iter();
        let devices = devices.filter(|(_, device)| device.resolves && leak(scene, device, ghost));
        (ghost, devices.collect::<Vec<_>>())
    });
    leaks.filter(|(_, devices)| !devices.is_empty())
}

/// Whether a device answers for an address, as `arp_ignore` has it.
fn answers(scene: &Scene, device: &Device, ghost: IpAddr) -> bool {
    match device.settings.arp_ignore {
        1 | 2 => device.has(ghost),
        3 => {
            let mut holders = scene.host.holders(ghost);
            holders.any(|(_, holder)| {
                let mut addresses = holder.addresses.iter();
                addresses.any(|it| it.address == ghost && !it.host_scope)
            })
        }
        8 => false,
        _ => true,
    }
}

/// Whether a request may name an address as sender, as `arp_announce` has it.
fn announces(_: &Scene, device: &Device, ghost: IpAddr) -> bool {
    match device.settings.arp_announce {
        0 => true,
        // Kept where sender and target are in one network of the device.
        1 => device.on_link(ghost),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::check::sample::{Sample, GHOST4, SERVER1};

    use super::*;

    fn with(ignore_level: u32, announce_level: u32) -> Sample {
        let mut sample = Sample::plain();
        let settings = &mut sample.device("eth0").settings;
        settings.arp_ignore = ignore_level;
        settings.arp_announce = announce_level;
        sample
    }

    #[test]
    fn it_is_answered_for() {
        let levels = [0, 1, 2, 3, 4, 8];
        let leaks = levels.map(|level| ignore(with(level, 2).scene()).len());
        assert_eq!(leaks, [1, 0, 0, 1, 1, 0]);
        let found = ignore(with(0, 2).scene());
        assert_eq!(found[0].subject, GHOST4);
        assert!(
            found[0].text.ends_with("on eth0 (arp_ignore 0)"),
            "{found:?}"
        );
    }

    #[test]
    fn on_the_link_itself_it_is_answered_for_with_arp_ignore_1_too() {
        let mut sample = with(1, 2);
        assert_eq!(ignore(sample.scene()), []);
        sample.unbind(GHOST4);
        let eth0 = sample.device("eth0");
        eth0.addresses.push(Sample::address(GHOST4, 32));
        let found = ignore(sample.scene());
        assert!(found[0].fix.starts_with("have it on lo instead of eth0"));
    }

    #[test]
    fn scope_host_is_not_told_with_arp_ignore_3() {
        let mut sample = with(3, 2);
        let addresses = sample.device("lo").addresses.iter_mut();
        for address in addresses.filter(|it| it.address.is_ipv4()) {
            address.host_scope = true;
        }
        assert_eq!(ignore(sample.scene()), []);
    }

    #[test]
    fn it_is_a_sender() {
        let leaks = [0, 1, 2].map(|level| announce(with(1, level).scene()).len());
        assert_eq!(leaks, [1, 0, 0]);
        // In one network with the servers it leaks with arp_announce 1 too.
        let mut sample = with(1, 1);
        sample
            .device("eth0")
            .addresses
            .push(Sample::address("192.0.2.1", 24));
        assert_eq!(announce(sample.scene()).len(), 1);
    }

    #[test]
    fn the_module_guards_it() {
        for mut sample in [Sample::member(), Sample::peer(), with(0, 0).running()] {
            let settings = &mut sample.device("eth0").settings;
            (settings.arp_ignore, settings.arp_announce) = (0, 0);
            assert_eq!(ignore(sample.scene()), []);
            assert_eq!(announce(sample.scene()), []);
        }
    }

    #[test]
    fn a_device_without_arp_tells_nothing() {
        let mut sample = with(0, 0);
        sample.device("eth0").resolves = false;
        assert_eq!(ignore(sample.scene()), []);
        assert_eq!(announce(sample.scene()), []);
    }

    #[test]
    fn in_mode_broadcast_it_leaks_from_whoever_has_it() {
        let mut sample = Sample::member().stopped();
        sample.unbind(SERVER1);
        sample.unbind("2001:db8::1");
        assert_eq!(ignore(sample.scene()).len(), 1);
        // A dispatcher may have it, to be asked for it.
        let mut sample = Sample::dispatcher().stopped();
        sample
            .device("eth0")
            .addresses
            .push(Sample::address(GHOST4, 32));
        assert_eq!(ignore(sample.scene()), []);
    }
}
