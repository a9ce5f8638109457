// SPDX-License-Identifier: GPL-2.0
//! What a host is like: the facts that checks judge.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// The facts, of one network namespace.
#[derive(Default)]
pub struct Host {
    pub devices: BTreeMap<String, Device>,
    /// What is delivered here, also without an address: routes of type local.
    pub local: Vec<Network>,
    /// The devices of IPv4's default routes: the way back to clients.
    pub defaults4: BTreeSet<String>,
    /// Likewise of IPv6's.
    pub defaults6: BTreeSet<String>,
    /// The ways to ghosts and servers. What is not in it has none.
    pub ways: BTreeMap<IpAddr, Way>,
    /// On link within the VRF named, for what no way on link leads to outside.
    pub vrfs: BTreeMap<IpAddr, String>,
    /// `gc_thresh3` of IPv4. Namespaces other than the first cannot see it.
    pub neighbours4: Option<usize>,
    /// Likewise of IPv6.
    pub neighbours6: Option<usize>,
}

/// A network device.
#[derive(Clone, Debug, Default)]
pub struct Device {
    /// As `ip -d` has it: bond, bridge, vlan, vrf, ... Empty: hardware, or lo.
    pub kind: String,
    pub loopback: bool,
    pub up: bool,
    /// Whether it asks and answers by ARP or ND at all.
    pub resolves: bool,
    pub mtu: u32,
    /// The bond, bridge or VRF that it belongs to.
    pub master: Option<String>,
    /// The device that a VLAN is on.
    pub parent: Option<String>,
    pub addresses: Vec<Address>,
    pub lro: Lro,
    /// A bridge that snoops, and has seen a querier of these families or is one.
    pub queriers: Vec<Family>,
    pub settings: Settings,
}

/// An address on a device.
#[derive(Clone, Debug)]
pub struct Address {
    pub address: IpAddr,
    pub prefix: u8,
    /// Of scope host: never told to others with `arp_ignore` 3.
    pub host_scope: bool,
    /// Another host has it: duplicate address detection failed.
    pub dad_failed: bool,
}

/// The sysctls of a device, put together with those of `all` as the kernel does.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub arp_ignore: u32,
    pub arp_announce: u32,
    pub rp_filter: u32,
    pub drop_unicast4: bool,
    pub drop_unicast6: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lro {
    #[default]
    Off,
    On,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    V4,
    V6,
}

impl Family {
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(_) => Self::V4,
            IpAddr::V6(_) => Self::V6,
        }
    }
}

/// A prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    pub address: IpAddr,
    pub prefix: u8,
}

/// Where this host's own packets for an address go.
#[derive(Clone, Debug, Default)]
pub struct Way {
    pub device: String,
    /// To this host itself.
    pub local: bool,
    /// By way of another host.
    pub gateway: bool,
    /// The source that they get.
    pub source: Option<IpAddr>,
    /// The route's own MTU.
    pub mtu: Option<u32>,
}

impl Network {
    pub fn contains(&self, other: IpAddr) -> bool {
        let (ours, theirs, bits) = match (self.address, other) {
            (IpAddr::V4(ours), IpAddr::V4(theirs)) => {
                (u128::from(ours.to_bits()), theirs.to_bits().into(), 32)
            }
            (IpAddr::V6(ours), IpAddr::V6(theirs)) => (ours.to_bits(), theirs.to_bits(), 128),
            _ => return false,
        };
        let free = bits - u32::from(self.prefix).min(bits);
        // A shift by all 128 bits leaves nothing to differ in.
        (ours ^ theirs).checked_shr(free).unwrap_or(0) == 0
    }
}

impl Address {
    pub fn network(&self) -> Network {
        Network {
            address: self.address,
            prefix: self.prefix,
        }
    }
}

impl Device {
    /// Whether it has this address.
    pub fn has(&self, address: IpAddr) -> bool {
        self.address(address).is_some()
    }

    fn address(&self, address: IpAddr) -> Option<&Address> {
        self.addresses.iter().find(|it| it.address == address)
    }

    /// Whether an address is within the network of one of its own, other than
    /// itself.
    pub fn on_link(&self, address: IpAddr) -> bool {
        let others = self.addresses.iter().filter(|it| it.address != address);
        others.map(Address::network).any(|it| it.contains(address))
    }
}

impl Host {
    /// Whether packets for an address are this host's own.
    pub fn is_local(&self, address: IpAddr) -> bool {
        self.holders(address).next().is_some() || self.local.iter().any(|it| it.contains(address))
    }

    /// The devices that have an address.
    pub fn holders(&self, address: IpAddr) -> impl Iterator<Item = (&str, &Device)> {
        let devices = self.devices.iter().map(|(name, device)| (&**name, device));
        devices.filter(move |(_, device)| device.has(address))
    }

    /// The addresses that are this one, with their devices.
    pub fn bindings(&self, address: IpAddr) -> impl Iterator<Item = (&str, &Address)> {
        let holders = self.holders(address);
        holders.filter_map(move |(name, device)| Some((name, device.address(address)?)))
    }

    /// The kind of a device's master; empty if it has none.
    pub fn master_kind(&self, device: &Device) -> &str {
        let master = device.master.as_ref();
        master
            .and_then(|master| self.devices.get(master))
            .map_or("", |master| &master.kind)
    }

    /// Whether frames that come in by a device become its bond's or bridge's.
    pub fn is_port(&self, device: &Device) -> bool {
        device.master.is_some() && self.master_kind(device) != "vrf"
    }

    /// The devices below one, through which its frames come in; and itself.
    pub fn below<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        let mut names = vec![name];
        let mut next = 0;
        while let Some(&upper) = names.get(next) {
            let parent = self
                .devices
                .get(upper)
                .and_then(|device| device.parent.as_deref());
            let ports = self.devices.iter().filter(|(_, device)| {
                device.master.as_deref() == Some(upper) && self.is_port(device)
            });
            let lower: Vec<_> = parent
                .into_iter()
                .chain(ports.map(|(name, _)| &**name))
                .filter(|lower| !names.contains(lower))
                .collect();
            names.extend(lower);
            next += 1;
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(address: &str, prefix: u8) -> Network {
        Network {
            address: address.parse().unwrap(),
            prefix,
        }
    }

    #[test]
    fn a_network_has_what_shares_its_prefix() {
        let contains = |network: Network, it: &str| network.contains(it.parse().unwrap());
        assert!(contains(network("10.0.0.1", 24), "10.0.0.254"));
        assert!(!contains(network("10.0.0.1", 24), "10.0.1.1"));
        assert!(contains(network("10.0.0.1", 32), "10.0.0.1"));
        assert!(!contains(network("10.0.0.1", 32), "10.0.0.0"));
        assert!(contains(network("0.0.0.0", 0), "255.255.255.255"));
        assert!(!contains(network("0.0.0.0", 0), "::"));
        assert!(contains(network("::", 0), "ffff::"));
        assert!(contains(network("2001:db8::1", 64), "2001:db8::ffff"));
        assert!(!contains(network("2001:db8::1", 64), "2001:db8:0:1::1"));
        assert!(!contains(network("2001:db8::1", 128), "2001:db8::"));
    }

    #[test]
    fn below_a_bond_are_its_ports() {
        let device = |master: Option<&str>, parent: Option<&str>, kind: &str| Device {
            master: master.map(Into::into),
            parent: parent.map(Into::into),
            kind: kind.into(),
            ..Device::default()
        };
        let devices = [
            ("bond0", device(Some("red"), None, "bond")),
            ("bond0.5", device(None, Some("bond0"), "vlan")),
            ("eth0", device(Some("bond0"), None, "")),
            ("eth1", device(Some("bond0"), None, "")),
            ("eth2", device(None, None, "")),
            ("red", device(None, None, "vrf")),
        ];
        let host = Host {
            devices: devices.map(|(name, it)| (name.into(), it)).into(),
            ..Host::default()
        };
        assert_eq!(host.below("bond0.5"), ["bond0.5", "bond0", "eth0", "eth1"]);
        assert_eq!(host.below("red"), ["red"]);
        assert!(host.is_port(&host.devices["eth0"]));
        assert!(!host.is_port(&host.devices["bond0"]));
    }
}
