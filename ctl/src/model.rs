// SPDX-License-Identifier: GPL-2.0
//! What the operator wants of a namespace: what a configuration file says, and
//! what an image holds.

use std::collections::BTreeMap;

use onehop_uapi::limits::NO_SERVER;
use onehop_uapi::{
    check, Address, Device, DeviceName, Ghost, Header, Image, Invalid, Name, Override, Pool,
    Prefix, Server, Table,
};

/// The order of pools and devices, and of what pools have, means nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    pub pools: BTreeMap<Name, Group>,
    /// Ascending. A name that stands twice is kept, so that it can be refused.
    pub devices: Vec<DeviceName>,
}

/// A pool with its ghosts and servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub pool: Pool,
    /// Ascending. An address that stands twice is kept, so that it can be refused.
    pub ghosts: Vec<Address>,
    /// The index of the pool means nothing here.
    pub servers: BTreeMap<Name, Server>,
    /// With kind table the owner of each row, else empty.
    pub table: Vec<u16>,
    /// Clients and the server that they have.
    pub overrides: BTreeMap<Prefix, Name>,
}

impl Group {
    pub fn new(pool: Pool) -> Self {
        Self {
            pool,
            ghosts: Vec::new(),
            servers: BTreeMap::new(),
            table: Vec::new(),
            overrides: BTreeMap::new(),
        }
    }

    /// The servers by ascending id.
    pub fn by_id(&self) -> Vec<&Server> {
        let mut servers: Vec<_> = self.servers.values().collect();
        servers.sort_by_key(|server| server.id);
        servers
    }

    /// The overrides in the order of the image. What names no server of the pool has
    /// an id that none can have: it is refused.
    pub fn overrides(&self, pool: u32) -> Vec<Override> {
        let id = |name| self.servers.get(name).map_or(NO_SERVER, |it| it.id);
        let overrides = self.overrides.iter();
        overrides
            .map(|(prefix, name)| Override {
                pool,
                prefix: *prefix,
                server: id(name),
            })
            .collect()
    }
}

impl Model {
    /// The ghosts in the order of the image.
    pub fn ghosts(&self) -> impl Iterator<Item = (u32, &Group, Address)> {
        let groups = (0..).zip(self.pools.values());
        groups.flat_map(|(index, group)| group.ghosts.iter().map(move |it| (index, group, *it)))
    }

    /// The servers in the order of the image.
    pub fn servers(&self) -> impl Iterator<Item = (u32, &Group, &Server)> {
        let groups = (0..).zip(self.pools.values());
        groups.flat_map(|(index, group)| {
            let servers = group.by_id().into_iter();
            servers.map(move |server| (index, group, server))
        })
    }

    /// The overrides in the order of the image.
    pub fn overrides(&self) -> impl Iterator<Item = (&Group, Override)> {
        let groups = (0..).zip(self.pools.values());
        groups.flat_map(|(index, group)| {
            let overrides = group.overrides(index).into_iter();
            overrides.map(move |it| (group, it))
        })
    }

    /// The pool that has a ghost.
    pub fn pool_of(&self, ghost: Address) -> Option<Name> {
        let groups = self.pools.values();
        groups
            .filter(|group| group.ghosts.contains(&ghost))
            .map(|group| group.pool.name)
            .next()
    }

    /// The image of the whole.
    pub fn encode(&self) -> Vec<u8> {
        // No image has more records than fit into a number: what has is refused
        // by its length.
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let header = Header {
            pools: count(self.pools.len()),
            ghosts: count(self.ghosts().count()),
            servers: count(self.servers().count()),
            devices: count(self.devices.len()),
            older: 0,
            overrides: count(self.overrides().count()),
            rows: count(self.pools.values().map(|group| group.table.len()).sum()),
        };
        let mut image = header.encode().to_vec();
        for group in self.pools.values() {
            image.extend(group.pool.encode());
        }
        for (pool, _, address) in self.ghosts() {
            image.extend(Ghost { pool, address }.encode());
        }
        for (pool, _, server) in self.servers() {
            image.extend(Server { pool, ..*server }.encode());
        }
        for name in &self.devices {
            image.extend(Device { name: *name }.encode());
        }
        for (_, it) in self.overrides() {
            image.extend(it.encode());
        }
        for group in self.pools.values() {
            image.extend(group.table.iter().copied().flat_map(Table::encode));
        }
        image
    }

    /// Checks all that the module would check.
    pub fn check(&self) -> Result<(), Invalid> {
        let image = self.encode();
        let image = Image::new(&image)?;
        check::image(&image, &mut vec![0; check::scratch_len(&image)])
    }
}
