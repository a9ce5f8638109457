// SPDX-License-Identifier: GPL-2.0

//! The whole cluster: who is told of what, and when; and which way packets take.

use std::rc::Rc;

use onehop_dispatch::addr::Address;
use onehop_dispatch::course::Course;
use onehop_dispatch::server::{ServerId, State};

use super::host::{Answer, Host};
use super::queue::{Config, Queue, Whole, SETTLE};
use super::wire::Packet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Broadcast,
    /// Mode peer: any server may get a packet.
    Peer,
    /// Mode router, method chance: one of so many dispatchers gets it.
    Chance(usize),
    /// Mode router, method track.
    Track,
}

/// Draws what nobody chooses.
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % sides
    }

    pub fn word(&mut self) -> u32 {
        (self.roll(1 << 16) << 16 | self.roll(1 << 16)) as u32
    }
}

#[derive(Clone, Debug)]
pub enum Change {
    Push { whole: Rc<Whole>, span: Option<u64> },
    Commit,
}

/// A function as the oracle remembers it.
#[derive(Debug)]
pub struct Issued {
    pub whole: Rc<Whole>,
    /// Until when it was promised to stay when the next one was made; none if without end.
    pub superseded: Option<Option<u64>>,
}

impl Issued {
    pub fn until(&self) -> u64 {
        self.superseded.flatten().unwrap_or(u64::MAX)
    }
}

pub struct World {
    pub mode: Mode,
    pub now: u64,
    pub dice: Dice,
    /// Without transitions, as a control.
    pub plain: bool,
    pub hosts: Vec<Host>,
    /// What has been said so far; a host without delay would have it.
    pub said: Queue,
    pub functions: Vec<Issued>,
    /// Who went down, with which function.
    pub downs: Vec<(ServerId, usize)>,
    changes: Vec<Change>,
    changed: u64,
}

impl World {
    pub fn new(mode: Mode, config: &Config, seed: u64) -> Self {
        let first = Whole::new(0, config);
        let said = Queue::new(first.clone());
        let servers = config.servers.iter().map(|server| Some(server.id));
        let dispatchers = match mode {
            Mode::Broadcast | Mode::Peer => 0,
            Mode::Chance(number) => number,
            Mode::Track => 1,
        };
        let ids = servers.chain((0..dispatchers).map(|_| None));
        let superseded = None;
        Self {
            mode,
            now: 1000,
            dice: Dice(seed | 1),
            plain: false,
            hosts: ids.map(|id| Host::new(id, said.clone())).collect(),
            said,
            functions: vec![Issued {
                whole: first,
                superseded,
            }],
            downs: Vec::new(),
            changes: Vec::new(),
            changed: 0,
        }
    }

    pub fn config(&self) -> &Config {
        &self.said.newest.config
    }

    /// Tells all hosts to use another configuration, each when it hears of it. False if the queue is
    /// full.
    pub fn configure(&mut self, config: &Config, span: Option<u64>) -> bool {
        if config == self.config() {
            return true;
        }
        let mut trial = self.said.clone();
        let whole = Whole::new(self.functions.len(), config);
        trial.push(whole.clone(), self.now, span);
        if trial.is_overfull() || self.hosts.iter().any(|host| host.queue.is_full()) {
            return false;
        }
        let (old, now) = (self.config().clone(), self.now);
        let superseded = &mut self.functions.last_mut().unwrap().superseded;
        *superseded = Some(span.map(|span| now + span));
        self.functions.push(Issued {
            whole: whole.clone(),
            superseded: None,
        });
        for host in &mut self.hosts {
            let Some(id) = host.id else { continue };
            match (old.state(id), config.state(id)) {
                (Some(State::Down), Some(State::Down)) => {}
                (_, Some(State::Down)) => {
                    self.downs.push((id, self.functions.len() - 1));
                    host.alive = false;
                }
                // If its module was gone, too, it has no history, and so begins as one that is down.
                // It must not do so while there is one that matters.
                (Some(State::Down), _) => host.reboot(self.said.clone()),
                _ => {}
            }
        }
        self.said = trial;
        self.tell(Change::Push { whole, span });
        true
    }

    /// Ends all older functions.
    pub fn commit(&mut self) {
        let (now, last) = (self.now, self.functions.len() - 1);
        for issued in &mut self.functions[..last] {
            issued.superseded = Some(Some(issued.until().min(now)));
        }
        self.said.commit();
        self.tell(Change::Commit);
    }

    fn tell(&mut self, change: Change) {
        self.changes.push(change);
        self.changed = self.now;
        let number = self.changes.len() - 1;
        for host in &mut self.hosts {
            let delay = match self.mode {
                Mode::Track => 0,
                _ => self.dice.roll(SETTLE + 1),
            };
            let last = host.pending.last().map_or(0, |(at, _)| *at);
            host.pending.push((last.max(self.now + delay), number));
        }
        self.catch_up();
    }

    /// Lets time pass.
    pub fn wait(&mut self, ms: u64) {
        self.now += ms;
        self.said.retire(self.now);
        self.catch_up();
    }

    fn catch_up(&mut self) {
        let (now, plain) = (self.now, self.plain);
        for host in &mut self.hosts {
            while let Some(&(at, number)) = host.pending.first().filter(|(at, _)| *at <= now) {
                host.pending.remove(0);
                host.queue.retire(at);
                match &self.changes[number] {
                    Change::Push { whole, span } => host.queue.push(whole.clone(), at, *span),
                    Change::Commit => host.queue.commit(),
                }
                if plain {
                    host.queue.commit();
                }
            }
            host.queue.retire(now);
            if host.queue.numbers().len() == 1 {
                host.forget_records();
            }
        }
    }

    /// Whether all hosts have heard of everything.
    pub fn is_told(&self) -> bool {
        let told = |host: &Host| !host.alive || host.pending.is_empty();
        self.hosts.iter().all(told)
    }

    /// Whether they also have for so long that all know that.
    pub fn is_settled(&self) -> bool {
        self.is_told() && self.now >= self.changed + 2 * SETTLE
    }

    /// Whether they have the same functions, too.
    pub fn is_uniform(&self) -> bool {
        let numbers = self.said.numbers();
        let alive = |host: &&Host| host.alive;
        self.is_told()
            && self
                .hosts
                .iter()
                .filter(alive)
                .all(|host| host.queue.numbers() == numbers)
    }

    /// Whether nothing can be lost. Where hosts pass packets on they retire functions one after the
    /// other, too.
    pub fn agrees(&self) -> bool {
        match self.mode {
            Mode::Broadcast => self.is_told(),
            _ => self.is_uniform(),
        }
    }

    pub fn host(&mut self, id: ServerId) -> &mut Host {
        let mut hosts = self.hosts.iter_mut();
        hosts.find(|host| host.is(id)).unwrap()
    }

    /// Brings a packet to whom it goes. Returns who had it in hand and what they answered.
    pub fn send(&mut self, packet: &Packet) -> Vec<(ServerId, Answer)> {
        let receivers = match self.mode {
            Mode::Broadcast => self.to_all(packet),
            Mode::Peer => {
                let up = |at: &usize| self.hosts[*at].alive;
                let entries: Vec<usize> = (0..self.hosts.len()).filter(up).collect();
                let Some(range) = Some(entries.len() as u64).filter(|range| *range > 0) else {
                    return Vec::new();
                };
                let entry = entries[self.dice.roll(range) as usize];
                self.passed_on(packet, entry)
            }
            Mode::Chance(dispatchers) => {
                let first = self.hosts.len() - dispatchers;
                let entry = first + self.dice.roll(dispatchers as u64) as usize;
                self.passed_on(packet, entry)
            }
            Mode::Track => {
                let chain = self.chain(self.hosts.len() - 1, packet.client);
                let dispatcher = self.hosts.last_mut().unwrap();
                match dispatcher.track(packet, &chain) {
                    Course::Send {
                        link,
                        passed: false,
                    } => vec![link.server],
                    Course::Nobody => vec![],
                    course => panic!("track: {course:?}"),
                }
            }
        };
        let mut answers = Vec::new();
        for id in receivers {
            let isn = self.dice.word();
            let host = self.host(id);
            if host.alive {
                answers.push((id, host.receive(packet, isn)));
            }
        }
        answers
    }

    fn chain(&self, at: usize, client: Address) -> onehop_dispatch::chain::Chain {
        let settles = !self.plain && self.mode != Mode::Track;
        self.hosts[at].queue.chain(client, self.now, settles)
    }

    fn to_all(&self, packet: &Packet) -> Vec<ServerId> {
        let keeps = |at: usize| {
            let host = &self.hosts[at];
            let course = host.broadcast(packet, &self.chain(at, packet.client));
            assert!(!matches!(course, Course::Send { .. } | Course::Misdirected));
            (host.alive && matches!(course, Course::Keep { .. })).then_some(host.id)?
        };
        (0..self.hosts.len()).filter_map(keeps).collect()
    }

    fn passed_on(&self, packet: &Packet, entry: usize) -> Vec<ServerId> {
        let (mut at, mut sender) = (entry, None);
        for _ in 0..64 {
            let host = &self.hosts[at];
            if !host.alive {
                return vec![];
            }
            let course = host.chance(packet, &self.chain(at, packet.client), sender);
            match course {
                Course::Keep { .. } => return vec![host.id.unwrap()],
                Course::Send { link, .. } if sender == Some(link.server) => return vec![],
                Course::Send { link, .. } => {
                    assert!(!host.is(link.server), "sent to itself");
                    let mut hosts = self.hosts.iter();
                    at = hosts.position(|next| next.is(link.server)).unwrap();
                    sender = host.id;
                }
                Course::Unclaimed | Course::Misdirected | Course::Nobody => return vec![],
                course => panic!("chance: {course:?}"),
            }
        }
        // As long as its hop limit: hosts that have heard of different things.
        assert!(!self.is_told(), "a packet goes round");
        vec![]
    }
}
