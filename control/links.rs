// SPDX-License-Identifier: GPL-2.0

//! Keeps what is wanted on the configuration's devices at work, as they come and go.

use crate::{
    dispatch::{addr::Address, group, nd},
    ffi::{
        netdev::{DeviceRef, DeviceUser, DeviceWatch, Group, Membership, News, Rtnl},
        work::{Again, Work},
    },
    hooks,
    state::{
        config::Config,
        links::{Bound, Inner, Plan},
        Namespace, Turn,
    },
    uapi::{DeviceName, Mode, Shape},
};
use kernel::{prelude::*, sync::Arc};

use super::answer;

/// From a device's change to the joining of groups, which must find the families told of it.
const JOIN_MS: u32 = 50;

/// Sees to it that devices that come and go are heard of. With the turn.
///
/// # Errors
///
/// `ENOMEM`.
pub(super) fn watch(namespace: &Arc<Namespace>, turn: &mut Turn<'_>) -> Result {
    if turn.data().devices.is_some() {
        return Ok(());
    }
    let mut inner = namespace.links().lock();
    if inner.joiner.is_none() {
        inner.joiner = Some(Work::new(namespace.clone(), join)?);
    }
    drop(inner);
    turn.data().devices = Some(DeviceWatch::new(namespace.net(), namespace.clone())?);
    Ok(())
}

/// What a configuration wants on its devices.
///
/// # Errors
///
/// `ENOMEM`.
pub(super) fn plan(config: &Config, answers: bool) -> Result<Plan> {
    let mut plan = Plan::NONE;
    plan.names
        .extend_from_slice(config.devices(), GFP_KERNEL_ACCOUNT)?;
    for (ghost, pool) in config.ghosts_with_pools() {
        plan.ingress = true;
        let mut listen = |group| plan.groups.push(group, GFP_KERNEL_ACCOUNT);
        let asked = match (pool.wanted().mode, pool.wanted().shape, ghost) {
            (Mode::Broadcast, Some(Shape::Multicast), _) => {
                listen(Group::Link(group::link(group::Shape::Multicast, ghost)))?;
                true
            }
            (Mode::Broadcast, Some(Shape::Igmp), _) => {
                listen(match group::group(ghost) {
                    Address::V4(group) => Group::V4(group),
                    Address::V6(group) => Group::V6(group),
                })?;
                true
            }
            (Mode::Broadcast, ..) => false,
            (Mode::Router | Mode::Peer, ..) => answers,
        };
        if let (true, Address::V6(ghost)) = (asked, ghost) {
            // The stack would listen for questions only on a device that has the ghost.
            listen(Group::V6(nd::solicited_node(ghost)))?;
        }
    }
    Ok(plan)
}

/// A plan that can be made true without fail, on the devices that are there.
pub(super) struct Prepared {
    plan: Plan,
    bound: KVec<Bound>,
    // Devices come and go under it: what is prepared stays so.
    rtnl: Rtnl,
}

/// Prepares a plan; none if it is at work already. Under the writers' turn, may sleep.
///
/// # Errors
///
/// `ENOMEM`; then nothing has changed.
pub(super) fn prepare(namespace: &Arc<Namespace>, plan: Plan) -> Result<Option<Prepared>> {
    if namespace.links().lock().is_at_work(&plan) {
        return Ok(None);
    }
    let rtnl = Rtnl::lock();
    let inner = namespace.links().lock();
    let mut bound = KVec::with_capacity(plan.names.len(), GFP_KERNEL_ACCOUNT)?;
    for name in &plan.names {
        if let Some(device) = DeviceRef::find(namespace.net(), name.bytes(), &rtnl) {
            let stands = inner
                .bound
                .iter()
                .any(|it| it.device.index() == device.index() && it.ingress.is_some());
            bound.push(
                bind(namespace, &plan, *name, device, stands)?,
                GFP_KERNEL_ACCOUNT,
            )?;
        }
    }
    drop(inner);
    Ok(Some(Prepared { plan, bound, rtnl }))
}

/// Makes a prepared plan the one that is at work.
pub(super) fn settle(namespace: &Namespace, prepared: Prepared) {
    let Prepared {
        plan,
        mut bound,
        rtnl,
    } = prepared;
    let mut inner = namespace.links().lock();
    for new in bound
        .iter_mut()
        .filter(|new| plan.ingress && new.ingress.is_none())
    {
        let mut old = inner.bound.iter_mut();
        let old = old.find(|old| old.device.index() == new.device.index());
        new.ingress = old.and_then(|old| old.ingress.take());
    }
    inner.plan = plan;
    inner.failed = false;
    let old = core::mem::replace(&mut inner.bound, bound);
    namespace.links().publish(&inner);
    answer::begin(namespace, &inner);
    drop(inner);
    // Still under RTNL, which what ends here needs.
    drop(old);
    drop(rtnl);
}

/// Puts a plan to work. Under the writers' turn, may sleep.
///
/// # Errors
///
/// `ENOMEM`; then nothing has changed.
pub(super) fn renew(namespace: &Arc<Namespace>, plan: Plan) -> Result {
    if let Some(prepared) = prepare(namespace, plan)? {
        settle(namespace, prepared);
    }
    Ok(())
}

/// Puts a plan to work on one device; `filtered` says that its ingress hook is there already.
/// Under RTNL.
fn bind(
    namespace: &Arc<Namespace>,
    plan: &Plan,
    name: DeviceName,
    device: DeviceRef,
    filtered: bool,
) -> Result<Bound> {
    let mut groups = KVec::with_capacity(plan.groups.len(), GFP_KERNEL_ACCOUNT)?;
    for group in &plan.groups {
        match Membership::new(device.another(), *group) {
            Err(error) if error == ENOMEM => return Err(error),
            // The device has no use for the family; if it gets one, `join` tries again.
            Err(_) => {}
            Ok(membership) => groups.push(membership, GFP_KERNEL_ACCOUNT)?,
        }
    }
    let ingress = if plan.ingress && !filtered {
        Some(hooks::start_on(namespace, device.another())?)
    } else {
        None
    };
    Ok(Bound {
        name,
        ingress,
        groups,
        device,
    })
}

impl DeviceUser for Namespace {
    fn device_changed(self: &Arc<Self>, device: DeviceRef, news: News) {
        let mut inner = self.links().lock();
        match news {
            News::Named | News::Gone => rebind(self, &mut inner, &device, news),
            News::Up => {}
            News::Resized => leave_lost(&mut inner, &device),
        }
        // The families are told after us.
        if let Some(joiner) = inner.joiner.as_ref().filter(|_| news != News::Gone) {
            joiner.schedule(JOIN_MS);
        }
        self.links().publish(&inner);
        if self.links().has(device.index()) {
            answer::begin(self, &inner);
        }
    }
}

/// A device is there, has another name, or goes.
fn rebind(namespace: &Arc<Namespace>, inner: &mut Inner, device: &DeviceRef, news: News) {
    let at = |it: &Bound| it.device.index() == device.index();
    let known = inner.bound.iter().position(at);
    let name = device.name();
    let wanted = inner
        .plan
        .names
        .iter()
        .find(|it| *it.bytes() == name)
        .copied();
    let wanted = wanted.filter(|_| news != News::Gone);
    match (known, wanted) {
        (Some(known), Some(name)) => {
            if let Some(bound) = inner.bound.get_mut(known) {
                bound.name = name;
            }
        }
        (Some(known), None) => drop(inner.bound.remove(known)),
        (None, Some(name)) => {
            let bound = bind(namespace, &inner.plan, name, device.another(), false)
                .and_then(|bound| Ok(inner.bound.push(bound, GFP_KERNEL_ACCOUNT)?));
            if let Err(error) = bound {
                inner.failed = true;
                pr_warn!(
                    "device {}: error {}; apply the configuration again\n",
                    name.as_str(),
                    -error.to_errno()
                );
            }
        }
        (None, None) => {}
    }
}

/// A device is about to lose a family, with its groups: those must not be left a second time.
fn leave_lost(inner: &mut Inner, device: &DeviceRef) {
    let mut bound = inner.bound.iter_mut();
    if let Some(bound) = bound.find(|it| it.device.index() == device.index()) {
        bound.groups.retain(|membership| membership.can_last());
    }
}

/// Joins what could not be joined: a device may have got a family that it did not have.
fn join(namespace: &Arc<Namespace>) -> Again {
    let rtnl = Rtnl::lock();
    let mut inner = namespace.links().lock();
    let Inner { plan, bound, .. } = &mut *inner;
    let lacking = |bound: &&mut Bound| bound.groups.len() < plan.groups.len();
    for bound in bound.iter_mut().filter(lacking) {
        for group in &plan.groups {
            if bound.groups.iter().all(|it| it.group() != *group) {
                // Failed before, and may fail again: there is no use for the family.
                if let Ok(membership) = Membership::new(bound.device.another(), *group) {
                    // There is room for all of the plan.
                    let _ = bound.groups.push_within_capacity(membership);
                }
            }
        }
    }
    drop(inner);
    drop(rtnl);
    None
}
