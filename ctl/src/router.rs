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
            let of = |v6| {
                ghosts
                    .iter()
                    .filter(move |it| matches!(it, Address::V6(_)) == v6)
            };
            let names = match (of(false).count(), of(true).count()) {
                (0, _) => "ghost1v6",
                (_, 0) => "ghost1",
                _ => "ghost1 and ghost1v6 each",
            };
            lines.push(format!(
                "the router needs, {names} being an address on the servers' link that no host has:"
            ));
            for (v6, ghost1) in [(false, "ghost1"), (true, "ghost1v6")] {
                let needs: Vec<_> = of(v6).map(|ghost| need(shape, *ghost)).collect();
                lines.extend(needs.first().map(|it| neighbour(ghost1, &it.link)));
                lines.extend(needs.iter().map(|it| {
                    let ghost = &it.ghost;
                    format!("  ip route replace {ghost} via {ghost1} dev DEVICE")
                }));
            }
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
