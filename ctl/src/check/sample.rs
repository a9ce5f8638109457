// SPDX-License-Identifier: GPL-2.0
//! Hosts without a trap, for tests to lay one.
//!
//! Pool web has two servers and a ghost of each family.

use std::net::IpAddr;

use onehop_uapi::{Mode, Shape};

use super::host::{Address, Device, Host, Settings, Way};
use super::scene::{Ghost, Module, Pool, Scene, Server};

pub const GHOST4: &str = "192.0.2.80";
pub const GHOST6: &str = "2001:db8:2::80";
pub const SERVER1: &str = "10.0.0.1";
pub const SERVER2: &str = "10.0.0.2";

pub fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

pub struct Sample {
    pub scene: Scene,
}

impl Sample {
    /// Between the clients on eth0 and the servers on eth1.
    pub fn dispatcher() -> Self {
        let mut sample = Self::new(Mode::Router, None).running();
        sample.add("eth1", "");
        sample.device("eth0").addresses = vec![Self::address("10.1.0.1", 24)];
        sample.device("eth1").addresses = vec![
            Self::address("10.0.0.254", 24),
            Self::address("2001:db8::254", 64),
        ];
        sample.unbind(GHOST4);
        sample.unbind(GHOST6);
        for server in [SERVER1, SERVER2, "2001:db8::1", "2001:db8::2"] {
            sample.lead(server, "eth1");
        }
        for ghost in [GHOST4, GHOST6] {
            sample.lead(ghost, "eth0");
        }
        sample
    }

    /// Server s1 of a router's pool, without the module.
    pub fn plain() -> Self {
        let mut sample = Self::new(Mode::Router, None);
        let settings = &mut sample.device("eth0").settings;
        (settings.arp_ignore, settings.arp_announce) = (1, 2);
        sample
    }

    /// Server s1 of mode broadcast.
    pub fn member() -> Self {
        Self::new(Mode::Broadcast, Some(Shape::Multicast)).running()
    }

    /// Server s1 of mode peer.
    pub fn peer() -> Self {
        let mut sample = Self::new(Mode::Peer, None).running();
        sample.device("eth0").settings.arp_ignore = 1;
        sample
    }

    /// Server s1, on eth0, with the ghosts on lo.
    fn new(mode: Mode, shape: Option<Shape>) -> Self {
        let ghosts = [GHOST4, GHOST6].map(|it| Ghost {
            address: ip(it),
            running: false,
        });
        let servers = [
            ("s1", SERVER1, "2001:db8::1"),
            ("s2", SERVER2, "2001:db8::2"),
        ];
        let servers = servers.map(|(name, v4, v6)| Server {
            name: name.into(),
            addresses: vec![ip(v4), ip(v6)],
            unreachable: Vec::new(),
        });
        let pool = Pool {
            name: "web".into(),
            mode,
            shape,
            ghosts: ghosts.into(),
            servers: servers.into(),
        };
        let mut sample = Self {
            scene: Scene {
                host: Host {
                    defaults4: ["eth0".into()].into(),
                    defaults6: ["eth0".into()].into(),
                    ..Host::default()
                },
                pools: vec![pool],
                devices: vec!["eth0".into()],
                module: None,
                applied: true,
                peers: Vec::new(),
            },
        };
        sample.add("lo", "");
        let lo = sample.device("lo");
        (lo.loopback, lo.resolves) = (true, false);
        lo.addresses = vec![Self::address(GHOST4, 32), Self::address(GHOST6, 128)];
        sample.add("eth0", "");
        sample.device("eth0").addresses =
            vec![Self::address(SERVER1, 24), Self::address("2001:db8::1", 64)];
        for own in [SERVER1, GHOST4, GHOST6, "2001:db8::1"] {
            sample.lead(own, "lo");
            sample.way(own).local = true;
        }
        for other in [SERVER2, "2001:db8::2"] {
            sample.lead(other, "eth0");
        }
        sample
    }

    /// With the module loaded, and all ghosts in it.
    pub fn running(mut self) -> Self {
        self.scene.module = Some(Module {
            enabled: true,
            answer: false,
            digest: 0x1234,
        });
        self.run(true)
    }

    /// Without the module.
    pub fn stopped(mut self) -> Self {
        self.scene.module = None;
        self.run(false)
    }

    fn run(mut self, running: bool) -> Self {
        let pools = self.scene.pools.iter_mut();
        for ghost in pools.flat_map(|pool| &mut pool.ghosts) {
            ghost.running = running;
        }
        self
    }

    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    pub fn address(text: &str, prefix: u8) -> Address {
        Address {
            address: ip(text),
            prefix,
            host_scope: false,
            dad_failed: false,
        }
    }

    pub fn add(&mut self, name: &str, kind: &str) {
        let device = Device {
            kind: kind.into(),
            up: true,
            resolves: true,
            mtu: 1500,
            settings: Settings::default(),
            ..Device::default()
        };
        self.scene.host.devices.insert(name.into(), device);
    }

    pub fn device(&mut self, name: &str) -> &mut Device {
        self.scene.host.devices.get_mut(name).unwrap()
    }

    /// Takes an address off.
    pub fn unbind(&mut self, address: &str) {
        for device in self.scene.host.devices.values_mut() {
            device.addresses.retain(|it| it.address != ip(address));
        }
        self.scene.host.ways.remove(&ip(address));
    }

    fn lead(&mut self, to: &str, device: &str) {
        let way = Way {
            device: device.into(),
            ..Way::default()
        };
        self.scene.host.ways.insert(ip(to), way);
    }

    pub fn way(&mut self, to: &str) -> &mut Way {
        self.scene.host.ways.get_mut(&ip(to)).unwrap()
    }
}
