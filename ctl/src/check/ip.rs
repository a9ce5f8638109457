// SPDX-License-Identifier: GPL-2.0
//! What `ip -j` says, as far as it is needed.

use std::io;
use std::net::IpAddr;

use serde::de::DeserializeOwned;
use serde::Deserialize;

use super::host::{Network, Way};
use crate::system::System;
use crate::Error;

/// A device, of `ip -j -d address`.
#[derive(Deserialize)]
pub struct Link {
    pub ifname: String,
    #[serde(default)]
    pub flags: Vec<String>,
    pub mtu: u32,
    pub master: Option<String>,
    /// The parent; of a veth its peer.
    pub link: Option<String>,
    #[serde(default)]
    pub linkinfo: LinkInfo,
    #[serde(default)]
    pub addr_info: Vec<Addr>,
}

#[derive(Default, Deserialize)]
pub struct LinkInfo {
    #[serde(default)]
    pub info_kind: String,
    #[serde(default)]
    pub info_data: Bridge,
}

/// Of a bridge; other kinds have none of these.
#[derive(Default, Deserialize)]
pub struct Bridge {
    #[serde(default)]
    pub mcast_snooping: u32,
    #[serde(default)]
    pub mcast_querier: u32,
    #[serde(default)]
    pub mcast_querier_state_ipv4: Querier,
    #[serde(default)]
    pub mcast_querier_state_ipv6: Querier,
}

/// The querier that a bridge has seen, or is.
#[derive(Default, Deserialize)]
pub struct Querier {
    #[serde(alias = "mcast_querier_ipv4_addr", alias = "mcast_querier_ipv6_addr")]
    address: Option<IpAddr>,
}

#[derive(Deserialize)]
pub struct Addr {
    pub local: Option<IpAddr>,
    pub prefixlen: u8,
    #[serde(default)]
    pub scope: String,
    #[serde(default)]
    pub dadfailed: bool,
}

/// A route, of `ip -j route`.
#[derive(Deserialize)]
pub struct Route {
    #[serde(rename = "type", default = "unicast")]
    kind: String,
    dst: String,
    dev: Option<String>,
    gateway: Option<IpAddr>,
    /// A gateway of the other family.
    via: Option<serde::de::IgnoredAny>,
    prefsrc: Option<IpAddr>,
    #[serde(default)]
    metrics: Vec<Metrics>,
    #[serde(default)]
    nexthops: Vec<Hop>,
}

#[derive(Deserialize)]
struct Metrics {
    mtu: Option<u32>,
}

#[derive(Deserialize)]
struct Hop {
    dev: Option<String>,
}

fn unicast() -> String {
    "unicast".into()
}

impl Querier {
    /// Whether there is one.
    pub fn is_there(&self) -> bool {
        self.address.is_some_and(|it| !it.is_unspecified())
    }
}

impl Route {
    /// The devices by which it leads somewhere.
    pub fn devices(self) -> impl Iterator<Item = String> {
        let unicast = self.kind == "unicast";
        let hops = self.nexthops.into_iter().map(|hop| hop.dev);
        let devices = hops.chain([self.dev]).flatten();
        devices.filter(move |_| unicast)
    }

    /// What is delivered here by it.
    pub fn local(&self) -> Option<Network> {
        let (address, prefix) = match self.dst.split_once('/') {
            Some((address, prefix)) => (address.parse().ok()?, prefix.parse().ok()?),
            None => {
                let address: IpAddr = self.dst.parse().ok()?;
                (address, if address.is_ipv4() { 32 } else { 128 })
            }
        };
        (self.kind == "local").then_some(Network { address, prefix })
    }

    /// The way to the one address that was asked for.
    pub fn way(self) -> Option<(IpAddr, Way)> {
        let to: IpAddr = self.dst.parse().ok()?;
        let local = match &*self.kind {
            "local" => true,
            "unicast" => false,
            _ => return None,
        };
        let way = Way {
            device: self.dev?,
            local,
            gateway: self.gateway.is_some_and(|it| it != to) || self.via.is_some(),
            source: self.prefsrc,
            mtu: self.metrics.iter().find_map(|it| it.mtu),
        };
        Some((to, way))
    }
}

/// Asks ip. What fails of a batch is left out.
pub fn ask<T: DeserializeOwned>(
    system: &mut dyn System,
    question: &str,
    batch: &str,
) -> Result<Vec<T>, Error> {
    let arguments: Vec<_> = question.split_whitespace().collect();
    let ran = system
        .run("ip", &arguments, batch)
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Error::refused("ip: not found; install iproute2"),
            _ => Error::Refused(format!("ip: {error}")),
        })?;
    if !ran.success && batch.is_empty() {
        let why = ran.err.lines().next().unwrap_or("failed");
        return Err(Error::Refused(format!("ip {question}: {why}")));
    }
    let mut items = Vec::new();
    for answer in serde_json::Deserializer::from_str(&ran.out).into_iter::<Vec<T>>() {
        let answer =
            answer.map_err(|error| Error::Refused(format!("ip {question}: answered {error}")))?;
        items.extend(answer);
    }
    Ok(items)
}
