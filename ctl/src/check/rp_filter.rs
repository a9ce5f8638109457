// SPDX-License-Identifier: GPL-2.0
//! Reverse path filtering. Packets that are sent on never meet it; those that
//! this host keeps do. IPv4 only: the kernel has none for IPv6.

use super::host::{Device, Family};
use super::scene::Scene;
use super::words::{list, sysctl};
use super::Found;

const STRICT: u32 = 1;

fn is_strict(scene: &Scene, device: &Device) -> bool {
    // The routes of a VRF are its own.
    device.settings.rp_filter == STRICT && scene.host.master_kind(device) != "vrf"
}

/// A server whose clients are answered by another device than they come in by.
pub fn strict(scene: &Scene) -> Vec<Found> {
    let defaults = &scene.host.defaults4;
    let pools = scene.pools.iter();
    let pools = pools.filter(|pool| scene.me(pool).is_some() && pool.has(Family::V4));
    pools
        .flat_map(|pool| scene.linked(pool))
        .filter(|(name, device)| {
            is_strict(scene, device) && !defaults.is_empty() && !defaults.contains(*name)
        })
        .map(|(name, _)| {
            let text = format!(
                "rp_filter=1 drops packets of clients that this host answers by another device; \
                 its default route is by {}",
                list(defaults)
            );
            Found::new(name, text, sysctl("ipv4", name, "rp_filter", 2))
        })
        .collect()
}

/// Answers from a ghost come in by the servers' link, wherever its route points.
pub fn own(scene: &Scene) -> Vec<Found> {
    let mut found = Vec::new();
    for pool in scene.senders() {
        let ghosts = pool.ghosts.iter().map(|ghost| ghost.address);
        for ghost in ghosts.filter(|it| it.is_ipv4() && !scene.host.is_local(*it)) {
            let Some(way) = scene.host.ways.get(&ghost) else {
                continue;
            };
            let links = scene.linked(pool).into_iter();
            let links =
                links.filter(|(name, device)| *name != way.device && is_strict(scene, device));
            found.extend(links.map(|(name, _)| {
                let text = format!(
                    "rp_filter=1 drops what {ghost} answers to this host's own processes: \
                     its route is by {}",
                    way.device
                );
                Found::new(name, text, sysctl("ipv4", name, "rp_filter", 2))
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::check::sample::Sample;

    use super::*;

    #[test]
    fn clients_are_answered_by_another_device() {
        for (mut sample, level) in [Sample::plain(), Sample::member()].into_iter().zip([0, 2]) {
            sample.add("eth9", "");
            sample.device("eth0").settings.rp_filter = STRICT;
            assert_eq!(strict(sample.scene()), []);
            sample.scene.host.defaults4 = ["eth9".into()].into();
            let found = strict(sample.scene());
            assert_eq!((found.len(), &*found[0].subject), (1, "eth0"));
            sample.device("eth0").settings.rp_filter = level;
            assert_eq!(strict(sample.scene()), []);
        }
    }

    #[test]
    fn a_vrf_has_routes_of_its_own() {
        let mut sample = Sample::plain();
        sample.device("eth0").settings.rp_filter = STRICT;
        sample.scene.host.defaults4 = ["eth9".into()].into();
        sample.add("red", "vrf");
        sample.device("eth0").master = Some("red".into());
        assert_eq!(strict(sample.scene()), []);
    }

    #[test]
    fn answers_to_the_dispatcher_itself() {
        let mut sample = Sample::dispatcher();
        assert_eq!(own(sample.scene()), []);
        sample.device("eth1").settings.rp_filter = STRICT;
        assert_eq!(own(sample.scene()).len(), 1);
        // Sent on, it is not asked.
        assert_eq!(strict(sample.scene()), []);
        sample.device("eth1").settings.rp_filter = 2;
        sample.device("eth0").settings.rp_filter = STRICT;
        assert_eq!(own(sample.scene()), []);
    }
}
