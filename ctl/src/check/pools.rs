// SPDX-License-Identifier: GPL-2.0
//! The pools as the checks see them.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use onehop_uapi::{Address, Reach, Server as Wanted};

use super::scene::{Ghost, Pool, Server};
use crate::model::{Group, Model};
use crate::state::State;

/// Those of a model, with what the module has of them.
pub fn pools(model: &Model, state: Option<&State>) -> Vec<Pool> {
    let states = state.map_or(&[][..], |state| &state.pools);
    let running: BTreeSet<_> = states.iter().flat_map(|pool| &pool.ghosts).collect();
    let mut unreachable = BTreeMap::<_, Vec<IpAddr>>::new();
    for pool in states {
        for (server, status) in &pool.servers {
            let reaches = [status.reach, status.reach6];
            let addresses = addresses(server).into_iter().zip(reaches);
            let lost = addresses.filter(|(_, reach)| *reach == Some(Reach::Unreachable));
            let lost = lost.filter_map(|(address, _)| address).collect();
            unreachable.insert((pool.pool.name, server.name), lost);
        }
    }
    let pool = |group: &Group| Pool {
        name: group.pool.name.to_string(),
        mode: group.pool.mode,
        shape: group.pool.shape,
        ghosts: group
            .ghosts
            .iter()
            .map(|ghost| Ghost {
                address: address(*ghost),
                running: running.contains(ghost),
            })
            .collect(),
        servers: group
            .by_id()
            .into_iter()
            .map(|server| Server {
                name: server.name.to_string(),
                addresses: addresses(server).into_iter().flatten().collect(),
                unreachable: unreachable
                    .remove(&(group.pool.name, server.name))
                    .unwrap_or_default(),
            })
            .collect(),
    };
    model.pools.values().map(pool).collect()
}

fn addresses(server: &Wanted) -> [Option<IpAddr>; 2] {
    [
        server.address.map(IpAddr::from),
        server.address6.map(IpAddr::from),
    ]
}

fn address(address: Address) -> IpAddr {
    match address {
        Address::V4(bytes) => bytes.into(),
        Address::V6(bytes) => bytes.into(),
    }
}
