// SPDX-License-Identifier: GPL-2.0
//! A kernel in memory that keeps to onehop.h.

use std::collections::{BTreeMap, VecDeque};

use onehop_dispatch::addr::Address;
use onehop_dispatch::digest::Namespace;
use onehop_dispatch::server::ServerId;
use onehop_uapi::*;
use onehopctl::offline::Dispatch;
use onehopctl::{Error, Kernel};

/// The time at which everything happens: 2023-11-14T22:13:20Z.
pub const NOW: u64 = 1_700_000_000_000_000_000;

pub struct Group {
    pub pool: Pool,
    pub servers: BTreeMap<Name, (Server, Status)>,
}

#[derive(Default)]
pub struct Fake {
    pub pools: BTreeMap<Name, Group>,
    pub ghosts: BTreeMap<[u8; 4], Name>,
    pub generation: u64,
    pub events: VecDeque<Event>,
    pub counters: Vec<u64>,
    pub absent: bool,
    /// So many more dumps are outdated before they can be used.
    pub races: u32,
    /// The conditions and images of all calls of APPLY.
    pub applied: Vec<Condition>,
}

fn refused(invalid: Invalid) -> Error {
    match invalid.cause {
        Cause::Stale => Error::Stale(invalid.to_string()),
        _ => Error::Refused(invalid.to_string()),
    }
}

fn author(author: Author, changed_at: u64) -> impl Fn(Status) -> Status {
    move |status| Status {
        changed_at,
        author,
        ..status
    }
}

impl Group {
    fn by_id(&self) -> Vec<(&Server, &Status)> {
        let mut servers: Vec<_> = self.servers.values().map(|(a, b)| (a, b)).collect();
        servers.sort_by_key(|(server, _)| server.id);
        servers
    }

    fn dispatch(&self) -> Dispatch {
        let servers = self.by_id().into_iter();
        Dispatch::new(
            &self.pool,
            servers.map(|(server, status)| (server, status.health)),
        )
        .unwrap()
    }
}

impl Fake {
    fn there(&self) -> Result<(), Error> {
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
                whole.ghost(Address::V4(*ghost));
            }
            for (server, _) in group.by_id() {
                whole.server(
                    ServerId::new(server.id.into()).unwrap(),
                    Some(server.address),
                    None,
                );
            }
        }
        whole.finish()
    }

    /// Owners of a few hundred clients, by pool.
    fn owners(&self) -> BTreeMap<Name, Vec<Option<u16>>> {
        let clients = || (0..512u32).map(|n| n.wrapping_mul(0x9e37_79b1).to_be_bytes().into());
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
    fn moved(&self, before: &BTreeMap<Name, Vec<Option<u16>>>) -> u32 {
        let after = self.owners();
        let pairs = before
            .iter()
            .filter_map(|(name, old)| Some(old.iter().zip(after.get(name)?)))
            .flatten();
        let moved: Vec<_> = pairs.map(|(old, new)| u64::from(old != new)).collect();
        let all = (moved.len() as u64).max(1);
        u32::try_from(moved.iter().sum::<u64>() * 1_000_000 / all).unwrap()
    }

    fn image(&self) -> Vec<u8> {
        let count = |count: usize| u32::try_from(count).unwrap();
        let header = Header {
            pools: count(self.pools.len()),
            ghosts: count(self.ghosts.len()),
            servers: count(self.pools.values().map(|group| group.servers.len()).sum()),
        };
        let mut image = header.encode().to_vec();
        for group in self.pools.values() {
            image.extend(group.pool.encode_dumped(group.dispatch().digest()));
        }
        for (address, name) in &self.ghosts {
            let pool = count(self.pools.keys().position(|it| it == name).unwrap());
            let address = *address;
            image.extend(Ghost { pool, address }.encode());
        }
        for (pool, group) in (0..).zip(self.pools.values()) {
            for (server, status) in group.by_id() {
                image.extend(Server { pool, ..*server }.encode_dumped(status));
            }
        }
        image
    }

    /// The state after an image, which is valid, is applied.
    fn after(&self, image: &Image<'_>, by: Author) -> Self {
        let mut new = Self::default();
        let pools: Vec<Pool> = image.pools().collect::<Result<_, _>>().unwrap();
        for pool in &pools {
            let servers = BTreeMap::new();
            let pool = *pool;
            new.pools.insert(pool.name, Group { pool, servers });
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
            let status = status(&server, old, by);
            let group = new.pools.get_mut(&name).unwrap();
            group.servers.insert(server.name, (server, status));
        }
        new
    }

    fn same(&self, other: &Self) -> bool {
        let wanted = |fake: &Self| {
            let pools = fake.pools.values().map(|group| {
                let servers: Vec<_> = group.by_id().iter().map(|(server, _)| **server).collect();
                (group.pool, servers)
            });
            (pools.collect::<Vec<_>>(), fake.ghosts.clone())
        };
        wanted(self) == wanted(other)
    }

    fn outcome(&self, changed: bool, moved: u32) -> Outcome {
        Outcome {
            generation: self.generation,
            digest: self.digest(),
            changed,
            moved,
        }
    }
}

fn status(server: &Server, old: Option<&(Server, Status)>, by: Author) -> Status {
    let fresh = Status {
        health: match server.start_down {
            true => Health::Down,
            false => Health::Up,
        },
        reach: Reach::Link,
        ifindex: 2,
        changed_at: 0,
        packets: 0,
        bytes: 0,
        author: Author::default(),
    };
    match old {
        None => fresh,
        Some((was, status)) => {
            let kept = match was.address == server.address {
                true => *status,
                false => Status {
                    health: fresh.health,
                    ..*status
                },
            };
            match was.admin == server.admin {
                true => kept,
                false => author(by, NOW)(kept),
            }
        }
    }
}

impl Kernel for Fake {
    fn info(&mut self) -> Result<Info, Error> {
        self.there()?;
        let count = |count: usize| u32::try_from(count).unwrap();
        Ok(Info {
            abi: limits::ABI,
            enabled: true,
            generation: self.generation,
            digest: self.digest(),
            pools: count(self.pools.len()),
            ghosts: count(self.ghosts.len()),
            servers: count(self.pools.values().map(|group| group.servers.len()).sum()),
            counters: count(Counter::COUNT),
            version: Text::clipped("0.1.0"),
        })
    }

    fn apply(
        &mut self,
        image: &[u8],
        condition: Condition,
        author: Author,
    ) -> Result<Outcome, Error> {
        self.there()?;
        self.applied.push(condition);
        let image = Image::new(image).map_err(refused)?;
        check::image(&image, &mut vec![0; check::scratch_len(&image)]).map_err(refused)?;
        condition.holds(self.generation).map_err(refused)?;
        let mut new = self.after(&image, author);
        new.generation = self.generation;
        if self.same(&new) {
            return Ok(self.outcome(false, 0));
        }
        let moved = new.moved(&self.owners());
        if condition.dry_run {
            return Ok(new.outcome(true, moved));
        }
        self.pools = new.pools;
        self.ghosts = new.ghosts;
        self.generation += 1;
        self.events.push_back(Event {
            time: NOW,
            generation: self.generation,
            what: What::Applied,
            pool: None,
            server: None,
            author,
        });
        Ok(self.outcome(true, moved))
    }

    fn dump(&mut self) -> Result<(Dumped, Vec<u8>), Error> {
        self.there()?;
        let image = self.image();
        let dumped = Dumped {
            len: u32::try_from(image.len()).unwrap(),
            generation: self.generation,
            digest: self.digest(),
        };
        if self.races > 0 {
            self.races -= 1;
            self.generation += 1;
        }
        Ok((dumped, image))
    }

    fn set(&mut self, request: &Set) -> Result<Outcome, Error> {
        self.there()?;
        let request = Set::decode(&request.encode()).map_err(refused)?;
        request.condition.holds(self.generation).map_err(refused)?;
        let before = self.owners();
        let pool = self.pools.get_mut(&request.pool);
        let pool = pool.ok_or_else(|| refused(Invalid::no_pool(request.pool)))?;
        let server = pool.servers.get_mut(&request.server);
        let (server, status) = server.ok_or_else(|| refused(Invalid::no_server(request.server)))?;
        let old = (server.admin, status.health);
        let what = match request.state {
            State::Admin(admin) => {
                server.admin = admin;
                What::Admin(admin)
            }
            State::Health(health) => {
                status.health = health;
                What::Health(health)
            }
        };
        if old == (server.admin, status.health) {
            return Ok(self.outcome(false, 0));
        }
        *status = author(request.author, NOW)(*status);
        self.generation += 1;
        self.events.push_back(Event {
            time: NOW,
            generation: self.generation,
            what,
            pool: Some(request.pool),
            server: Some(request.server),
            author: request.author,
        });
        let moved = self.moved(&before);
        Ok(self.outcome(true, moved))
    }

    fn lookup(&mut self, request: &Lookup) -> Result<Found, Error> {
        self.there()?;
        let pool = self.pools.get(&request.pool);
        let pool = pool.ok_or_else(|| refused(Invalid::no_pool(request.pool)))?;
        let client = match request.client {
            Client::V4(address) => address.into(),
            Client::V6(address) => address.into(),
        };
        Ok(Found {
            generation: self.generation,
            ..pool.dispatch().lookup(client)
        })
    }

    fn counters(&mut self) -> Result<Vec<u64>, Error> {
        self.there()?;
        Ok(self.counters.clone())
    }

    fn event(&mut self) -> Result<Event, Error> {
        self.there()?;
        let event = self.events.pop_front();
        event.ok_or_else(|| Error::Refused("a test waits for an event that never comes".into()))
    }

    fn device(&mut self, ifindex: u32) -> Option<String> {
        (ifindex == 2).then(|| "eth1".into())
    }
}
