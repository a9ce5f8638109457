// SPDX-License-Identifier: GPL-2.0
//! The calls of the kernel in memory.

use onehop_uapi::*;
use onehopctl::{Error, Kernel};

use crate::fake::{by_author, count, refused, Fake};

impl Kernel for Fake {
    fn info(&mut self) -> Result<Info, Error> {
        self.there()?;
        let header = self.header();
        Ok(Info {
            abi: limits::ABI,
            enabled: true,
            generation: self.generation,
            digest: self.digest(),
            pools: header.pools,
            ghosts: header.ghosts,
            servers: header.servers,
            counters: count(Counter::COUNT),
            devices: header.devices,
            answer: self.answer,
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
        if self.same(&new) {
            return Ok(self.outcome(false, 0));
        }
        for (name, group) in &mut new.pools {
            if let Some(old) = self.pools.get(name) {
                for (server, _) in old.leaving() {
                    let taken =
                        |(it, _): &(Server, Status)| it.id == server.id && it.name != server.name;
                    if group.servers.values().any(taken) {
                        return Err(refused(Invalid::leaving(server.id, server.name, Some(300))));
                    }
                }
                group.follow(old, &condition)?;
            }
        }
        let moved = new.moved(&self.owners());
        if condition.dry_run {
            return Ok(new.outcome(true, moved));
        }
        self.pools = new.pools;
        self.ghosts = new.ghosts;
        self.devices = new.devices;
        self.generation += 1;
        self.tell(What::Applied, None, author);
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
        let pool = self.pools.get(&request.pool);
        let mut pool = pool
            .ok_or_else(|| refused(Invalid::no_pool(request.pool)))?
            .clone();
        let stands = pool.clone();
        let leaving = pool
            .leaving()
            .into_iter()
            .find(|(it, _)| it.name == request.server);
        if let (false, Some((server, _))) = (pool.servers.contains_key(&request.server), leaving) {
            if request.state != State::Health(Health::Down) {
                return Err(refused(Invalid::is_leaving(server.name)));
            }
            let changed = pool.fallen.insert(server.id);
            self.pools.insert(request.pool, pool);
            self.generation += u64::from(changed);
            return Ok(self.outcome(changed, 0));
        }
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
        *status = by_author(request.author)(*status);
        status.drain_left = match (what, request.condition.span) {
            (What::Admin(Admin::Drain), Span::Seconds(seconds)) => seconds,
            _ => 0,
        };
        pool.follow(&stands, &request.condition)?;
        self.pools.insert(request.pool, pool);
        let moved = self.moved(&before);
        if request.condition.dry_run {
            let outcome = self.outcome(true, moved);
            self.pools.insert(request.pool, stands);
            return Ok(outcome);
        }
        self.generation += 1;
        self.tell(what, Some((request.pool, request.server)), request.author);
        Ok(self.outcome(true, moved))
    }

    fn transition(&mut self, request: &Transition) -> Result<Outcome, Error> {
        self.there()?;
        let request = Transition::decode(&request.encode()).map_err(refused)?;
        let before = self.owners();
        let changed = self.turn(&request)?;
        self.generation += u64::from(changed);
        let moved = self.moved(&before);
        Ok(self.outcome(changed, moved))
    }

    fn answer(&mut self, request: &Answer) -> Result<bool, Error> {
        self.there()?;
        let request = Answer::decode(&request.encode()).map_err(refused)?;
        if request.answer && self.devices.is_empty() {
            return Err(refused(Invalid::no_device()));
        }
        self.announced += u32::from(request.answer);
        if self.answer == request.answer {
            return Ok(false);
        }
        self.answer = request.answer;
        self.tell(What::Answer(request.answer), None, request.author);
        Ok(true)
    }

    fn lookup(&mut self, request: &Lookup) -> Result<Found, Error> {
        self.there()?;
        let pool = self.pools.get(&request.pool);
        let pool = pool.ok_or_else(|| refused(Invalid::no_pool(request.pool)))?;
        let mut found = Found {
            generation: self.generation,
            ..pool.dispatch().lookup(request.client)
        };
        pool.chain(request.client, &mut found);
        Ok(found)
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
