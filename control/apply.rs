// SPDX-License-Identifier: GPL-2.0

//! APPLY: the whole image, or nothing.

use super::{
    address,
    assigned::assigned,
    change, deadlines, links,
    members::Order,
    refusal::Refusal,
    routes,
    succession::{queue, with_older, Stay},
};
use crate::{
    state::{
        config::{Config, Ghost},
        function::Function,
        member::Member,
        Namespace, Turn,
    },
    uapi::{check, sort, Apply, Image, Outcome, What},
};
use core::fmt;
use kernel::{
    alloc::KVVec,
    prelude::*,
    sync::Arc,
    uaccess::{UserPtr, UserSlice},
};

pub(super) fn call(namespace: &Arc<Namespace>, raw: &mut [u8; Apply::SIZE]) -> Result<(), Refusal> {
    let request = Apply::decode(raw)?;
    let bytes = read(&request)?;
    let image = Image::new(&bytes)?;
    let mut scratch = KVVec::from_elem(0, check::scratch_len(&image), GFP_KERNEL_ACCOUNT)?;
    check::image(&image, &mut scratch)?;
    namespace.events().prepare()?;
    watch(namespace, &image)?;
    let outcome = apply(namespace, &mut namespace.turn_of_call()?, &request, &image)?;
    Apply::reply(raw, &outcome);
    Ok(())
}

pub(super) fn refuse(raw: &mut [u8; Apply::SIZE], why: &dyn fmt::Display) {
    Apply::refuse(raw, why);
}

/// Sees to it that the module hears of what the image makes it depend on.
fn watch(namespace: &Arc<Namespace>, image: &Image<'_>) -> Result<(), Refusal> {
    if image.header().pools > 0 {
        change::watch_routes(namespace)?;
        deadlines::watch(namespace)?;
    }
    if image.header().devices > 0 {
        links::watch(namespace, &mut namespace.turn_of_call()?)?;
    }
    for pool in image.pools() {
        if pool?.has_peers() {
            change::watch_neighbours(namespace)?;
        }
    }
    Ok(())
}

/// Copies the image in, once: what is checked is what is used.
fn read(request: &Apply) -> Result<KVVec<u8>> {
    let user = UserPtr::from_addr(usize::try_from(request.image)?);
    let mut bytes = KVVec::new();
    UserSlice::new(user, usize::try_from(request.len)?).read_all(&mut bytes, GFP_KERNEL_ACCOUNT)?;
    Ok(bytes)
}

fn apply(
    namespace: &Arc<Namespace>,
    turn: &mut Turn<'_>,
    request: &Apply,
    image: &Image<'_>,
) -> Result<Outcome, Refusal> {
    let stands = namespace.generation();
    request.condition.holds(stands)?;
    let old = turn.current();
    let new = build(namespace, old, request, image, stands + 1)?;
    if is_same(old, &new) {
        if !request.condition.dry_run {
            // What could not be put to work when a device appeared.
            links::renew(namespace, links::plan(&new, namespace.answers())?)?;
        }
        return Ok(change::unchanged(namespace));
    }
    let moved = moved(old, &new)?;
    let outcome = Outcome {
        generation: if request.condition.dry_run {
            stands
        } else {
            new.generation
        },
        digest: new.digest(),
        changed: true,
        moved,
    };
    if !request.condition.dry_run {
        change::commit(namespace, turn, new, outcome.digest)?;
        if let Some(config) = turn.current() {
            routes::tell_unreachable(namespace, config);
        }
        let Outcome { generation, .. } = outcome;
        change::tell(namespace, generation, What::Applied, None, request.author);
        change::tell_begun(namespace, turn, request.author);
    }
    Ok(outcome)
}

/// The configuration that the image wants, with all of the old one that it does not change.
fn build(
    namespace: &Namespace,
    old: Option<&Config>,
    request: &Apply,
    image: &Image<'_>,
    generation: u64,
) -> Result<Config, Refusal> {
    let order = Order::new(image)?;
    let mut wanted = KVVec::with_capacity(usize::try_from(image.header().pools)?, GFP_KERNEL)?;
    for (index, pool) in (0..).zip(image.pools()) {
        wanted.push((index, pool.or(Err(EINVAL))?), GFP_KERNEL)?;
    }
    sort(&mut wanted, |(_, a), (_, b)| a.name < b.name);

    let mut pools = KVec::with_capacity(wanted.len(), GFP_KERNEL_ACCOUNT)?;
    for (index, wanted) in &wanted {
        let past = old.and_then(|old| old.pool(&wanted.name));
        let past = past.map(|past| (past, &past.newest));
        let old = past.map(|(past, _)| &**past);
        let members = order.members(image, *index, old, &request.author)?;
        let assigned = assigned(image, *index, old)?;
        let pool = match past {
            Some((past, newest))
                if newest.wanted == *wanted
                    && are_same(&newest.members, &members)
                    && Arc::ptr_eq(&newest.assigned, &assigned) =>
            {
                past.clone()
            }
            _ => {
                let newest = past.map(|(_, newest)| &**newest);
                let function = Function::new(*wanted, members, assigned, newest)?;
                let older = queue(old, &function, Stay::new(namespace, &request.condition))?;
                let newest = Arc::new(function, GFP_KERNEL_ACCOUNT)?;
                let pool = with_older(namespace, old, newest, older, generation)?;
                routes::resolve(namespace.net(), &pool, |_, _| {})?;
                Arc::new(pool, GFP_KERNEL_ACCOUNT)?
            }
        };
        pools.push(pool, GFP_KERNEL_ACCOUNT)?;
    }

    let number = usize::try_from(image.header().ghosts)?;
    let mut ghosts = KVec::with_capacity(number, GFP_KERNEL_ACCOUNT)?;
    for ghost in image.ghosts() {
        let ghost = ghost.or(Err(EINVAL))?;
        let pool = wanted.iter().position(|(index, _)| *index == ghost.pool);
        let ghost = Ghost {
            address: address::of_law(ghost.address),
            pool: u16::try_from(pool.ok_or(EINVAL)?)?,
        };
        ghosts.push(ghost, GFP_KERNEL_ACCOUNT)?;
    }
    sort(&mut ghosts, |a, b| a.address < b.address);

    let number = usize::try_from(image.header().devices)?;
    let mut devices = KVec::with_capacity(number, GFP_KERNEL_ACCOUNT)?;
    for device in image.devices() {
        devices.push(device.or(Err(EINVAL))?.name, GFP_KERNEL_ACCOUNT)?;
    }
    sort(&mut devices, |a, b| a.bytes() < b.bytes());
    Ok(Config::new(ghosts, pools, devices, generation)?)
}

fn are_same(old: &[Member], new: &[Member]) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|(a, b)| a.wanted == b.wanted)
}

fn is_same(old: Option<&Config>, new: &Config) -> bool {
    let (pools, ghosts, devices) = old.map_or((&[][..], &[][..], &[][..]), |old| {
        (old.pools(), old.ghosts(), old.devices())
    });
    pools.len() == new.pools().len()
        && pools
            .iter()
            .zip(new.pools())
            .all(|(a, b)| Arc::ptr_eq(a, b))
        && ghosts == new.ghosts()
        && devices == new.devices()
}

/// Clients with another owner, in parts per million: the mean of the pools that stay.
fn moved(old: Option<&Config>, new: &Config) -> Result<u32> {
    let (mut sum, mut pools) = (0, 0);
    for pool in new.pools() {
        if let Some(past) = old.and_then(|old| old.pool(&pool.wanted().name)) {
            sum += u64::from(past.newest.moved(&pool.newest)?);
            pools += 1;
        }
    }
    Ok(u32::try_from(sum / pools.max(1))?)
}
