// SPDX-License-Identifier: GPL-2.0
//! Large receive offload: what it has merged cannot be sent on.

use std::collections::BTreeSet;

use super::host::Lro;
use super::scene::Scene;
use super::words::list;
use super::Found;

/// Also on the devices below those that packets for ghosts come in by.
fn with<'a>(scene: &'a Scene, lro: Lro) -> BTreeSet<&'a str> {
    let pools = scene.senders();
    let inlets = pools.flat_map(|pool| {
        let links = scene.links(pool).into_iter();
        links.chain(scene.inlets(pool))
    });
    let all = inlets.flat_map(|name| scene.host.below(name));
    let is = |name: &&'a str| {
        scene
            .host
            .devices
            .get(*name)
            .is_some_and(|it| it.lro == lro)
    };
    all.filter(is).collect()
}

/// `ip_forward` turns it off; the module does not need `ip_forward`.
pub fn on(scene: &Scene) -> Vec<Found> {
    let devices = with(scene, Lro::On).into_iter();
    devices
        .map(|name| {
            let text = "LRO merges packets that can then not be sent on (drop_lro)";
            Found::new(name, text, format!("ethtool -K {name} lro off"))
        })
        .collect()
}

pub fn unknown(scene: &Scene) -> Vec<Found> {
    let devices = with(scene, Lro::Unknown);
    if devices.is_empty() {
        return Vec::new();
    }
    let text = "whether LRO is on could not be seen";
    let fix = "install ethtool, and see to it that ethtool -k says large-receive-offload: off";
    vec![Found::new(list(devices), text, fix)]
}

#[cfg(test)]
mod tests {
    use crate::check::sample::Sample;

    use super::*;

    #[test]
    fn it_is_on() {
        let mut sample = Sample::dispatcher();
        assert_eq!(on(sample.scene()), []);
        sample.device("eth0").lro = Lro::On;
        assert_eq!(on(sample.scene())[0].fix, "ethtool -K eth0 lro off");
        // Nobody asks a plain server to send on.
        let mut sample = Sample::plain();
        sample.device("eth0").lro = Lro::On;
        assert_eq!(on(sample.scene()), []);
    }

    #[test]
    fn it_is_on_below() {
        let mut sample = Sample::dispatcher();
        sample.device("eth0").kind = "bond".into();
        sample.add("eth9", "");
        sample.device("eth9").lro = Lro::On;
        assert_eq!(on(sample.scene()), []);
        sample.device("eth9").master = Some("eth0".into());
        assert_eq!(on(sample.scene())[0].subject, "eth9");
    }

    #[test]
    fn it_cannot_be_seen() {
        let mut sample = Sample::dispatcher();
        assert_eq!(unknown(sample.scene()), []);
        sample.device("eth0").lro = Lro::Unknown;
        sample.device("eth1").lro = Lro::Unknown;
        assert_eq!(unknown(sample.scene())[0].subject, "eth0 and eth1");
    }
}
