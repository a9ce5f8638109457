// SPDX-License-Identifier: GPL-2.0
//! The traps of addresses, devices and settings, by name.
//!
//! To add a check: a function in the file of its theme, and its line in
//! [`TRAPS`]. It says what it finds from a [`Scene`], which is plain data, so
//! that a test can lay the trap and take it away. Its name stands in
//! `Documentation/operations.md` and in `onehopctl-check(8)`; a test looks for it there.

mod addresses;
mod arp;
mod devices;
mod digest;
mod gather;
mod host;
mod ip;
mod lro;
mod module;
mod mtu;
mod nd;
mod neighbours;
mod own;
mod pools;
mod reach;
mod roles;
mod rp_filter;
#[cfg(test)]
mod sample;
mod scene;
mod snooping;
mod words;

pub use scene::{Module, Peer, Scene};

use serde::Serialize;

use crate::model::Model;
use crate::state::State;
use crate::system::System;
use crate::Error;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Packets are lost, or reach the wrong host.
    Problem,
    /// Worth knowing.
    Hint,
}

/// A check: what it is called, and what it finds.
struct Trap {
    severity: Severity,
    /// Stable: scripts select by it.
    name: &'static str,
    find: fn(&Scene) -> Vec<Found>,
}

/// What a check has found in one place.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    /// The device, ghost, server or pool.
    subject: String,
    /// What is wrong with it.
    text: String,
    /// What to do about it.
    fix: String,
}

impl Found {
    fn new(subject: impl ToString, text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            subject: subject.to_string(),
            text: text.into(),
            fix: fix.into(),
        }
    }
}

macro_rules! table {
    ($($severity:ident $name:literal $find:path,)*) => {
        const TRAPS: &[Trap] = &[
            $(Trap { severity: Severity::$severity, name: $name, find: $find },)*
        ];
    };
}

table! {
    Problem "no-pool" roles::no_pool,
    Problem "not-a-server" roles::not_a_server,
    Hint "no-part" roles::no_part,
    Problem "module-off" module::off,
    Problem "disabled" module::disabled,
    Hint "not-applied" module::not_applied,
    Hint "unload-order" module::unload_order,
    Problem "ghost-missing" addresses::missing,
    Problem "ghost-dad-failed" addresses::dad_failed,
    Problem "ghost-as-source" addresses::as_source,
    Problem "arp-ignore" arp::ignore,
    Problem "arp-announce" arp::announce,
    Problem "nd-leak" nd::leak,
    Problem "device-absent" devices::absent,
    Hint "device-down" devices::down,
    Problem "device-port" devices::port,
    Problem "device-vlan-parent" devices::vlan_parent,
    Problem "device-unnamed" devices::unnamed,
    Hint "late-drop" devices::late_drop,
    Problem "drop-unicast" devices::drop_unicast,
    Problem "mtu-smaller" mtu::smaller,
    Problem "mtu-route" mtu::route,
    Hint "mtu-differs" mtu::differs,
    Problem "lro" lro::on,
    Hint "lro-unknown" lro::unknown,
    Problem "rp-filter" rp_filter::strict,
    Hint "rp-filter-own" rp_filter::own,
    Problem "server-unreachable" reach::unreachable,
    Problem "server-in-vrf" reach::in_vrf,
    Problem "neighbour-table" neighbours::table,
    Problem "snooping" snooping::querier,
    Problem "digest-differs" digest::differs,
    Problem "digest-unknown" digest::unknown,
    Hint "local-out" own::local_out,
    Hint "answer-off" own::answer_off,
}

/// What is told of one place.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    pub severity: Severity,
    pub name: &'static str,
    pub subject: String,
    pub text: String,
    pub fix: String,
}

/// This host, with the pools of a model and what the module has of them.
pub fn scene(
    system: &mut dyn System,
    model: &Model,
    state: Option<&State>,
) -> Result<Scene, Error> {
    let pools = pools::pools(model, state);
    let ghosts = pools.iter().flat_map(|pool| &pool.ghosts);
    let servers = pools.iter().flat_map(|pool| &pool.servers);
    let addresses = servers.flat_map(|server| &server.addresses);
    let addresses = ghosts.map(|ghost| &ghost.address).chain(addresses);
    let host = gather::host(system, &addresses.copied().collect())?;
    Ok(Scene {
        host,
        pools,
        ..Scene::default()
    })
}

/// Looks for every trap. The worst comes first, then by name and subject.
pub fn run(scene: &Scene) -> Vec<Finding> {
    let mut findings = Vec::new();
    for trap in TRAPS {
        let found = (trap.find)(scene).into_iter();
        findings.extend(found.map(|found| Finding {
            severity: trap.severity,
            name: trap.name,
            subject: found.subject,
            text: found.text,
            fix: found.fix,
        }));
    }
    findings.sort();
    findings.dedup();
    findings
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::sample::Sample;
    use super::*;

    #[test]
    fn every_name_is_documented_once() {
        let operations = include_str!("../../../Documentation/operations.md");
        let manual = include_str!("../../../Documentation/man/onehopctl-check.8");
        for trap in TRAPS {
            let row = format!("| `{}` | {} |", trap.name, word(trap.severity));
            assert_eq!(operations.matches(&row).count(), 1, "{row}");
            let item = format!(".It {} Pq {}\n", trap.name, word(trap.severity));
            assert_eq!(manual.matches(&item).count(), 1, "{item}");
        }
    }

    #[test]
    fn no_name_stands_twice() {
        let names: BTreeSet<_> = TRAPS.iter().map(|trap| trap.name).collect();
        assert_eq!(names.len(), TRAPS.len());
    }

    #[test]
    fn hosts_in_order_have_no_findings() {
        for sample in [Sample::dispatcher(), Sample::plain(), Sample::peer()] {
            assert_eq!(run(sample.scene()), []);
        }
        // A member is told what an unload would leave open, and nothing else.
        let member = run(Sample::member().scene());
        let names: BTreeSet<_> = member.iter().map(|finding| finding.name).collect();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["unload-order"]);
    }

    #[test]
    fn the_worst_comes_first() {
        let mut sample = Sample::dispatcher();
        sample.scene.host.ways.clear();
        sample.device("eth1").mtu = 1400;
        let findings = run(sample.scene());
        assert!(findings.len() > 1);
        assert!(findings.is_sorted_by_key(|it| (it.severity, it.name)));
    }

    fn word(severity: Severity) -> &'static str {
        match severity {
            Severity::Problem => "problem",
            Severity::Hint => "hint",
        }
    }
}
