// SPDX-License-Identifier: GPL-2.0

//! A host: its queue of functions, and its TCP as far as that can break a connection.

use std::collections::{HashMap, HashSet};

use onehop_dispatch::addr::Address;
use onehop_dispatch::chain::Chain;
use onehop_dispatch::claim::Socket;
use onehop_dispatch::course::{self, Course};
use onehop_dispatch::flow::{Fingerprint, Flow, Ports, Segment, Tag};
use onehop_dispatch::record::Record;
use onehop_dispatch::server::ServerId;

use super::queue::Queue;
use super::wire::{Packet, Tuple, GHOST};

/// What a stack answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    SynAck { isn: u32 },
    Ack,
    Reset,
    Nothing,
}

#[derive(Clone, Debug)]
pub struct Host {
    /// None: a dispatcher that is no server.
    pub id: Option<ServerId>,
    pub queue: Queue,
    /// Changes that it has not heard of yet: when it will, and their numbers.
    pub pending: Vec<(u64, usize)>,
    pub alive: bool,
    /// Answers SYNs with cookies.
    pub overflows: bool,
    pub sockets: HashMap<Tuple, Socket>,
    cookies: HashSet<(Address, Ports, u32)>,
    records: HashMap<Tag, Vec<Record>>,
    parts: HashSet<u32>,
}

impl Host {
    pub fn new(id: Option<ServerId>, queue: Queue) -> Self {
        Self {
            id,
            queue,
            pending: Vec::new(),
            alive: true,
            overflows: false,
            sockets: HashMap::new(),
            cookies: HashSet::new(),
            records: HashMap::new(),
            parts: HashSet::new(),
        }
    }

    pub fn is(&self, id: ServerId) -> bool {
        self.id == Some(id)
    }

    /// Forgets everything but what it is configured to be.
    pub fn reboot(&mut self, queue: Queue) {
        *self = Self::new(self.id, queue);
    }

    pub fn socket(&self, client: Address, ports: Ports) -> Socket {
        let found = self.sockets.get(&(client, ports));
        found.copied().unwrap_or(Socket::None)
    }

    fn claims(&self, client: Address, flow: &Flow) -> bool {
        match flow {
            Flow::Segment(segment) => {
                self.socket(client, segment.ports).claims(segment) || self.baked(client, segment)
            }
            Flow::Quoted(ports) => self.socket(client, *ports).claims_quoted(),
            _ => panic!("asked for a claim to {flow:?}"),
        }
    }

    /// Whether a segment brings back a cookie of this host's.
    fn baked(&self, client: Address, segment: &Segment) -> bool {
        let cookie = (client, segment.ports, segment.ack.wrapping_sub(1));
        segment.acknowledges() && self.cookies.contains(&cookie)
    }

    pub fn broadcast(&self, packet: &Packet, chain: &Chain) -> Course {
        let flow = packet.flow();
        let claims = || self.claims(packet.client, &flow);
        course::broadcast(chain, &flow, |id| self.is(id), claims)
    }

    /// `sender` is the server that sent the packet on, if one did.
    pub fn chance(&self, packet: &Packet, chain: &Chain, sender: Option<ServerId>) -> Course {
        let flow = packet.flow();
        course::chance(
            chain,
            &flow,
            |id| self.is(id),
            self.id.is_some(),
            sender.is_some(),
            |id| sender == Some(id),
            || self.claims(packet.client, &flow),
        )
    }

    pub fn track(&mut self, packet: &Packet, chain: &Chain) -> Course {
        let flow = packet.flow();
        let record = if flow.is_whole() {
            self.recorded(packet.client, &flow, chain)
        } else {
            None
        };
        let link = |server| chain.links().iter().find(|link| link.server == server);
        let noted = record.and_then(link).copied();
        match chain.oldest().and_then(link) {
            Some(oldest) => course::track(chain.newest(), *oldest, &flow, noted),
            None => Course::Nobody,
        }
    }

    /// The set of records, kept as a dispatcher keeps it.
    fn recorded(&mut self, client: Address, flow: &Flow, chain: &Chain) -> Option<ServerId> {
        let tag = Fingerprint::new([3; 16]).tag(GHOST, client, flow.ports()?);
        let records = self.records.entry(tag).or_default();
        match flow {
            Flow::Segment(segment) if segment.opens() => {
                // Those of others come back to life if a later function names their server again.
                records.retain(|record| chain.is_moved() && chain.names(record.server));
                let again = records.iter().find(|record| record.began_with(segment.seq));
                let server = again.map_or(chain.newest().server(), |record| Some(record.server))?;
                if again.is_none() && chain.is_moved() {
                    records.push(Record::new(server, segment.seq));
                }
                Some(server)
            }
            Flow::Segment(segment) => {
                let near = records.iter_mut().filter_map(|record| {
                    let next = record.follows(segment.seq)?;
                    Some((record.since(segment.seq), record, next))
                });
                let (_, record, next) = near.min_by_key(|(since, ..)| *since)?;
                *record = Record::from_bits(next.to_bits()).unwrap();
                Some(record.server)
            }
            _ => records.first().map(|record| record.server),
        }
    }

    pub fn forget_records(&mut self) {
        self.records.clear();
    }

    /// The stack gets a packet. `isn` is what it would begin a connection with.
    pub fn receive(&mut self, packet: &Packet, isn: u32) -> Answer {
        let flow = match packet.flow() {
            // Only whole segments reach TCP.
            flow if flow.is_fragment() => {
                if flow == Flow::LaterFragment && self.parts.contains(&packet.number) {
                    return Answer::Ack;
                }
                self.parts.insert(packet.number);
                return Answer::Nothing;
            }
            flow => flow,
        };
        match flow {
            Flow::Segment(segment) if segment.opens() => self.open(packet.client, &segment, isn),
            Flow::Segment(segment) => self.go_on(packet.client, &segment),
            Flow::Quoted(ports) if self.socket(packet.client, ports) != Socket::None => Answer::Ack,
            _ => Answer::Nothing,
        }
    }

    fn open(&mut self, client: Address, segment: &Segment, isn: u32) -> Answer {
        let key = (client, segment.ports);
        match self.socket(client, segment.ports) {
            Socket::Full | Socket::Opening { .. } => return Answer::Ack,
            Socket::Request { isn } => return Answer::SynAck { isn },
            Socket::None | Socket::TimeWait { .. } => {}
        }
        self.sockets.remove(&key);
        if self.overflows {
            self.cookies.insert((client, segment.ports, isn));
        } else {
            self.sockets.insert(key, Socket::Request { isn });
        }
        Answer::SynAck { isn }
    }

    fn go_on(&mut self, client: Address, segment: &Segment) -> Answer {
        let key = (client, segment.ports);
        match self.socket(client, segment.ports) {
            Socket::Full | Socket::TimeWait { .. } => Answer::Ack,
            socket @ (Socket::Request { .. } | Socket::Opening { .. })
                if socket.claims(segment) =>
            {
                self.sockets.insert(key, Socket::Full);
                Answer::Ack
            }
            Socket::None if self.baked(client, segment) => {
                self.sockets.insert(key, Socket::Full);
                Answer::Ack
            }
            Socket::None | Socket::Request { .. } | Socket::Opening { .. } => Answer::Reset,
        }
    }
}
