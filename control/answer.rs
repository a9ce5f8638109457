// SPDX-License-Identifier: GPL-2.0

//! ANSWER: whether this host answers ARP and ND for ghosts, and telling the links that it does.

use super::{change, links, refusal::Refusal};
use crate::{
    dispatch::{addr::Address, arp, nd},
    ffi::{
        link::{Device, EtherType, Mac},
        rcu::Reader,
        work::{Again, Work},
    },
    state::{
        links::{Inner, Plan},
        stance::Stance,
        Namespace, Turn,
    },
    uapi::{Answer, Invalid, What},
};
use core::fmt;
use kernel::{
    prelude::*,
    sync::{rcu, Arc},
};

/// Announcements that one takeover makes: the first two may be lost, and the neighbours know
/// within three seconds all the same.
const TIMES: i32 = 5;

const APART_MS: u32 = 1000;

const BROADCAST: Mac = [0xff; 6];

pub(super) fn call(
    namespace: &Arc<Namespace>,
    raw: &mut [u8; Answer::SIZE],
) -> Result<(), Refusal> {
    let request = Answer::decode(raw)?;
    namespace.events().prepare()?;
    let changed = answer(namespace, &mut namespace.turn_of_call()?, &request)?;
    Answer::reply(raw, changed);
    Ok(())
}

pub(super) fn refuse(raw: &mut [u8; Answer::SIZE], why: &dyn fmt::Display) {
    Answer::refuse(raw, why);
}

fn answer(
    namespace: &Arc<Namespace>,
    turn: &mut Turn<'_>,
    request: &Answer,
) -> Result<bool, Refusal> {
    let config = turn.current();
    if request.answer && config.is_none_or(|config| config.devices().is_empty()) {
        return Err(Invalid::no_device().into());
    }
    let plan = config.map_or(Ok(Plan::NONE), |config| links::plan(config, request.answer))?;
    let mut inner = namespace.links().lock();
    if inner.announcer.is_none() {
        inner.announcer = Some(Work::new(namespace.clone(), announce)?);
    }
    drop(inner);
    links::renew(namespace, plan)?;
    let inner = namespace.links().lock();
    let changed = namespace.set_answers(request.answer);
    begin(namespace, &inner);
    drop(inner);
    if changed {
        let what = What::Answer(request.answer);
        change::tell(
            namespace,
            namespace.generation(),
            what,
            None,
            request.author,
        );
    }
    Ok(changed)
}

/// Announces what this host answers for, if it does, from now on.
pub(super) fn begin(namespace: &Namespace, inner: &Inner) {
    if let Some(announcer) = inner.announcer.as_ref().filter(|_| namespace.answers()) {
        namespace.set_announcements(TIMES);
        announcer.hurry();
    }
}

fn announce(namespace: &Arc<Namespace>) -> Again {
    if !namespace.answers() {
        return None;
    }
    if !namespace.is_enabled() {
        // Nobody tells when that changes.
        namespace.set_announcements(TIMES);
        return Some(APART_MS);
    }
    let left = namespace.take_announcement();
    if left < 0 {
        return None;
    }
    let guard = rcu::read_lock();
    announce_all(namespace, (&guard).into());
    drop(guard);
    (left > 0).then_some(APART_MS)
}

fn announce_all(namespace: &Namespace, reader: Reader<'_>) {
    let Some(config) = namespace.config(reader) else {
        return;
    };
    for ifindex in namespace.links().indices() {
        let Some(device) = Device::find(namespace.net(), ifindex, reader) else {
            continue;
        };
        let Some(mac) = device.mac() else {
            continue;
        };
        let ours = config
            .ghosts_with_pools()
            .filter(|(_, pool)| pool.stance(true) == Stance::Own);
        for (ghost, _) in ours {
            // What is lost is told again.
            let _ = match ghost {
                Address::V4(ghost) => {
                    let message = arp::Message::announcement(ghost, mac).encode();
                    device.send(EtherType::Arp, BROADCAST, &message)
                }
                Address::V6(ghost) => {
                    let message = nd::advertisement(ghost, mac, nd::ALL_NODES, false);
                    let to = nd::multicast_link(nd::ALL_NODES);
                    device.send(EtherType::Ipv6, to, &message)
                }
            };
        }
    }
}
