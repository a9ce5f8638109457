// SPDX-License-Identifier: GPL-2.0
//! A kernel in memory that keeps to onehop.h: its state. Its calls are in calls.rs.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use onehop_dispatch::addr;
use onehop_dispatch::digest::Namespace;
use onehop_dispatch::server::ServerId;
use onehop_uapi::*;
use onehopctl::offline::Dispatch;
use onehopctl::Error;

use crate::queue::Past;

/// The time at which everything happens: 2023-11-14T22:13:20Z.
pub const NOW: u64 = 1_700_000_000_000_000_000;

#[derive(Clone)]
pub struct Group {
    pub pool: Pool,
    pub servers: BTreeMap<Name, (Server, Status)>,
    /// From the newer to the older.
    pub older: Vec<Past>,
    /// Ids of leaving servers that are down.
    pub fallen: BTreeSet<u16>,
    pub tracked: u32,
    pub table: Vec<u16>,
    /// By prefix.
    pub overrides: Vec<Override>,
}

#[derive(Default)]
pub struct Fake {
    pub pools: BTreeMap<Name, Group>,
    pub ghosts: BTreeMap<Address, Name>,
    pub devices: BTreeSet<DeviceName>,
    pub answer: bool,
    /// How often ghosts were announced.
    pub announced: u32,
    /// Addresses of this host.
    pub own: Vec<Address>,
    pub generation: u64,
    pub events: VecDeque<Event>,
    pub counters: Vec<u64>,
    pub absent: bool,
    /// net.onehop.transition_seconds, if it can be read.
    pub transition_seconds: Option<u32>,
    /// So many more dumps are outdated before they can be used.
    pub races: u32,
    /// The conditions and images of all calls of APPLY.
    pub applied: Vec<Condition>,
}

pub fn refused(invalid: Invalid) -> Error {
    match invalid.cause {
        Cause::Stale => Error::Stale(invalid.to_string()),
        _ => Error::Refused(invalid.to_string()),
    }
}

pub fn by_author(author: Author) -> impl Fn(Status) -> Status {
    move |status| Status {
        changed_at: NOW,
        author,
        ..status
    }
}

pub fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap()
}

/// Some hundred of them.
pub fn clients() -> impl Iterator<Item = Address> {
    (0..512u32).map(|n| Address::V4(n.wrapping_mul(0x9e37_79b1).to_be_bytes()))
}

/// The index of a device: there is one, eth1.
pub fn index(name: &DeviceName) -> u32 {
    match name.as_str() {
        "eth1" => 2,
        _ => 0,
    }
}

impl Group {
    pub fn new(pool: Pool) -> Self {
        Self {
            pool,
            servers: BTreeMap::new(),
            older: Vec::new(),
            fallen: BTreeSet::new(),
            tracked: 0,
            table: Vec::new(),
            overrides: Vec::new(),
        }
    }

    pub fn by_id(&self) -> Vec<(&Server, &Status)> {
        let mut servers: Vec<_> = self.servers.values().map(|(a, b)| (a, b)).collect();
        servers.sort_by_key(|(server, _)| server.id);
        servers
    }

    pub fn dispatch(&self) -> Dispatch {
        let servers = self.by_id().into_iter();
        Dispatch::new(
            &self.pool,
            &self.table,
            &self.overrides,
            servers.map(|(server, status)| (server, status.health)),
        )
        .unwrap()
    }
}

impl Fake {
    pub fn there(&self) -> Result<(), Error> {
        match self.absent {
            true => Err(Error::Absent(
                "/dev/onehop: not there; load the module first: modprobe onehop".into(),
            )),
            false => Ok(()),
        }
    }

    pub fn digest(&self) -> u64 {
        let mut whole = Namespace::new();
        for (name, group) in &self.pools {
            whole.pool(name.as_str().as_bytes(), group.dispatch().digest());
            for (ghost, _) in self.ghosts.iter().filter(|(_, pool)| *pool == name) {
                whole.ghost(match *ghost {
                    Address::V4(ghost) => addr::Address::V4(ghost),
                    Address::V6(ghost) => addr::Address::V6(ghost),
                });
            }
            for (server, _) in group.by_id() {
                let id = ServerId::new(server.id.into()).unwrap();
                whole.server(id, server.address, server.address6);
            }
        }
        whole.finish()
    }

    /// Owners of a few hundred clients, by pool.
    pub fn owners(&self) -> BTreeMap<Name, Vec<Option<u16>>> {
        let owners = |group: &Group| {
            let dispatch = group.dispatch();
            clients()
                .map(|client| dispatch.lookup(client).owner)
                .collect()
        };
        self.pools
            .iter()
            .map(|(name, group)| (*name, owners(group)))
            .collect()
    }

    /// Parts per million of the clients that had another owner before.
    pub fn moved(&self, before: &BTreeMap<Name, Vec<Option<u16>>>) -> u32 {
        let after = self.owners();
        let pairs = before
            .iter()
            .filter_map(|(name, old)| Some(old.iter().zip(after.get(name)?)))
            .flatten();
        let moved: Vec<_> = pairs.map(|(old, new)| u64::from(old != new)).collect();
        let all = (moved.len() as u64).max(1);
        u32::try_from(moved.iter().sum::<u64>() * 1_000_000 / all).unwrap()
    }

    pub fn header(&self) -> Header {
        Header {
            pools: count(self.pools.len()),
            ghosts: count(self.ghosts.len()),
            servers: count(self.all_servers().map(|(_, it)| it.len()).sum()),
            devices: count(self.devices.len()),
            older: count(self.pools.values().map(|group| group.older.len()).sum()),
            overrides: count(self.pools.values().map(|group| group.overrides.len()).sum()),
            rows: count(self.pools.values().map(|group| group.table.len()).sum()),
        }
    }

    pub fn image(&self) -> Vec<u8> {
        let mut image = self.header().encode().to_vec();
        for group in self.pools.values() {
            image.extend(
                group
                    .pool
                    .encode_dumped(group.dispatch().digest(), group.tracked),
            );
        }
        for (address, name) in &self.ghosts {
            let pool = count(self.pools.keys().position(|it| it == name).unwrap());
            let address = *address;
            image.extend(Ghost { pool, address }.encode());
        }
        for (pool, servers) in self.all_servers() {
            for (server, status) in servers {
                image.extend(Server { pool, ..server }.encode_dumped(&status));
            }
        }
        for name in &self.devices {
            image.extend(Device { name: *name }.encode_dumped(index(name)));
        }
        for (pool, group) in (0..).zip(self.pools.values()) {
            let overrides = group.overrides.iter();
            image.extend(overrides.flat_map(|it| Override { pool, ..*it }.encode()));
        }
        for group in self.pools.values() {
            image.extend(group.table.iter().copied().flat_map(Table::encode));
        }
        for (pool, group) in (0..).zip(self.pools.values()) {
            image.extend(group.older(pool).flat_map(|older| older.encode()));
        }
        image
    }

    /// The servers of each pool, those that are leaving last.
    fn all_servers(&self) -> impl Iterator<Item = (u32, Vec<(Server, Status)>)> + '_ {
        (0..).zip(self.pools.values()).map(|(pool, group)| {
            let wanted = group.by_id().into_iter().map(|(a, b)| (*a, *b));
            (pool, wanted.chain(group.leaving()).collect())
        })
    }

    /// The state after an image, which is valid, is applied.
    pub fn after(&self, image: &Image<'_>, by: Author) -> Self {
        let mut new = Self {
            generation: self.generation,
            ..Self::default()
        };
        let pools: Vec<Pool> = image.pools().collect::<Result<_, _>>().unwrap();
        for (index, pool) in (0..).zip(&pools) {
            let mut group = Group::new(*pool);
            if let Some(table) = image.table(index) {
                group.table.extend(table.owners());
            }
            let overrides = image.overrides().map(Result::unwrap);
            let overrides = overrides.filter(|it| it.pool == index);
            group
                .overrides
                .extend(overrides.map(|it| Override { pool: 0, ..it }));
            group.overrides.sort_by_key(|it| it.prefix);
            new.pools.insert(pool.name, group);
        }
        for ghost in image.ghosts() {
            let ghost = ghost.unwrap();
            new.ghosts
                .insert(ghost.address, pools[ghost.pool as usize].name);
        }
        for server in image.servers() {
            let server = server.unwrap();
            let name = pools[server.pool as usize].name;
            let old = self
                .pools
                .get(&name)
                .and_then(|group| group.servers.get(&server.name));
            let server = Server { pool: 0, ..server };
            let status = self.status(&server, old, by);
            let group = new.pools.get_mut(&name).unwrap();
            group.servers.insert(server.name, (server, status));
        }
        let devices = image.devices().map(|device| device.unwrap().name);
        new.devices = devices.collect();
        new
    }

    fn status(&self, server: &Server, old: Option<&(Server, Status)>, by: Author) -> Status {
        let reach = |address| match self.own.contains(&address) {
            true => Reach::Local,
            false => Reach::Link,
        };
        let reach6 = server.address6.map(Address::V6).map(reach);
        let reach = server.address.map(Address::V4).map(reach);
        let device = |reach| if reach == Some(Reach::Link) { 2 } else { 0 };
        let fresh = Status {
            health: match server.start_down {
                true => Health::Down,
                false => Health::Up,
            },
            reach,
            reach6,
            ifindex: device(reach),
            ifindex6: device(reach6),
            leaving: false,
            drain_left: 0,
            changed_at: 0,
            packets: 0,
            bytes: 0,
            author: Author::default(),
        };
        match old {
            None => fresh,
            Some((was, status)) => {
                let addresses = |it: &Server| (it.address, it.address6);
                let health = match addresses(was) == addresses(server) {
                    true => status.health,
                    false => fresh.health,
                };
                let (author, changed_at) = (status.author, status.changed_at);
                let kept = Status {
                    health,
                    author,
                    changed_at,
                    ..fresh
                };
                match was.admin == server.admin {
                    true => kept,
                    false => by_author(by)(kept),
                }
            }
        }
    }

    pub fn same(&self, other: &Self) -> bool {
        let wanted = |fake: &Self| {
            let pools = fake.pools.values().map(|group| {
                let servers: Vec<_> = group.by_id().iter().map(|(server, _)| **server).collect();
                (
                    group.pool,
                    servers,
                    group.table.clone(),
                    group.overrides.clone(),
                )
            });
            let pools: Vec<_> = pools.collect();
            (pools, fake.ghosts.clone(), fake.devices.clone())
        };
        wanted(self) == wanted(other)
    }

    pub fn tell(&mut self, what: What, server: Option<(Name, Name)>, author: Author) {
        self.events.push_back(Event {
            time: NOW,
            generation: self.generation,
            what,
            pool: server.map(|(pool, _)| pool),
            server: server.map(|(_, server)| server),
            author,
        });
    }

    pub fn outcome(&self, changed: bool, moved: u32) -> Outcome {
        Outcome {
            generation: self.generation,
            digest: self.digest(),
            changed,
            moved,
        }
    }
}
