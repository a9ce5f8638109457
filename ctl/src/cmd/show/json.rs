// SPDX-License-Identifier: GPL-2.0
//! `onehopctl show -j`

use onehop_uapi::{Address, Info, Kind, Older, Reach, Server, Status};
use serde::Serialize;

use crate::router::{need, Need};
use crate::state::{effective, PoolState, State};
use crate::{clock, seed, Context};

#[derive(Serialize)]
pub struct Report {
    abi: u32,
    enabled: bool,
    generation: u64,
    digest: String,
    answer: bool,
    devices: Vec<Device>,
    pools: Vec<Pool>,
}

#[derive(Serialize)]
struct Device {
    name: String,
    index: Option<u32>,
}

#[derive(Serialize)]
struct Pool {
    name: String,
    mode: &'static str,
    shape: Option<&'static str>,
    method: Option<&'static str>,
    kind: &'static str,
    rows: Option<u32>,
    seed: Option<String>,
    prefix4: u8,
    prefix6: u8,
    policy: &'static str,
    digest: String,
    ghosts: Vec<String>,
    servers: Vec<Entry>,
    router_needs: Vec<Need>,
    tracked: u32,
    older: Vec<Function>,
    overrides: usize,
}

/// A function before the newest one.
#[derive(Serialize)]
struct Function {
    digest: String,
    remaining_ms: Option<u64>,
    flows: u32,
    moved_ppm: u32,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    id: u16,
    address: Option<String>,
    address6: Option<String>,
    weight: u16,
    admin: &'static str,
    health: &'static str,
    state: &'static str,
    reach: Option<&'static str>,
    reach6: Option<&'static str>,
    device: Option<String>,
    device6: Option<String>,
    this_host: bool,
    changed: Option<Changed>,
    packets: u64,
    bytes: u64,
    leaving: bool,
    drain_left: Option<u32>,
    /// With kind table: how many rows name it.
    table_rows: Option<usize>,
}

#[derive(Serialize)]
struct Changed {
    at: String,
    actor: String,
    reason: String,
}

pub fn report(context: &mut Context<'_>, info: &Info, state: &State) -> Report {
    let devices = state.devices.iter().map(|(name, index)| Device {
        name: name.to_string(),
        index: Some(*index).filter(|index| *index != 0),
    });
    let pools = state.pools.iter();
    Report {
        abi: info.abi,
        enabled: info.enabled,
        generation: state.generation,
        digest: format!("{:016x}", state.digest),
        answer: info.answer,
        devices: devices.collect(),
        pools: pools.map(|it| pool(context, it)).collect(),
    }
}

fn pool(context: &mut Context<'_>, it: &PoolState) -> Pool {
    let pool = &it.pool;
    let hash = pool.kind.has_rows();
    let servers = it.servers.iter();
    let needs = it
        .ghosts
        .iter()
        .filter_map(|ghost| Some(need(pool.shape?, *ghost)));
    Pool {
        name: pool.name.to_string(),
        mode: pool.mode.name(),
        shape: pool.shape.map(|shape| shape.name()),
        method: pool.method.map(|method| method.name()),
        kind: pool.kind.name(),
        rows: hash.then_some(pool.rows),
        seed: hash.then(|| seed::format(pool.seed)),
        prefix4: pool.prefix4,
        prefix6: pool.prefix6,
        policy: pool.policy.name(),
        digest: format!("{:016x}", it.digest),
        ghosts: it.ghosts.iter().map(Address::to_string).collect(),
        servers: servers
            .map(|(server, status)| {
                let named = it.table.iter().filter(|owner| **owner == server.id).count();
                Entry {
                    table_rows: Some(named).filter(|_| pool.kind == Kind::Table),
                    ..entry(context, server, status)
                }
            })
            .collect(),
        router_needs: needs.collect(),
        tracked: it.tracked,
        older: it.older.iter().map(function).collect(),
        overrides: it.overrides.len(),
    }
}

fn function(older: &Older) -> Function {
    Function {
        digest: format!("{:016x}", older.digest),
        remaining_ms: older.remaining,
        flows: older.flows,
        moved_ppm: older.moved,
    }
}

fn entry(context: &mut Context<'_>, server: &Server, status: &Status) -> Entry {
    let text = |address: Address| address.to_string();
    let reaches = [status.reach, status.reach6];
    // An index of 0 has no name.
    let mut device = |index| context.kernel.device(index);
    Entry {
        name: server.name.to_string(),
        id: server.id,
        address: server.address.map(Address::V4).map(text),
        address6: server.address6.map(Address::V6).map(text),
        weight: server.weight,
        admin: server.admin.name(),
        health: status.health.name(),
        state: effective(server.admin, status.health).name(),
        reach: status.reach.map(Reach::name),
        reach6: status.reach6.map(Reach::name),
        device: device(status.ifindex),
        device6: device(status.ifindex6),
        this_host: reaches.contains(&Some(Reach::Local)),
        changed: (status.changed_at != 0).then(|| Changed {
            at: clock::rfc3339(status.changed_at, 9),
            actor: status.author.actor.to_string(),
            reason: status.author.reason.to_string(),
        }),
        packets: status.packets,
        bytes: status.bytes,
        leaving: status.leaving,
        drain_left: Some(status.drain_left).filter(|left| *left != 0),
        table_rows: None,
    }
}
