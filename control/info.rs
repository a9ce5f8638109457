// SPDX-License-Identifier: GPL-2.0

//! INFO: versions, and the state at a glance.

use super::refusal::Refusal;
use crate::{
    state::Namespace,
    uapi::{limits::ABI, Counter, Info, Text},
};
use kernel::{prelude::*, sync::rcu};

pub(super) fn call(namespace: &Namespace, raw: &mut [u8; Info::SIZE]) -> Result<(), Refusal> {
    Info::check(raw)?;
    let guard = rcu::read_lock();
    let config = namespace.config((&guard).into());
    let pools = config.map_or(&[][..], |config| config.pools());
    *raw = Info {
        abi: ABI,
        enabled: namespace.is_enabled(),
        generation: namespace.generation(),
        digest: namespace.digest(),
        pools: u32::try_from(pools.len())?,
        ghosts: u32::try_from(config.map_or(0, |config| config.ghosts().len()))?,
        servers: u32::try_from(
            pools
                .iter()
                .map(|pool| pool.newest.members.len())
                .sum::<usize>(),
        )?,
        counters: u32::try_from(Counter::COUNT)?,
        devices: u32::try_from(config.map_or(0, |config| config.devices().len()))?,
        answer: namespace.answers(),
        version: Text::clipped(crate::VERSION),
    }
    .encode();
    Ok(())
}
