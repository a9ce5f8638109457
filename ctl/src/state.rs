// SPDX-License-Identifier: GPL-2.0
//! What the module says of a namespace.

use onehop_uapi::{Address, Admin, DeviceName, Health, Invalid, Pool, Server, Snapshot, Status};

use crate::model::{Group, Model};
use crate::{Error, Kernel};

/// A dump, taken apart.
pub struct State {
    pub generation: u64,
    pub digest: u64,
    pub pools: Vec<PoolState>,
    /// Devices and their indices, 0 for one that is not there.
    pub devices: Vec<(DeviceName, u32)>,
}

/// A pool, what it has, and how that fares.
pub struct PoolState {
    pub pool: Pool,
    pub digest: u64,
    pub ghosts: Vec<Address>,
    pub servers: Vec<(Server, Status)>,
}

impl State {
    pub fn read(kernel: &mut dyn Kernel) -> Result<Self, Error> {
        let (dumped, image) = kernel.dump()?;
        let snapshot = Snapshot::new(&image)?;
        let pools = pools(&snapshot)?;
        let mut devices = snapshot.devices().collect::<Result<Vec<_>, _>>()?;
        devices.sort_unstable();
        Ok(Self {
            generation: dumped.generation,
            digest: dumped.digest,
            pools,
            devices,
        })
    }

    /// What is wanted, without how it fares.
    pub fn model(&self) -> Model {
        let pools = self.pools.iter().map(|state| {
            let servers = state
                .servers
                .iter()
                .map(|(server, _)| (server.name, *server));
            let group = Group {
                ghosts: state.ghosts.clone(),
                servers: servers.collect(),
                ..Group::new(state.pool)
            };
            (state.pool.name, group)
        });
        Model {
            pools: pools.collect(),
            devices: self.devices.iter().map(|(name, _)| *name).collect(),
        }
    }
}

fn pools(snapshot: &Snapshot<'_>) -> Result<Vec<PoolState>, Invalid> {
    let mut pools = Vec::new();
    for pool in snapshot.pools() {
        let (pool, digest) = pool?;
        pools.push(PoolState {
            pool,
            digest,
            ghosts: Vec::new(),
            servers: Vec::new(),
        });
    }
    // An index that leads nowhere is a fault of the module's: the record is not shown.
    let at = |pools: &mut Vec<PoolState>, index: u32, put: &dyn Fn(&mut PoolState)| {
        pools.get_mut(index as usize).map(put);
    };
    for ghost in snapshot.ghosts() {
        let ghost = ghost?;
        at(&mut pools, ghost.pool, &|pool| {
            pool.ghosts.push(ghost.address)
        });
    }
    for server in snapshot.servers() {
        let (server, status) = server?;
        at(&mut pools, server.pool, &|pool| {
            pool.servers.push((server, status))
        });
    }
    for pool in &mut pools {
        pool.ghosts.sort_unstable();
        pool.servers.sort_by_key(|(server, _)| server.id);
    }
    pools.sort_by_key(|pool| pool.pool.name);
    Ok(pools)
}

/// The effective state: the worse of the two.
pub fn effective(admin: Admin, health: Health) -> Admin {
    match health {
        Health::Up => admin,
        Health::Down => Admin::Down,
    }
}
