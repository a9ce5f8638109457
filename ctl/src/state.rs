// SPDX-License-Identifier: GPL-2.0
//! What the module says of a namespace.

use onehop_uapi::{
    Address, Admin, DeviceName, Health, Invalid, Name, Older, Override, Pool, Server, Snapshot,
    Status,
};

use crate::model::{Group, Model};
use crate::{Error, Kernel};

/// A dump, taken apart.
#[derive(Default)]
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
    /// Connections that method track has noted.
    pub tracked: u32,
    pub ghosts: Vec<Address>,
    /// By id; those that are leaving too.
    pub servers: Vec<(Server, Status)>,
    /// Functions before the newest one, from the newer to the older.
    pub older: Vec<Older>,
    /// With kind table the owner of each row, else empty.
    pub table: Vec<u16>,
    /// By prefix.
    pub overrides: Vec<Override>,
}

#[cfg(test)]
impl PoolState {
    /// A pool with nothing in it: kind mod, mode router, clients by /24 and /64.
    pub fn bare(name: &str) -> Self {
        use onehop_uapi::{Kind, Method, Mode, Policy};

        Self {
            pool: Pool {
                name: Name::new("name", name).unwrap(),
                mode: Mode::Router,
                shape: None,
                method: Some(Method::Track),
                kind: Kind::Mod,
                policy: Policy::Drop,
                prefix4: 24,
                prefix6: 64,
                rows: 0,
                seed: [0; 16],
            },
            digest: 0,
            tracked: 0,
            ghosts: Vec::new(),
            servers: Vec::new(),
            older: Vec::new(),
            table: Vec::new(),
            overrides: Vec::new(),
        }
    }
}

impl PoolState {
    /// The name of a server that is wanted.
    pub fn name(&self, id: u16) -> Option<Name> {
        let mut wanted = self.servers.iter().filter(|(_, status)| !status.leaving);
        let found = wanted.find(|(server, _)| server.id == id);
        found.map(|(server, _)| server.name)
    }

    /// The servers, each name once: one that is leaving may have a successor of its name.
    pub fn named_once(&self) -> impl Iterator<Item = &(Server, Status)> {
        self.servers.iter().filter(|(server, status)| {
            let successor =
                |(it, status): &(Server, Status)| it.name == server.name && !status.leaving;
            !status.leaving || !self.servers.iter().any(successor)
        })
    }
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

    pub fn pool(&self, name: Name) -> Option<&PoolState> {
        self.pools.iter().find(|it| it.pool.name == name)
    }

    /// The names and ids of a pool's servers that are leaving.
    pub fn leaving(&self, pool: Name) -> Vec<(Name, u16)> {
        let servers = self.pool(pool).into_iter().flat_map(|it| &it.servers);
        servers
            .filter(|(_, status)| status.leaving)
            .map(|(server, _)| (server.name, server.id))
            .collect()
    }

    /// What is wanted, without how it fares.
    pub fn model(&self) -> Model {
        self.gathered(|status| !status.leaving)
    }

    /// The same with the servers that are leaving, to find one by its name.
    pub fn everyone(&self) -> Model {
        self.gathered(|_| true)
    }

    fn gathered(&self, is_in: impl Fn(&Status) -> bool) -> Model {
        let pools = self.pools.iter().map(|state| {
            let servers = state
                .servers
                .iter()
                .filter(|(_, status)| is_in(status))
                .map(|(server, _)| (server.name, *server));
            let overrides = state
                .overrides
                .iter()
                .filter_map(|it| Some((it.prefix, state.name(it.server)?)));
            let group = Group {
                ghosts: state.ghosts.clone(),
                servers: servers.collect(),
                table: state.table.clone(),
                overrides: overrides.collect(),
                pool: state.pool,
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
    for (index, pool) in (0..).zip(snapshot.pools()) {
        let table = snapshot.table(index);
        let (pool, digest, tracked) = pool?;
        pools.push(PoolState {
            pool,
            digest,
            tracked,
            ghosts: Vec::new(),
            servers: Vec::new(),
            older: Vec::new(),
            table: table.map_or(Vec::new(), |table| table.owners().collect()),
            overrides: Vec::new(),
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
    for it in snapshot.overrides() {
        let it = it?;
        at(&mut pools, it.pool, &|pool| pool.overrides.push(it));
    }
    for older in snapshot.older() {
        let older = older?;
        at(&mut pools, older.pool, &|pool| pool.older.push(older));
    }
    for pool in &mut pools {
        pool.ghosts.sort_unstable();
        pool.servers.sort_by_key(|(server, _)| server.id);
        pool.overrides.sort_by_key(|it| it.prefix);
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
