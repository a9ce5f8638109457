// SPDX-License-Identifier: GPL-2.0
//! Bridges that forward group frames to those who have joined only.

use super::host::Family;
use super::scene::Scene;
use super::words::list;
use super::Found;

/// A bridge that snoops looks IP packets up by their address, which is no group's
/// here, and sends them to routers only, as soon as there is a querier.
pub fn querier(scene: &Scene) -> Vec<Found> {
    let wants = |family: &Family| {
        let mut pools = scene.pools.iter();
        pools.any(|pool| pool.groups() && pool.has(*family))
    };
    let bridges = scene.host.devices.iter();
    bridges
        .filter_map(|(name, device)| {
            let queriers = device.queriers.iter().filter(|family| wants(family));
            let queriers: Vec<_> = queriers
                .map(|family| match family {
                    Family::V4 => "IGMP",
                    Family::V6 => "MLD",
                })
                .collect();
            (!queriers.is_empty()).then(|| {
                let text = format!(
                    "the bridge snoops multicast and there is a querier ({}): \
                     frames to a ghost's group address reach no member",
                    list(queriers)
                );
                let fix = format!(
                    "ip link set {name} type bridge mcast_snooping 0; or use shape broadcast"
                );
                Found::new(name, text, fix)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use onehop_uapi::Shape;

    use crate::check::sample::Sample;

    use super::*;

    #[test]
    fn a_querier_is_there() {
        for (shape, count) in [
            (Shape::Multicast, 1),
            (Shape::Igmp, 1),
            (Shape::Broadcast, 0),
        ] {
            let mut sample = Sample::member();
            sample.scene.pools[0].shape = Some(shape);
            sample.add("br0", "bridge");
            assert_eq!(querier(sample.scene()), []);
            sample.device("br0").queriers = vec![Family::V4];
            assert_eq!(querier(sample.scene()).len(), count);
            // One of the other family is of no concern.
            let ghosts = &mut sample.scene.pools[0].ghosts;
            ghosts.retain(|ghost| !ghost.address.is_ipv4());
            assert_eq!(querier(sample.scene()), []);
        }
    }
}
