// SPDX-License-Identifier: GPL-2.0

//! DUMP: the image as it stands.

use super::{address, refusal::Refusal};
use crate::{
    ffi::clock::uptime_ms,
    state::{config::Config, hop::Way, member::Member, pool::Pool, Namespace},
    uapi::{
        self, Device, Dump, Dumped, Ghost, Header, Invalid, Older, Override, Reach, Status, Table,
    },
};
use core::fmt;
use kernel::{
    alloc::KVVec,
    prelude::*,
    uaccess::{UserPtr, UserSlice},
};

pub(super) fn call(namespace: &Namespace, raw: &mut [u8; Dump::SIZE]) -> Result<(), Refusal> {
    let request = Dump::decode(raw)?;
    let turn = namespace.turn_of_call()?;
    let (generation, digest) = (namespace.generation(), namespace.digest());
    let image = encode(namespace, turn.current(), Form::Standing)?;
    // The copy to user space may take long; nobody needs to wait for it.
    drop(turn);
    let len = u32::try_from(image.len())?;
    let dumped = Dumped {
        len,
        generation,
        digest,
    };
    Dump::reply(raw, &dumped);
    if request.len < len {
        return Err(Invalid::no_space(request.len, len).into());
    }
    let user = UserPtr::from_addr(usize::try_from(request.image)?);
    UserSlice::new(user, image.len())
        .writer()
        .write_slice(&image)?;
    Ok(())
}

pub(super) fn refuse(raw: &mut [u8; Dump::SIZE], why: &dyn fmt::Display) {
    Dump::refuse(raw, why);
}

/// What form an image has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As APPLY takes it.
    Wanted,
    /// With all that is known.
    Standing,
}

/// The image that would lead to `config`.
///
/// # Errors
///
/// `ENOMEM`.
pub(super) fn wanted(namespace: &Namespace, config: &Config) -> Result<KVVec<u8>> {
    encode(namespace, Some(config), Form::Wanted)
}

fn encode(namespace: &Namespace, config: Option<&Config>, form: Form) -> Result<KVVec<u8>> {
    let (pools, ghosts) = config.map_or((&[][..], &[][..]), |c| (c.pools(), c.ghosts()));
    let devices = config.map_or(&[][..], |config| config.devices());
    let number = pools.iter().map(|pool| servers(pool, form).count());
    let older = pools.iter().map(|pool| pool.older.len());
    let assigned = || pools.iter().map(|pool| &pool.newest.assigned);
    let overrides = assigned().map(|assigned| assigned.overrides.len());
    let rows = assigned().map(|assigned| assigned.table.len());
    let header = Header {
        pools: u32::try_from(pools.len())?,
        ghosts: u32::try_from(ghosts.len())?,
        servers: u32::try_from(number.sum::<usize>())?,
        devices: u32::try_from(devices.len())?,
        older: if form == Form::Standing {
            older.sum()
        } else {
            0
        },
        overrides: u32::try_from(overrides.sum::<usize>())?,
        rows: u32::try_from(rows.sum::<usize>())?,
    };
    let mut image = KVVec::with_capacity(header.image_len(), GFP_KERNEL_ACCOUNT)?;
    image.extend_from_slice(&header.encode(), GFP_KERNEL_ACCOUNT)?;
    for pool in pools {
        let noted = pool.tracked.as_ref().map_or(0, |tracked| tracked.noted());
        let pool = match form {
            Form::Wanted => pool.wanted().encode(),
            Form::Standing => pool.wanted().encode_dumped(pool.newest.digest, noted),
        };
        image.extend_from_slice(&pool, GFP_KERNEL_ACCOUNT)?;
    }
    for ghost in ghosts {
        let ghost = Ghost {
            pool: ghost.pool.into(),
            address: address::of_interface(ghost.address),
        };
        image.extend_from_slice(&ghost.encode(), GFP_KERNEL_ACCOUNT)?;
    }
    for (index, pool) in (0..).zip(pools) {
        for member in servers(pool, form) {
            let wanted = uapi::Server {
                pool: index,
                ..member.wanted
            };
            let server = match form {
                Form::Wanted => wanted.encode(),
                Form::Standing => wanted.encode_dumped(&status(pool, member)),
            };
            image.extend_from_slice(&server, GFP_KERNEL_ACCOUNT)?;
        }
    }
    let links = namespace.links().lock();
    for name in devices {
        let device = Device { name: *name };
        let device = match form {
            Form::Wanted => device.encode(),
            Form::Standing => device.encode_dumped(links.index_of(name)),
        };
        image.extend_from_slice(&device, GFP_KERNEL_ACCOUNT)?;
    }
    drop(links);
    for (index, pool) in (0..).zip(pools) {
        overrides_of(&mut image, index, pool)?;
    }
    for assigned in assigned() {
        for owner in &assigned.table {
            image.extend_from_slice(&Table::encode(*owner), GFP_KERNEL_ACCOUNT)?;
        }
    }
    if form == Form::Standing {
        for (index, pool) in (0..).zip(pools) {
            older_of(&mut image, index, pool)?;
        }
    }
    Ok(image)
}

fn overrides_of(image: &mut KVVec<u8>, index: u32, pool: &Pool) -> Result {
    for laid in &pool.newest.assigned.overrides {
        let address = address::of_interface(laid.prefix.address());
        let it = Override {
            pool: index,
            prefix: uapi::Prefix::new(address, laid.prefix.bits()).or(Err(EINVAL))?,
            server: laid.server.get(),
        };
        image.extend_from_slice(&it.encode(), GFP_KERNEL_ACCOUNT)?;
    }
    Ok(())
}

/// Those that are leaving are not wanted.
fn servers(pool: &Pool, form: Form) -> impl Iterator<Item = &Member> {
    let leaving = pool.leaving().filter(move |_| form == Form::Standing);
    Iterator::chain(pool.newest.members.iter(), leaving)
}

fn older_of(image: &mut KVVec<u8>, index: u32, pool: &Pool) -> Result {
    let now = uptime_ms();
    for older in pool.older.iter() {
        let older = Older {
            pool: index,
            flows: older.flows.estimate(),
            digest: older.function.digest,
            remaining: older.deadline.map(|deadline| deadline.saturating_sub(now)),
            moved: older.function.moved(&pool.newest)?,
        };
        image.extend_from_slice(&older.encode(), GFP_KERNEL_ACCOUNT)?;
    }
    Ok(())
}

fn status(pool: &Pool, member: &Member) -> Status {
    let [way, way6] = pool.ways(member.id);
    let total = pool.traffic_of(member);
    let left = member
        .out_at
        .map(|out_at| out_at.saturating_sub(uptime_ms()).div_ceil(1000));
    Status {
        leaving: pool.newest.member_by_id(member.id).is_none(),
        health: member.health,
        reach: member.wanted.address.map(|_| reach(way)),
        reach6: member.wanted.address6.map(|_| reach(way6)),
        ifindex: ifindex(way),
        ifindex6: ifindex(way6),
        drain_left: left.map_or(0, |left| u32::try_from(left).unwrap_or(u32::MAX)),
        changed_at: member.changed_at,
        packets: total.packets,
        bytes: total.bytes,
        author: member.author,
    }
}

fn ifindex(way: Way) -> u32 {
    match way {
        Way::Link(ifindex) => ifindex,
        Way::Local | Way::None => 0,
    }
}

pub(super) fn reach(way: Way) -> Reach {
    match way {
        Way::None => Reach::Unreachable,
        Way::Local => Reach::Local,
        Way::Link(_) => Reach::Link,
    }
}
