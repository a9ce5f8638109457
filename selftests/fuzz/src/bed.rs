// SPDX-License-Identifier: GPL-2.0

//! The dispatcher under test and the servers it knows, as `selftests/fuzz.sh` sets them up.

use crate::frame::Mac;
use std::collections::HashMap;
use std::fs;
use std::net::IpAddr;

/// The dispatcher's own link address.
pub const DISPATCHER: Mac = [2, 0, 0, 0, 0, 11];
/// That of whoever sends what is not odd in this.
pub const ROUTER: Mac = [2, 0, 0, 0, 0, 254];

/// How many leading bits of a client the pool counts: so few that the oracle can be asked about all
/// there are.
pub const PREFIX: u32 = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Router,
    Peer,
    Broadcast,
}

/// A device of the dispatcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// Where all frames come in and most go out.
    Wire,
    /// Towards one of the servers.
    Small,
}

impl Port {
    pub fn mtu(self) -> usize {
        match self {
            Self::Wire => 9000,
            Self::Small => 1400,
        }
    }
}

/// Where a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    On(Port),
    /// It is the dispatcher itself.
    Here,
    /// Behind a router.
    Away,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    pub mac: Mac,
    pub place: Place,
}

impl Server {
    pub fn of(id: u8) -> Self {
        let place = match id {
            5 => Place::On(Port::Small),
            6 => Place::Away,
            7 => Place::Here,
            _ => Place::On(Port::Wire),
        };
        Self {
            mac: [2, 0, 0, 0, 0, id],
            place,
        }
    }
}

/// Whether a frame is from a server that the dispatcher takes for a peer.
pub fn is_peer(from: Mac) -> bool {
    (1..=5).any(|id| Server::of(id).mac == from)
}

/// How the dispatcher is configured.
pub struct Bed {
    pub mode: Mode,
    /// Whether the configuration names its devices.
    pub devices: bool,
    pub enabled: bool,
    /// Whether the dispatcher has the ghosts itself.
    pub has_ghost: bool,
    /// Whether a packet of IPv6 that takes the slow path to small finds no route.
    pub unrouted: bool,
    /// Of each client; empty if nobody lives.
    pub owners: Owners,
    /// By the function before, in a transition.
    pub older: Owners,
}

impl Bed {
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            devices: false,
            enabled: true,
            has_ghost: false,
            unrouted: false,
            owners: Owners::default(),
            older: Owners::default(),
        }
    }
}

/// Owners by family and the leading bits of a client.
#[derive(Default)]
pub struct Owners(HashMap<(bool, u32), u8>);

impl Owners {
    /// From what the oracle has answered to [`questions`].
    pub fn read(file: &str) -> Result<Self, String> {
        let mut owners = HashMap::new();
        let text = fs::read_to_string(file).map_err(|error| format!("'{file}': {error}"))?;
        for line in text.lines() {
            let wrong = || format!("'{line}' in '{file}': expected an answer about an owner");
            let words: Vec<&str> = line.split(' ').collect();
            let ["owner", client, rest @ ..] = &words[..] else {
                return Err(wrong());
            };
            let client: IpAddr = client.parse().map_err(|_| wrong())?;
            match rest {
                ["none"] => {}
                ["up", id] => {
                    owners.insert(key(client), id.parse().map_err(|_| wrong())?);
                }
                _ => return Err(wrong()),
            }
        }
        Ok(Self(owners))
    }

    pub fn of(&self, client: IpAddr) -> Option<Server> {
        self.0.get(&key(client)).map(|&id| Server::of(id))
    }
}

fn key(client: IpAddr) -> (bool, u32) {
    match client {
        IpAddr::V4(v4) => (false, u32::from(v4) >> (32 - PREFIX)),
        IpAddr::V6(v6) => (true, (u128::from(v6) >> (128 - PREFIX)) as u32),
    }
}

/// One client of each that the pool can tell apart, for the oracle.
pub fn questions() -> impl Iterator<Item = String> {
    let all = 0..1u32 << PREFIX;
    let v4 = all
        .clone()
        .map(|bits| IpAddr::V4((bits << (32 - PREFIX)).into()));
    let v6 = all.map(|bits| IpAddr::V6((u128::from(bits) << (128 - PREFIX)).into()));
    v4.chain(v6).map(|client| format!("owner {client}"))
}
