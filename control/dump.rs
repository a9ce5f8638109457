// SPDX-License-Identifier: GPL-2.0

//! DUMP: the image as it stands.

use super::refusal::Refusal;
use crate::{
    dispatch::addr::Address,
    state::{
        config::Config,
        hop::Way,
        pool::{Member, Pool},
        Namespace,
    },
    uapi::{self, Device, Dump, Dumped, Ghost, Header, Invalid, Reach, Status},
};
use core::fmt;
use kernel::{
    alloc::KVVec,
    prelude::*,
    uaccess::{UserPtr, UserSlice},
};

pub(super) fn call(namespace: &Namespace, raw: &mut [u8; Dump::SIZE]) -> Result<(), Refusal> {
    let request = Dump::decode(raw)?;
    let turn = namespace.turn();
    let (generation, digest) = (namespace.generation(), namespace.digest());
    let image = encode(namespace, turn.current())?;
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

fn encode(namespace: &Namespace, config: Option<&Config>) -> Result<KVVec<u8>> {
    let (pools, ghosts) = config.map_or((&[][..], &[][..]), |c| (c.pools(), c.ghosts()));
    let devices = config.map_or(&[][..], |config| config.devices());
    let servers = pools.iter().map(|pool| pool.members.len()).sum::<usize>();
    let header = Header {
        pools: u32::try_from(pools.len())?,
        ghosts: u32::try_from(ghosts.len())?,
        servers: u32::try_from(servers)?,
        devices: u32::try_from(devices.len())?,
    };
    let mut image = KVVec::with_capacity(header.image_len(), GFP_KERNEL_ACCOUNT)?;
    image.extend_from_slice(&header.encode(), GFP_KERNEL_ACCOUNT)?;
    for pool in pools {
        image.extend_from_slice(&pool.wanted.encode_dumped(pool.digest), GFP_KERNEL_ACCOUNT)?;
    }
    for ghost in ghosts {
        let ghost = Ghost {
            pool: ghost.pool.into(),
            address: match ghost.address {
                Address::V4(address) => uapi::Address::V4(address),
                Address::V6(address) => uapi::Address::V6(address),
            },
        };
        image.extend_from_slice(&ghost.encode(), GFP_KERNEL_ACCOUNT)?;
    }
    for (index, pool) in (0..).zip(pools) {
        for member in &pool.members {
            let wanted = uapi::Server {
                pool: index,
                ..member.wanted
            };
            let status = status(pool, member);
            image.extend_from_slice(&wanted.encode_dumped(&status), GFP_KERNEL_ACCOUNT)?;
        }
    }
    let links = namespace.links().lock();
    for name in devices {
        let device = Device { name: *name }.encode_dumped(links.index_of(name));
        image.extend_from_slice(&device, GFP_KERNEL_ACCOUNT)?;
    }
    Ok(image)
}

fn status(pool: &Pool, member: &Member) -> Status {
    let [way, way6] = pool.ways(member.id);
    let total = pool.traffic_of(member);
    Status {
        health: member.health,
        reach: member.wanted.address.map(|_| reach(way)),
        reach6: member.wanted.address6.map(|_| reach(way6)),
        ifindex: ifindex(way),
        ifindex6: ifindex(way6),
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
