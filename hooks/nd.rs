// SPDX-License-Identifier: GPL-2.0

//! Neighbour discovery about ghosts. Twin of [`super::arp`], but without hooks of its own: the
//! messages are IPv6 packets.

use super::guard;
use crate::{
    dispatch::{
        addr::Address,
        group, ipv6,
        nd::{self, Message},
    },
    ffi::{
        hook::Place,
        ip::V6,
        ipv6::source_address,
        link::EtherType,
        skb::{Skb, Verdict},
    },
    state::{config::Config, stance::Stance, Namespace},
    uapi::Counter,
};

const UNSPECIFIED: [u8; 16] = [0; 16];

/// Messages received. Gives back what is none, or not about a ghost that the guard is for.
#[cold]
pub(super) fn guard_in(
    namespace: &Namespace,
    place: Place<'_>,
    config: &Config,
    mut skb: Skb<V6>,
) -> Result<Verdict, Skb<V6>> {
    // What cannot be read here is dropped for the same lack of memory further on.
    if skb.pull(ipv6::CLIENT_BYTES as u32).is_err() || skb.traits().is_bridged() {
        return Err(skb);
    }
    let (Some(message), Some(device)) = (Message::parse(skb.linear()), place.input()) else {
        return Err(skb);
    };
    let (Message::Solicitation { target: ghost, .. }
    | Message::Advertisement { target: ghost, .. }) = message;
    let pool = config.pool_of_ghost6(ghost);
    let is_member = pool.is_some_and(|pool| pool.is_member());
    let link = match (guard::stance(namespace, pool, device.index()), message) {
        (Stance::Free, _) => return Err(skb),
        // To a host that has the address too it is a conflict, and would end a detection here.
        (_, Message::Advertisement { .. }) if is_member => None,
        (_, Message::Advertisement { .. }) => return Err(skb),
        // Duplicate address detection: another server that gets the ghost.
        (_, Message::Solicitation { source, .. }) if source == UNSPECIFIED => None,
        (Stance::Own, _) => device.mac(),
        (Stance::Group(shape), _) => Some(group::link(shape, Address::V6(ghost))),
        (Stance::Silent, _) => None,
    };
    let sent = match (link, message, skb.link_source()) {
        (Some(link), Message::Solicitation { source, .. }, Some(to)) => {
            let advertisement = nd::advertisement(ghost, link, source, true);
            device.send(EtherType::Ipv6, to, &advertisement).is_ok()
        }
        _ => false,
    };
    // Who gets no answer asks again.
    Ok(if sent {
        guard::answered(namespace, skb)
    } else {
        guard::stop(namespace, skb)
    })
}

/// Messages about to be sent: none may tie a ghost to this host's link address. Gives back what is
/// none, or ties none.
#[cold]
pub(super) fn guard_out(
    namespace: &Namespace,
    place: Place<'_>,
    config: &Config,
    mut skb: Skb<V6>,
) -> Result<Verdict, Skb<V6>> {
    let (Some(message), Some(device)) = (Message::parse(skb.linear()), place.output()) else {
        return Err(skb);
    };
    let is_free = |ghost| {
        let stance = guard::stance(namespace, config.pool_of_ghost6(ghost), device.index());
        matches!(stance, Stance::Free | Stance::Own)
    };
    match message {
        // A server that gets the ghost asks whether anybody has it: all of them do.
        Message::Solicitation { target, source } if source == UNSPECIFIED && !is_free(target) => {
            Ok(guard::stop(namespace, skb))
        }
        // A question must go out all the same, or whatever the ghost's processes send would wait
        // for ever: then in another name.
        Message::Solicitation { source, .. } if source != UNSPECIFIED && !is_free(source) => {
            let source = source_address(namespace.net(), &device, nd::ALL_NODES);
            let renamed = match source.filter(|it| config.pool_of_ghost6(*it).is_none()) {
                Some(source) => {
                    let len = skb.linear().len();
                    let bytes = skb.network_mut(len);
                    bytes.is_ok_and(|bytes| nd::resourced(bytes, source).is_ok())
                }
                None => false,
            };
            if !renamed {
                return Ok(guard::stop(namespace, skb));
            }
            namespace.count(Counter::Guarded);
            Ok(skb.accept())
        }
        Message::Advertisement { target, .. } if !is_free(target) => {
            Ok(guard::stop(namespace, skb))
        }
        _ => Err(skb),
    }
}
