// SPDX-License-Identifier: GPL-2.0
//! What the checks look at: this host, and what onehop is to do with it.

use std::collections::BTreeSet;
use std::net::IpAddr;

use onehop_uapi::{Mode, Shape};

use super::host::{Device, Family, Host};

/// A host, its pools and its module.
#[derive(Default)]
pub struct Scene {
    pub host: Host,
    pub pools: Vec<Pool>,
    /// The devices that the configuration names.
    pub devices: Vec<String>,
    /// None: not loaded.
    pub module: Option<Module>,
    /// Whether the pools are what the module has.
    pub applied: bool,
    /// The digests of other hosts.
    pub peers: Vec<Peer>,
}

/// The module, where it is loaded.
pub struct Module {
    pub enabled: bool,
    pub answer: bool,
    pub digest: u64,
}

/// Another host's digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    pub name: String,
    pub digest: u64,
}

/// A pool, as it is to be.
pub struct Pool {
    pub name: String,
    pub mode: Mode,
    pub shape: Option<Shape>,
    pub ghosts: Vec<Ghost>,
    pub servers: Vec<Server>,
}

pub struct Ghost {
    pub address: IpAddr,
    /// Whether the module has it, and so guards it where it has to.
    pub running: bool,
}

pub struct Server {
    pub name: String,
    pub addresses: Vec<IpAddr>,
    /// Of the addresses those that the module does not reach.
    pub unreachable: Vec<IpAddr>,
}

impl Pool {
    pub fn subject(&self) -> String {
        format!("pool {}", self.name)
    }

    /// Whether the module has it.
    pub fn running(&self) -> bool {
        self.ghosts.iter().any(|ghost| ghost.running)
    }

    pub fn has(&self, family: Family) -> bool {
        let mut ghosts = self.ghosts.iter();
        ghosts.any(|ghost| Family::of(ghost.address) == family)
    }

    /// Mode broadcast with a group address.
    pub fn groups(&self) -> bool {
        matches!(self.shape, Some(Shape::Multicast | Shape::Igmp))
    }

    /// The servers' addresses of the families that the ghosts have.
    pub fn addresses(&self) -> impl Iterator<Item = (&Server, IpAddr)> {
        let servers = self.servers.iter();
        let addresses = servers.flat_map(|server| {
            let addresses = server.addresses.iter();
            addresses.map(move |address| (server, *address))
        });
        addresses.filter(|(_, address)| self.has(Family::of(*address)))
    }
}

impl Scene {
    pub fn ghosts(&self) -> impl Iterator<Item = (&Pool, &Ghost)> {
        let pools = self.pools.iter();
        pools.flat_map(|pool| pool.ghosts.iter().map(move |ghost| (pool, ghost)))
    }

    /// The server that this host is.
    pub fn me<'a>(&self, pool: &'a Pool) -> Option<&'a Server> {
        let mut servers = pool.servers.iter();
        servers.find(|server| server.addresses.iter().any(|it| self.host.is_local(*it)))
    }

    /// Whether this host sends a pool's packets on to its servers.
    pub fn sends(&self, pool: &Pool) -> bool {
        match pool.mode {
            Mode::Broadcast => false,
            Mode::Peer => true,
            // A server may have the module for its guard alone, or be a
            // dispatcher too: it sends on what comes.
            Mode::Router => pool.running() || self.me(pool).is_none(),
        }
    }

    pub fn senders(&self) -> impl Iterator<Item = &Pool> {
        self.pools.iter().filter(|pool| self.sends(pool))
    }

    /// Whether the configuration names a device.
    pub fn names(&self, device: &str) -> bool {
        self.devices.iter().any(|it| it == device)
    }

    /// The devices on the link of a pool's servers: those that have this host's
    /// own server address, and those that others are reached by.
    pub fn links(&self, pool: &Pool) -> BTreeSet<&str> {
        let mut links = BTreeSet::new();
        for (_, address) in pool.addresses() {
            links.extend(self.host.holders(address).map(|(name, _)| name));
            if let Some(way) = self.host.ways.get(&address) {
                if !way.local && !way.gateway {
                    links.insert(&way.device);
                }
            }
        }
        links.retain(|name| self.host.devices.get(*name).is_some_and(|it| !it.loopback));
        links
    }

    /// The same, with what they are like.
    pub fn linked(&self, pool: &Pool) -> Vec<(&str, &Device)> {
        let links = self.links(pool).into_iter();
        links
            .filter_map(|name| Some((name, self.host.devices.get(name)?)))
            .collect()
    }

    /// The devices by which packets for a pool's ghosts may come in: those named,
    /// and those that clients are reached by.
    pub fn inlets(&self, pool: &Pool) -> BTreeSet<&str> {
        let named = self.devices.iter();
        let host = &self.host;
        let defaults4 = host.defaults4.iter().filter(|_| pool.has(Family::V4));
        let defaults6 = host.defaults6.iter().filter(|_| pool.has(Family::V6));
        let names = named.chain(defaults4).chain(defaults6);
        let names = names.map(|name| &**name);
        names
            .filter(|name| host.devices.contains_key(*name))
            .collect()
    }

    /// The ghosts of a family that this host has, as a server, and that no module
    /// guards.
    pub fn unguarded(&self, family: Family) -> impl Iterator<Item = (&Pool, IpAddr)> {
        let ghosts = self.ghosts().filter(|(_, ghost)| !ghost.running);
        let mine = ghosts.filter(|(pool, _)| pool.mode != Mode::Router || self.me(pool).is_some());
        let addresses = mine.map(|(pool, ghost)| (pool, ghost.address));
        addresses
            .filter(move |(_, ghost)| Family::of(*ghost) == family && self.host.is_local(*ghost))
    }
}

#[cfg(test)]
mod tests {
    use crate::check::sample::{Sample, SERVER1, SERVER2};

    #[test]
    fn a_link_is_where_servers_are_and_not_where_their_router_is() {
        let mut sample = Sample::dispatcher();
        sample.way(SERVER2).device = "eth0".into();
        let links = |sample: &Sample| {
            let links = sample.scene.links(&sample.scene.pools[0]).into_iter();
            links.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(links(&sample), ["eth0", "eth1"]);
        sample.way(SERVER2).gateway = true;
        assert_eq!(links(&sample), ["eth1"]);
    }

    #[test]
    fn the_way_to_itself_is_no_link() {
        let mut sample = Sample::plain();
        sample.add("red", "vrf");
        sample.way(SERVER1).device = "red".into();
        let links = sample.scene.links(&sample.scene.pools[0]);
        assert_eq!(links.into_iter().collect::<Vec<_>>(), ["eth0"]);
    }
}
