// SPDX-License-Identifier: GPL-2.0
//! `onehopctl show -j`

use std::net::Ipv4Addr;

use onehop_uapi::{Info, Kind, Reach, Server, Status};
use serde::Serialize;

use crate::state::{effective, PoolState, State};
use crate::{clock, seed, Context};

#[derive(Serialize)]
pub struct Report {
    abi: u32,
    enabled: bool,
    generation: u64,
    digest: String,
    pools: Vec<Pool>,
}

#[derive(Serialize)]
struct Pool {
    name: String,
    mode: &'static str,
    kind: &'static str,
    rows: Option<u32>,
    seed: Option<String>,
    prefix4: u8,
    prefix6: u8,
    policy: &'static str,
    digest: String,
    ghosts: Vec<Ipv4Addr>,
    servers: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    id: u16,
    address: Ipv4Addr,
    weight: u16,
    admin: &'static str,
    health: &'static str,
    state: &'static str,
    reach: &'static str,
    device: Option<String>,
    changed: Option<Changed>,
    packets: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct Changed {
    at: String,
    actor: String,
    reason: String,
}

pub fn report(context: &mut Context<'_>, info: &Info, state: &State) -> Report {
    let pools = state.pools.iter();
    Report {
        abi: info.abi,
        enabled: info.enabled,
        generation: state.generation,
        digest: format!("{:016x}", state.digest),
        pools: pools.map(|it| pool(context, it)).collect(),
    }
}

fn pool(context: &mut Context<'_>, it: &PoolState) -> Pool {
    let pool = &it.pool;
    let hash = pool.kind == Kind::Hash;
    let servers = it.servers.iter();
    Pool {
        name: pool.name.to_string(),
        mode: pool.mode.name(),
        kind: pool.kind.name(),
        rows: hash.then_some(pool.rows),
        seed: hash.then(|| seed::format(pool.seed)),
        prefix4: pool.prefix4,
        prefix6: pool.prefix6,
        policy: pool.policy.name(),
        digest: format!("{:016x}", it.digest),
        ghosts: it.ghosts.clone(),
        servers: servers
            .map(|(server, status)| entry(context, server, status))
            .collect(),
    }
}

fn entry(context: &mut Context<'_>, server: &Server, status: &Status) -> Entry {
    let linked = status.reach == Reach::Link;
    Entry {
        name: server.name.to_string(),
        id: server.id,
        address: server.address.into(),
        weight: server.weight,
        admin: server.admin.name(),
        health: status.health.name(),
        state: effective(server.admin, status.health).name(),
        reach: status.reach.name(),
        device: linked
            .then(|| context.kernel.device(status.ifindex))
            .flatten(),
        changed: (status.changed_at != 0).then(|| Changed {
            at: clock::rfc3339(status.changed_at, 9),
            actor: status.author.actor.to_string(),
            reason: status.author.reason.to_string(),
        }),
        packets: status.packets,
        bytes: status.bytes,
    }
}
