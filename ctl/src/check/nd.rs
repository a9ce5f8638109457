// SPDX-License-Identifier: GPL-2.0
//! Neighbour discovery on a server that has a ghost, without the module to guard it.

use super::host::Family;
use super::scene::Scene;
use super::words::{bind, unbind};
use super::Found;

/// On a device of the link, a ghost is detected as a duplicate of the other
/// servers' and advertised as this host's. On lo and dummies it is neither.
pub fn leak(scene: &Scene) -> Vec<Found> {
    let ghosts = scene.unguarded(Family::V6);
    ghosts
        .flat_map(|(_, ghost)| {
            let bindings = scene.host.bindings(ghost).filter(|(name, _)| {
                let device = scene.host.devices.get(*name);
                device.is_some_and(|device| device.resolves)
            });
            bindings.map(move |(name, bound)| {
                let text = format!(
                    "bound on {name}: detected as a duplicate of the other servers', \
                     and advertised as this host's"
                );
                let fix = format!(
                    "{}; {}; or load the module, which guards it",
                    unbind(name, bound),
                    bind(ghost)
                );
                Found::new(ghost, text, fix)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::check::sample::{Sample, GHOST6};

    use super::*;

    #[test]
    fn on_lo_it_is_silent_and_on_the_link_it_is_not() {
        let mut sample = Sample::plain();
        assert_eq!(leak(sample.scene()), []);
        sample.unbind(GHOST6);
        let eth0 = sample.device("eth0");
        eth0.addresses.push(Sample::address(GHOST6, 64));
        let found = leak(sample.scene());
        assert!(found[0]
            .fix
            .starts_with(&format!("ip addr del {GHOST6}/64 dev eth0; ")));
        assert_eq!(leak(sample.running().scene()), []);
    }
}
