// SPDX-License-Identifier: GPL-2.0

//! What ought to become of a frame: design.md, "A packet's way", read once more, slowly.

use crate::address::{is_ghost, GHOST6};
use crate::bed::{is_peer, Bed, Mode, Place, Port, Server};
use crate::frame::{word, Frame, Mac};
use crate::law::{ends, is_neighbour_of, whose, Whose};
use crate::stack::Arrival;
use std::fmt;

/// The counter for messages of neighbour discovery that are stopped.
pub const GUARDED: &str = "guarded";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The module's counter for it; none if it is not for a ghost, or does not get as far.
    pub counter: Option<&'static str>,
    pub output: Option<Output>,
    /// That it may also end otherwise, with nothing sent.
    pub is_doubtful: bool,
    /// Or like this: in a transition it is not told here which owner a connection is with.
    pub other: Option<Box<Verdict>>,
}

/// What a server gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    pub port: Port,
    pub to: Mac,
    /// As it came, which is as it goes but for its TTL or hop limit and what depends on that.
    pub packet: Vec<u8>,
    /// In pieces.
    pub is_cut: bool,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.counter.unwrap_or("not counted"))?;
        if let Some(output) = &self.output {
            let cut = if output.is_cut { ", cut" } else { "" };
            write!(f, ", to {:02x?} on {:?}{cut}", output.to, output.port)?;
        }
        f.write_str(if self.is_doubtful { ", or nothing" } else { "" })?;
        match &self.other {
            Some(other) => write!(f, ", or {other}"),
            None => Ok(()),
        }
    }
}

impl Verdict {
    fn counted(counter: &'static str) -> Self {
        Self {
            counter: Some(counter),
            ..Self::default()
        }
    }

    /// What the stack deals with: it may answer, and what it sends to a ghost is this host's own.
    fn of_stack(packet: &[u8]) -> Self {
        Self {
            is_doubtful: ends(packet).is_some_and(|(from, _)| is_ghost(from)),
            ..Self::default()
        }
    }

    pub fn of(bed: &Bed, frame: &Frame) -> Self {
        let (Some(mut arrival), Some(from)) = (Arrival::of(frame), frame.from()) else {
            return Self::default();
        };
        if bed.mode == Mode::Broadcast && bed.devices && !arrival.is_tagged {
            if let Some(verdict) = at_ingress(bed, &mut arrival) {
                return verdict;
            }
        }
        let Some(shown) = arrival.shown(frame) else {
            return Self::of_stack(arrival.packet);
        };
        let mut verdict = if is_neighbour_of(shown.packet, GHOST6.into()) {
            Self::counted(GUARDED)
        } else if is_for_ghost(&arrival, shown.packet) {
            of_packet(bed, from, &arrival, shown.packet, frame)
        } else {
            return Self::of_stack(shown.packet);
        };
        verdict.is_doubtful |= shown.is_doubtful;
        verdict
    }
}

/// What mode broadcast decides before the stack has looked; what is left, PRE_ROUTING decides.
fn at_ingress(bed: &Bed, arrival: &mut Arrival<'_>) -> Option<Verdict> {
    if !is_for_ghost(arrival, arrival.packet) {
        return None;
    }
    match whose(arrival.packet) {
        Whose::Client(client) => {
            let owner = bed.owners.of(client)?;
            let is_here = |server: Server| server.place == Place::Here;
            let is_dropped = !is_here(owner) && !bed.older.of(client).is_some_and(is_here);
            is_dropped.then(|| Verdict::counted("drop_not_owner"))
        }
        Whose::Neighbour => {
            arrival.is_shared = false;
            None
        }
        Whose::NotDispatched | Whose::Malformed => None,
    }
}

/// Whether a packet, which is of the family that the frame says, goes to a ghost.
fn is_for_ghost(arrival: &Arrival<'_>, packet: &[u8]) -> bool {
    ends(packet).is_some_and(|(_, to)| to.is_ipv6() == arrival.is_ipv6 && is_ghost(to))
}

/// What PRE_ROUTING decides.
fn of_packet(bed: &Bed, from: Mac, arrival: &Arrival<'_>, packet: &[u8], frame: &Frame) -> Verdict {
    let is_to_all = arrival.is_shared && bed.mode == Mode::Broadcast;
    let left = || match bed.has_ghost && !is_to_all {
        true => Verdict::counted("local"),
        false => Verdict::counted("drop_not_dispatched"),
    };
    if !bed.enabled {
        return Verdict::counted("drop_disabled");
    }
    if arrival.is_shared && bed.mode != Mode::Broadcast {
        return left();
    }
    let client = match whose(packet) {
        Whose::Client(client) => client,
        Whose::Malformed => return Verdict::counted("drop_malformed"),
        Whose::NotDispatched | Whose::Neighbour => return left(),
    };
    let Some(server) = bed.owners.of(client) else {
        return Verdict::counted("drop_no_server");
    };
    let ends = |server, is_from_peer| at_owner(bed, server, from, is_from_peer, packet, frame);
    match bed.older.of(client) {
        // What a peer has sent may go on to the other of the two, and once more no further.
        Some(older) if older != server => Verdict {
            is_doubtful: true,
            other: Some(Box::new(ends(older, false))),
            ..ends(server, false)
        },
        _ => ends(server, bed.mode == Mode::Peer && is_peer(from)),
    }
}

/// What becomes of a packet that is this server's.
fn at_owner(
    bed: &Bed,
    server: Server,
    from: Mac,
    is_from_peer: bool,
    packet: &[u8],
    frame: &Frame,
) -> Verdict {
    match server.place {
        Place::Here if bed.has_ghost => Verdict::counted("local"),
        Place::Here => Verdict::counted("drop_not_local"),
        _ if bed.mode == Mode::Broadcast => Verdict::counted("drop_not_owner"),
        Place::Away => Verdict::counted("drop_unreachable"),
        Place::On(_) if is_from_peer => Verdict::counted("drop_misdirected"),
        Place::On(port) => {
            let is_ipv6 = packet[0] >> 4 == 6;
            let is_unrouted = bed.unrouted && port == Port::Small && is_ipv6;
            sent(server, port, from, packet, frame, is_unrouted)
        }
    }
}

fn sent(
    server: Server,
    port: Port,
    from: Mac,
    packet: &[u8],
    frame: &Frame,
    is_unrouted: bool,
) -> Verdict {
    let is_ipv6 = packet[0] >> 4 == 6;
    let lives = packet[if is_ipv6 { 7 } else { 8 }];
    if lives <= 1 {
        return Verdict::counted("drop_ttl");
    }
    if from == server.mac {
        return Verdict::counted("drop_bounced");
    }
    let may_be_cut = !is_ipv6 && word(packet, 6).unwrap_or(0) & 0x4000 == 0;
    let fits = fits(packet.len(), frame, port.mtu());
    if fits == Some(false) && is_unrouted {
        return Verdict::counted("drop_no_route");
    }
    if fits == Some(false) && !may_be_cut {
        return Verdict::counted("drop_too_big");
    }
    Verdict {
        counter: Some("handed"),
        output: Some(Output {
            port,
            to: server.mac,
            packet: packet.to_vec(),
            is_cut: fits != Some(true),
        }),
        is_doubtful: fits.is_none() && (!may_be_cut || is_unrouted),
        other: None,
    }
}

/// Whether a packet, or each segment of one that is many, is within the MTU. The headers of segments
/// are where the kernel has found them, or has been told: near the limit it is not told here.
fn fits(length: usize, frame: &Frame, mtu: usize) -> Option<bool> {
    let offloads = &frame.offloads;
    if length <= mtu {
        return Some(true);
    }
    if !frame.is_segments() {
        return Some(false);
    }
    let headers = usize::from(offloads.checksum_start).max(100) + 60;
    let size = usize::from(offloads.size.max(8));
    if size > mtu {
        Some(false)
    } else {
        (size + headers <= mtu).then_some(true)
    }
}
