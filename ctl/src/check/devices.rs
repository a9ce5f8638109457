// SPDX-License-Identifier: GPL-2.0
//! The devices that the configuration names, and those that it should.

use onehop_uapi::{Mode, Shape};

use super::host::{Device, Family};
use super::scene::Scene;
use super::words::{list, sysctl};
use super::Found;

/// The devices named that are there.
fn named(scene: &Scene) -> impl Iterator<Item = (&str, &Device)> {
    let names = scene.devices.iter();
    names.filter_map(|name| Some((&**name, scene.host.devices.get(name)?)))
}

/// It is waited for, and meanwhile nothing is dropped early or answered on it.
pub fn absent(scene: &Scene) -> Vec<Found> {
    let names = scene.devices.iter();
    names
        .filter(|name| !scene.host.devices.contains_key(*name))
        .map(|name| {
            let text = "the configuration names it, and it is not there";
            let fix = "correct its name in devices; one that comes later is used then";
            Found::new(name, text, fix)
        })
        .collect()
}

pub fn down(scene: &Scene) -> Vec<Found> {
    named(scene)
        .filter(|(_, device)| !device.up)
        .map(|(name, _)| {
            let text = "the configuration names it, and it is down";
            Found::new(name, text, format!("ip link set {name} up"))
        })
        .collect()
}

/// Frames of a port are its bond's or bridge's: ARP and addresses are there.
pub fn port(scene: &Scene) -> Vec<Found> {
    named(scene)
        .filter(|(_, device)| scene.host.is_port(device))
        .filter_map(|(name, device)| {
            let master = device.master.as_ref()?;
            let text = format!("is a port of {master}, whose frames its frames become");
            let fix = format!("name {master} in devices instead");
            Some(Found::new(name, text, fix))
        })
        .collect()
}

/// The parent of a VLAN whose link the servers are on sees its frames with a tag.
pub fn vlan_parent(scene: &Scene) -> Vec<Found> {
    let pools = scene.pools.iter();
    let links: Vec<_> = pools.flat_map(|pool| scene.linked(pool)).collect();
    let own = |name: &str| links.iter().any(|(link, _)| *link == name);
    let vlan = |name: &str| {
        let mut links = links.iter();
        links.find(|(_, link)| link.kind == "vlan" && link.parent.as_deref() == Some(name))
    };
    named(scene)
        .filter(|(name, _)| !own(name))
        .filter_map(|(name, _)| Some((name, vlan(name)?.0)))
        .map(|(name, vlan)| {
            let text = format!("is the parent of {vlan}, on whose link the servers are");
            Found::new(name, text, format!("name {vlan} in devices instead"))
        })
        .collect()
}

/// A group address is only told on devices that are named.
pub fn unnamed(scene: &Scene) -> Vec<Found> {
    let pools = scene.pools.iter().filter(|pool| pool.groups());
    pools
        .filter(|pool| !scene.links(pool).is_empty())
        .filter(|pool| !scene.links(pool).into_iter().any(|link| scene.names(link)))
        .map(|pool| {
            let links = list(scene.links(pool));
            let text = format!(
                "its servers are on the link of {links}, which devices do not name: \
                 nobody answers there for its ghosts"
            );
            Found::new(pool.subject(), text, format!("add {links} to devices"))
        })
        .collect()
}

/// What others own is dropped at its cheapest only on devices that are named.
pub fn late_drop(scene: &Scene) -> Vec<Found> {
    let pools = scene.pools.iter();
    pools
        .filter(|pool| pool.shape == Some(Shape::Broadcast) && scene.me(pool).is_some())
        .flat_map(|pool| scene.links(pool))
        .filter(|link| !scene.names(link))
        .map(|link| {
            let text = "frames that others own come in by it and are dropped late, at more cost";
            Found::new(link, text, format!("add \"{link}\" to devices"))
        })
        .collect()
}

/// IPv6 tests this before the module sees the packet, but on devices that are
/// named; IPv4 tests it afterwards.
pub fn drop_unicast(scene: &Scene) -> Vec<Found> {
    let pools = scene.pools.iter();
    pools
        .filter(|pool| pool.mode == Mode::Broadcast && pool.has(Family::V6))
        .flat_map(|pool| scene.linked(pool))
        .filter(|(name, device)| device.settings.drop_unicast6 && !scene.names(name))
        .map(|(name, _)| {
            let text = "drop_unicast_in_l2_multicast=1 drops IPv6 packets for ghosts before \
                        the module sees them, as devices do not name it";
            let cure = sysctl("ipv6", name, "drop_unicast_in_l2_multicast", 0);
            Found::new(name, text, format!("add \"{name}\" to devices, or {cure}"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::check::sample::Sample;

    use super::*;

    #[test]
    fn a_device_is_absent() {
        let mut sample = Sample::member();
        assert_eq!(absent(sample.scene()), []);
        sample.scene.devices.push("eht0".into());
        assert_eq!(absent(sample.scene())[0].subject, "eht0");
    }

    #[test]
    fn a_device_is_down() {
        let mut sample = Sample::member();
        assert_eq!(down(sample.scene()), []);
        sample.device("eth0").up = false;
        assert_eq!(down(sample.scene()).len(), 1);
    }

    #[test]
    fn a_device_is_a_port() {
        for (kind, count) in [("bond", 1), ("bridge", 1), ("vrf", 0)] {
            let mut sample = Sample::member();
            assert_eq!(port(sample.scene()), []);
            sample.add("upper", kind);
            sample.device("eth0").master = Some("upper".into());
            assert_eq!(port(sample.scene()).len(), count, "{kind}");
        }
    }

    #[test]
    fn a_device_is_the_parent_of_the_vlan() {
        let mut sample = Sample::member();
        sample.add("eth9", "");
        sample.device("eth0").parent = Some("eth9".into());
        sample.device("eth0").kind = "vlan".into();
        assert_eq!(vlan_parent(sample.scene()), []);
        sample.scene.devices = vec!["eth9".into()];
        let found = vlan_parent(sample.scene());
        assert_eq!(found[0].fix, "name eth0 in devices instead");
        sample.device("eth0").kind = "macvlan".into();
        assert_eq!(vlan_parent(sample.scene()), []);
    }

    #[test]
    fn the_link_is_not_named() {
        for (shape, nobody, late) in [
            (Shape::Multicast, 1, 0),
            (Shape::Igmp, 1, 0),
            (Shape::Broadcast, 0, 1),
        ] {
            let mut sample = Sample::member();
            sample.scene.pools[0].shape = Some(shape);
            assert_eq!(unnamed(sample.scene()), []);
            assert_eq!(late_drop(sample.scene()), []);
            sample.add("eth9", "");
            sample.scene.devices = vec!["eth9".into()];
            assert_eq!(unnamed(sample.scene()).len(), nobody);
            assert_eq!(late_drop(sample.scene()).len(), late);
        }
    }

    #[test]
    fn unicast_is_dropped() {
        let mut sample = Sample::member();
        sample.device("eth0").settings.drop_unicast6 = true;
        assert_eq!(drop_unicast(sample.scene()), []);
        sample.scene.devices.clear();
        assert_eq!(drop_unicast(sample.scene()).len(), 1);
        sample.device("eth0").settings.drop_unicast6 = false;
        sample.device("eth0").settings.drop_unicast4 = true;
        assert_eq!(drop_unicast(sample.scene()), []);
        let mut sample = Sample::peer();
        sample.scene.devices.clear();
        sample.device("eth0").settings.drop_unicast6 = true;
        assert_eq!(drop_unicast(sample.scene()), []);
    }
}
