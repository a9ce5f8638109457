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
        config::Config,
        hop::{Hop, Way},
        pool::Pool,
        table::Table,
        Namespace, Turn,
    },
    uapi::Mode,
};
use kernel::{alloc::KVVec, prelude::*, sync::rcu, sync::Arc};

/// Looks at the peers again soon, after servers or ways have changed.
pub(super) fn look(turn: &mut Turn<'_>) {
    if let Some(neighbours) = &turn.data().neighbours {
        neighbours.look();
    }
}

impl NeighbourUser for Namespace {
    fn neighbours_changed(self: &Arc<Self>) {
        // Under the turn, so that an older list never replaces a newer one.
        let turn = self.turn();
        let config = turn.current();
        let peers = config.map_or(Ok(None), |config| peers(self.net(), config));
        match peers {
            Ok(peers) => self.set_peers(peers),
            // The list that stands is at worst too short: then a packet goes round more often.
            Err(_) => pr_warn!("no memory for the peers' link addresses\n"),
        }
    }
}

/// The link addresses of all peers that have been seen; none if no pool has mode peer.
fn peers(net: &Net, config: &Config) -> Result<Option<KBox<Prepared<Table<Mac>>>>> {
    let mut macs = KVVec::new();
    let pools = config.pools().iter();
    for pool in pools.filter(|pool| pool.wanted.mode == Mode::Peer) {
        learn(net, pool, &mut macs)?;
    }
    if macs.is_empty() {
        return Ok(None);
    }
    let table = Table::new(macs.iter().map(|mac| (*mac, 0)))?;
    Ok(Some(Prepared::new(table)?))
}

fn learn(net: &Net, pool: &Pool, macs: &mut KVVec<Mac>) -> Result {
    for member in &pool.members {
        let mac4 = pool.hop4(member.id).and_then(|hop| mac::<V4>(net, hop));
        let mac6 = pool.hop6(member.id).and_then(|hop| mac::<V6>(net, hop));
        for mac in [mac4, mac6].into_iter().flatten() {
            macs.push(mac, GFP_KERNEL_ACCOUNT)?;
        }
    }
    Ok(())
}

/// The link address of a server: as it is in the neighbour table, or was there last, as unused
/// entries are forgotten. Asks for one that was never seen.
fn mac<F: Family>(net: &Net, hop: &Hop<F::Address>) -> Option<Mac> {
    let (Way::Link(ifindex), Some(address)) = (hop.way(), hop.address) else {
        return None;
    };
    let guard = rcu::read_lock();
    let device = Device::find(net, ifindex, (&guard).into())?;
    match Neighbour::find::<F>(&device, address, (&guard).into()) {
        Some(neighbour) => {
            let mac = neighbour.mac()?;
            hop.set_mac(mac);
            Some(mac)
        }
        None => {
            if hop.mac().is_none() {
                neigh::solicit::<F>(&device, address);
            }
            hop.mac()
        }
    }
}
