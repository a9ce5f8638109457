// SPDX-License-Identifier: GPL-2.0
//! What the router in front of a pool with mode broadcast has to be told, so that
//! packets for a ghost come to all servers.

use onehop_dispatch::group;
use onehop_uapi::{Address, Shape};
use serde::Serialize;

use crate::offline;

/// What it needs for one ghost.
#[derive(Serialize)]
pub struct Need {
    ghost: String,
    /// Where frames for the ghost have to go.
    link: String,
    /// Whether that is the link address of a next hop, one that no host has, rather
    /// than of the ghost itself.
    next_hop: bool,
}

pub fn need(shape: Shape, ghost: Address) -> Need {
    let of_group = |shape| group::link(shape, offline::address(ghost));
    let (link, next_hop) = match shape {
        Shape::Broadcast => ([0xff; 6], true),
        Shape::Multicast => (of_group(group::Shape::Multicast), false),
        Shape::Igmp => (of_group(group::Shape::Igmp), false),
    };
    Need {
        ghost: ghost.to_string(),
        link: link.map(|byte| format!("{byte:02x}")).join(":"),
        next_hop,
    }
}

/// The same as commands for a router with Linux, below a line that explains them.
pub fn commands(shape: Shape, ghosts: &[Address]) -> Vec<String> {
    let neighbour = |host: &str, link: &str| {
        format!("  ip neighbour replace {host} lladdr {link} nud permanent dev DEVICE")
    };
    let needs: Vec<_> = ghosts.iter().map(|ghost| need(shape, *ghost)).collect();
    let mut lines = Vec::new();
    match shape {
        Shape::Broadcast => {
            lines.push(
                "the router needs, ghost1 being an address on the servers' link that no host has:"
                    .to_owned(),
            );
            lines.extend(needs.first().map(|it| neighbour("ghost1", &it.link)));
            lines.extend(
                needs
                    .iter()
                    .map(|it| format!("  ip route replace {} via ghost1 dev DEVICE", it.ghost)),
            );
        }
        Shape::Multicast | Shape::Igmp => {
            lines.push(
                "the router needs, unless it learns them from the servers' ARP and ND:".to_owned(),
            );
            lines.extend(needs.iter().map(|it| neighbour(&it.ghost, &it.link)));
        }
    }
    lines
}
