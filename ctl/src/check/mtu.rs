// SPDX-License-Identifier: GPL-2.0
//! Sizes along a packet's way.

use std::collections::BTreeMap;

use super::scene::{Pool, Scene};
use super::words::list;
use super::Found;

/// The MTU of the devices by which a pool's servers are reached.
fn outlets<'a>(scene: &'a Scene, pool: &Pool) -> BTreeMap<&'a str, u32> {
    let devices = scene.linked(pool).into_iter();
    devices.map(|(name, device)| (name, device.mtu)).collect()
}

/// The largest MTU by which packets for a pool's ghosts come in, and whose it is.
fn largest<'a>(scene: &'a Scene, pool: &Pool) -> Option<(&'a str, u32)> {
    let inlets = scene.inlets(pool).into_iter();
    let inlets = inlets.filter_map(|name| Some((name, scene.host.devices.get(name)?.mtu)));
    inlets.max_by_key(|(_, mtu)| *mtu)
}

/// What comes in whole does not go out whole.
pub fn smaller(scene: &Scene) -> Vec<Found> {
    let mut found = Vec::new();
    for pool in scene.senders() {
        let Some((inlet, mtu)) = largest(scene, pool) else {
            continue;
        };
        let outlets = outlets(scene, pool).into_iter();
        let smaller = outlets.filter(|(_, outlet)| *outlet < mtu);
        found.extend(smaller.map(|(name, outlet)| {
            let text = format!(
                "its MTU {outlet} is less than the {mtu} of {inlet}: large packets for servers \
                 are fragmented, or refused as too big"
            );
            let fix = format!("ip link set {name} mtu {mtu}, there and on the servers");
            Found::new(name, text, fix)
        }));
    }
    found
}

/// The fast path looks at the device's MTU, not at a lower one of the route.
pub fn route(scene: &Scene) -> Vec<Found> {
    let addresses = scene.senders().flat_map(Pool::addresses);
    addresses
        .filter_map(|(server, address)| {
            let way = scene.host.ways.get(&address)?;
            let (mtu, device) = (way.mtu?, scene.host.devices.get(&way.device)?);
            (mtu < device.mtu).then(|| {
                let text = format!(
                    "the route to {address} has MTU {mtu}, which packets for ghosts \
                     do not keep to: they may have the {} of {}",
                    device.mtu, way.device
                );
                let fix = format!("ip link set {} mtu {mtu}", way.device);
                Found::new(format!("server {}", server.name), text, fix)
            })
        })
        .collect()
}

/// All fit what comes in, and yet they differ.
pub fn differs(scene: &Scene) -> Vec<Found> {
    let mut found = Vec::new();
    for pool in scene.senders() {
        let outlets = outlets(scene, pool);
        let (least, most) = (outlets.values().min(), outlets.values().max());
        let inlet = largest(scene, pool).map_or(0, |(_, mtu)| mtu);
        if least < most && least >= Some(&inlet) {
            let sizes = list(outlets.iter().map(|(name, mtu)| format!("{name} ({mtu})")));
            let text = format!("its servers are on links of different MTU: {sizes}");
            let fix = "have one MTU on all of them";
            found.push(Found::new(pool.subject(), text, fix));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::check::sample::{Sample, SERVER2};

    use super::*;

    #[test]
    fn the_way_out_is_smaller_than_the_way_in() {
        let mut sample = Sample::dispatcher();
        assert_eq!(smaller(sample.scene()), []);
        sample.device("eth1").mtu = 1400;
        let found = smaller(sample.scene());
        assert_eq!((found.len(), &*found[0].subject), (1, "eth1"));
        sample.device("eth0").mtu = 1400;
        assert_eq!(smaller(sample.scene()), []);
    }

    #[test]
    fn a_plain_server_sends_nothing_on() {
        let mut sample = Sample::plain();
        sample.scene.host.defaults4 = ["eth9".into()].into();
        sample.add("eth9", "");
        sample.device("eth9").mtu = 9000;
        assert_eq!(smaller(sample.scene()), []);
    }

    #[test]
    fn a_route_has_an_mtu() {
        let mut sample = Sample::dispatcher();
        sample.way(SERVER2).mtu = Some(1500);
        assert_eq!(route(sample.scene()), []);
        sample.way(SERVER2).mtu = Some(1400);
        assert_eq!(route(sample.scene())[0].subject, "server s2");
    }

    #[test]
    fn servers_are_on_different_links() {
        let mut sample = Sample::dispatcher();
        sample.add("eth2", "");
        sample.way(SERVER2).device = "eth2".into();
        assert_eq!(differs(sample.scene()), []);
        sample.device("eth2").mtu = 9000;
        assert_eq!(differs(sample.scene()).len(), 1);
        // Then it is a problem, and told as such.
        sample.device("eth2").mtu = 1400;
        assert_eq!(differs(sample.scene()), []);
        assert_eq!(smaller(sample.scene()).len(), 1);
    }
}
