// SPDX-License-Identifier: GPL-2.0

//! Keeps the link addresses of peers, by which a server tells a frame that another one has sent on.

use crate::{
    ffi::{
        ip::{Family, V4, V6},
        link::{Device, Mac},
        neigh::{self, Neighbour, NeighbourUser},
        netns::Net,
        rcu::Prepared,
    },
    state::{
        hop::{Hop, Way},
        pool::Pool,
        table::Table,
        Namespace, Turn,
    },
};
use kernel::{alloc::KVVec, pr_warn_once, prelude::*, sync::rcu, sync::Arc};

/// Looks at the peers again soon, after servers or ways have changed.
pub(super) fn look(namespace: &Namespace, turn: &mut Turn<'_>) {
    if let Some(neighbours) = &turn.data().neighbours {
        namespace.doubt_peers();
        neighbours.look();
    }
}

impl NeighbourUser for Namespace {
    fn neighbours_changed(self: &Arc<Self>) {
        // Under the turn, so that an older list never replaces a newer one.
        let turn = self.turn();
        let config = turn.current();
        let pools = config.map_or(&[][..], |config| config.pools());
        let peers = pools.iter().filter(|pool| pool.wanted().has_peers());
        let mut changed = self.take_doubt();
        for pool in peers.clone() {
            changed |= learn(self.net(), pool);
        }
        if !changed {
            return;
        }
        match table(peers.map(|pool| &**pool)) {
            Ok(peers) => self.set_peers(peers),
            // The list that stands is at worst too short: then a packet goes round more often.
            Err(_) => {
                self.doubt_peers();
                pr_warn_once!("no memory for the peers' link addresses\n");
            }
        }
    }
}

/// Notes the link addresses of a pool's servers. Returns whether any was another.
fn learn(net: &Net, pool: &Pool) -> bool {
    let mut changed = false;
    for member in pool.servers() {
        let hops = (pool.hop4(member.id), pool.hop6(member.id));
        changed |= hops.0.is_some_and(|hop| see::<V4>(net, hop));
        changed |= hops.1.is_some_and(|hop| see::<V6>(net, hop));
    }
    changed
}

/// Notes the link address that the neighbour table has for a server; asks for one that it has
/// nothing on. What was seen last stays noted, as unused entries are forgotten.
fn see<F: Family>(net: &Net, hop: &Hop<F::Address>) -> bool {
    let (Way::Link(ifindex), Some(address)) = (hop.way(), hop.address) else {
        return false;
    };
    let guard = rcu::read_lock();
    let Some(device) = Device::find(net, ifindex, (&guard).into()) else {
        return false;
    };
    let mac = Neighbour::find::<F>(&device, address, (&guard).into()).map(|it| it.mac());
    if mac.is_none() && hop.mac().is_none() {
        neigh::solicit::<F>(&device, address);
    }
    mac.flatten().is_some_and(|mac| hop.set_mac(mac))
}

/// The link addresses of all servers that have been seen; none if there is none.
fn table<'a>(pools: impl Iterator<Item = &'a Pool>) -> Result<Option<KBox<Prepared<Table<Mac>>>>> {
    let mut macs = KVVec::new();
    for pool in pools {
        for member in pool.servers() {
            let mac4 = pool.hop4(member.id).and_then(Hop::mac);
            let mac6 = pool.hop6(member.id).and_then(Hop::mac);
            for mac in [mac4, mac6].into_iter().flatten() {
                macs.push(mac, GFP_KERNEL_ACCOUNT)?;
            }
        }
    }
    if macs.is_empty() {
        return Ok(None);
    }
    let table = Table::new(macs.iter().map(|mac| (*mac, 0)))?;
    Ok(Some(Prepared::new(table)?))
}
