// SPDX-License-Identifier: GPL-2.0

//! The clients: they remember for each connection where it began, and whether it is still promised
//! to stay there.

use onehop_dispatch::addr::Address;
use onehop_dispatch::claim::Socket;
use onehop_dispatch::flow::Ports;
use onehop_dispatch::server::ServerId;

use super::host::Answer;
use super::segment::{ACK, FIN, SYN};
use super::wire::{self, Packet, Part, Tuple};
use super::world::{Mode, World};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// No answer to its SYN yet.
    Calling,
    /// Answered, by a server with this sequence number.
    Open { isn: u32 },
    /// Both have ended it, the server first.
    Closed,
}

#[derive(Clone, Debug)]
pub struct Connection {
    pub client: Address,
    pub ports: Ports,
    pub phase: Phase,
    pub server: Option<ServerId>,
    seq: u32,
    /// With which function it began, and the last one then.
    began: (usize, usize),
    /// Others have sent, or have had, SYNs of the same addresses and ports.
    muddled: bool,
    called: bool,
    /// Its server has heard more than its SYN.
    agreed: bool,
    /// It is not promised anything any more.
    lapsed: bool,
}

impl Connection {
    pub fn new(client: Address, port: u16, isn: u32) -> Self {
        Self {
            client,
            ports: Ports {
                client: port,
                ghost: 80,
            },
            phase: Phase::Calling,
            server: None,
            seq: isn,
            began: (0, 0),
            muddled: false,
            called: false,
            agreed: false,
            lapsed: false,
        }
    }

    fn tuple(&self) -> Tuple {
        (self.client, self.ports)
    }

    fn segment(&self, flags: u8, data: usize, part: (Part, u32)) -> Packet {
        let ack = match self.phase {
            Phase::Open { isn } => isn.wrapping_add(1),
            Phase::Calling | Phase::Closed => 1,
        };
        wire::segment(self.tuple(), flags, (self.seq, ack), data, part)
    }

    /// Whether its server is to keep it: that was not down since, and the function it began with, or
    /// the last after that while all agree on its client, is the newest or promised to stay. A later
    /// one that comes back to the server may have been promised to stay for less.
    pub fn is_promised(&self, world: &World) -> bool {
        let (Some(server), (first, last)) = (self.server, self.began) else {
            return false;
        };
        let down_after = |id: ServerId, number: usize| {
            let mut downs = world.downs.iter();
            downs.any(|(down, with)| *down == id && *with > number)
        };
        if self.lapsed || down_after(server, last) {
            return false;
        }
        let (mut until, mut agree) = (0, true);
        for (number, issued) in world.functions.iter().enumerate().skip(first) {
            let owner = issued.whole.owner(self.client);
            if owner == Some(server) {
                until = match issued.until() {
                    its if agree => its,
                    its => its.min(until),
                };
            } else {
                agree &= owner.is_none_or(|owner| down_after(owner, number));
            }
        }
        world.now < until
    }

    /// Time has passed or a change was made.
    pub fn look(&mut self, world: &World) {
        self.lapsed |= self.server.is_some() && !self.is_promised(world);
    }

    /// Sends the SYN, for the first time or again.
    pub fn call(&mut self, world: &mut World) {
        let syn = wire::segment(self.tuple(), SYN, (self.seq, 0), 0, (Part::Whole, 0));
        let answers = world.send(&syn);
        let heard: Vec<(ServerId, u32)> = answers
            .iter()
            .filter_map(|&(id, answer)| match answer {
                Answer::SynAck { isn } => Some((id, isn)),
                _ => None,
            })
            .collect();
        if world.is_settled() && !self.called && !world.plain {
            let right = world.said.newest.owner(self.client);
            let ids: Vec<ServerId> = answers.iter().map(|(id, _)| *id).collect();
            assert_eq!(ids, Vec::from_iter(right), "a new connection: {self:?}");
        }
        self.muddled |= self.called || heard.len() > 1;
        self.called = true;
        let lost = world.dice.roll(6) == 0;
        if heard.is_empty() || lost {
            return;
        }
        let (server, isn) = heard[world.dice.roll(heard.len() as u64) as usize];
        let mut functions = world.functions.iter();
        let began = functions.rposition(|issued| issued.whole.owner(self.client) == Some(server));
        self.phase = Phase::Open { isn };
        self.server = Some(server);
        self.seq = self.seq.wrapping_add(1);
        let last = world.functions.len() - 1;
        self.began = (began.expect("some function names it"), last);
        for _ in heard.iter().filter(|(id, _)| *id != server) {
            self.challenge(world);
        }
    }

    /// What comes of a packet that only its server is to have. Whether that had it.
    fn sent(&self, world: &mut World, packet: &Packet, must_arrive: bool) -> bool {
        let promised = self.is_promised(world) && !world.plain;
        let answers = world.send(packet);
        let arrived = answers.contains(&(self.server.unwrap(), Answer::Ack));
        if promised {
            let others = answers.iter().filter(|(id, _)| Some(*id) != self.server);
            for (id, answer) in others {
                assert_eq!(*answer, Answer::Nothing, "{id:?} answers {self:?}");
            }
            assert!(arrived || !must_arrive, "lost: {self:?}, {answers:?}");
            assert!(
                !answers.iter().any(|(_, answer)| *answer == Answer::Reset),
                "reset: {self:?}"
            );
        }
        arrived
    }

    /// A SYN with an acknowledgement comes to a client that has heard another: it says where it is.
    fn challenge(&self, world: &mut World) {
        let agreed = world.agrees();
        self.sent(world, &self.segment(ACK, 0, (Part::Whole, 0)), agreed);
    }

    /// Sends data, or ends. Whether that came to its server.
    pub fn talk(&mut self, world: &mut World, ends: bool) -> bool {
        let agreed = world.agrees();
        let data = 1 + world.dice.roll(1400) as usize;
        match self.phase {
            Phase::Calling => {
                self.call(world);
                false
            }
            Phase::Closed => {
                let again = self.segment(ACK | FIN, 0, (Part::Whole, 0));
                self.sent(world, &again, false)
            }
            Phase::Open { .. } if ends => {
                let fin = self.segment(ACK | FIN, 0, (Part::Whole, 0));
                let arrived = self.sent(world, &fin, agreed);
                if arrived {
                    self.phase = Phase::Closed;
                    let rcv_nxt = self.seq.wrapping_add(1);
                    let server = world.host(self.server.unwrap());
                    server
                        .sockets
                        .insert(self.tuple(), Socket::TimeWait { rcv_nxt });
                }
                arrived
            }
            Phase::Open { .. } => {
                let arrived = self.sent(world, &self.segment(ACK, data, (Part::Whole, 0)), agreed);
                if arrived {
                    self.seq = self.seq.wrapping_add(data as u32);
                    self.agreed = true;
                }
                arrived
            }
        }
    }

    /// Begins anew with the same ports, as much later in sequence numbers as clients do at least.
    pub fn reuse(&mut self, world: &mut World) {
        let further = 65_537 + world.dice.roll(1 << 28) as u32 * u32::from(world.dice.roll(2) > 0);
        let isn = self.seq.wrapping_add(further);
        *self = Self::new(self.client, self.ports.client, isn);
        self.muddled = true;
        self.call(world);
    }

    /// Somebody else sends a SYN in its name.
    pub fn spoof(&mut self, world: &mut World) {
        if !matches!(self.phase, Phase::Open { .. }) || !self.agreed {
            return;
        }
        self.muddled = true;
        let seq = self
            .seq
            .wrapping_add(1 << 19)
            .wrapping_add(world.dice.word() >> 1);
        let syn = wire::segment(self.tuple(), SYN, (seq, 0), 0, (Part::Whole, 0));
        for (_, answer) in world.send(&syn) {
            assert_ne!(answer, Answer::Reset);
            if matches!(answer, Answer::SynAck { .. }) {
                self.challenge(world);
            }
        }
    }

    /// A router complains about a segment of the server's.
    pub fn error(&self, world: &mut World) {
        match self.phase {
            // No sequence numbers are compared, so what is left of others may come first.
            Phase::Open { isn } if self.agreed && !self.muddled => {
                let agreed = world.agrees();
                self.sent(world, &wire::error(self.tuple(), isn), agreed);
            }
            _ => {}
        }
    }

    /// A segment in two parts, in either order.
    pub fn fragments(&self, world: &mut World) {
        if !matches!(self.phase, Phase::Open { .. }) {
            return;
        }
        let number = world.dice.word();
        let first = self.segment(ACK, 1460, (Part::First, number));
        let later = self.segment(ACK, 200, (Part::Later, number));
        let stays = match world.mode {
            Mode::Broadcast => world.is_told(),
            _ => {
                let chain = world.said.chain(self.client, world.now, false);
                world.is_uniform() && chain.oldest() == self.server
            }
        };
        if !stays || !self.is_promised(world) {
            return;
        }
        self.sent(world, &first, false);
        self.sent(world, &later, true);
    }
}
