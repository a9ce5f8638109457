// SPDX-License-Identifier: GPL-2.0

//! ARP about ghosts. Twin of [`super::nd`].

use super::guard;
use crate::{
    dispatch::{
        addr::Address,
        arp::{Message, Operation, LENGTH, SENDER_OFFSET},
        group,
    },
    ffi::{
        hook::{Arp, Hook, Place, Point},
        link::{Device, EtherType},
        skb::{Skb, Verdict},
    },
    state::{config::Config, stance::Stance, Namespace},
    uapi::Counter,
};

/// Messages received: whether to answer them, and with which link address.
pub(super) enum ArpIn {}

impl Hook for ArpIn {
    type State = Namespace;
    type Protocol = Arp;

    const POINT: Point = Point::ArpIn;
    const PRIORITY: i32 = 0;

    fn run(namespace: &Namespace, place: Place<'_>, skb: Skb<Arp>) -> Verdict {
        let (Some(config), Some(message)) = (
            namespace.config(place.reader()),
            Message::parse(skb.network()),
        ) else {
            return skb.accept();
        };
        let (Operation::Request, Some(device)) = (message.operation, place.input()) else {
            return skb.accept();
        };
        let ghost = message.target;
        let link = match stance(namespace, config, ghost, device.index()) {
            Stance::Free => return skb.accept(),
            // Who asks without an address wants to use the ghost itself, as all servers do; who
            // tells of it is another host that answers for it.
            _ if message.is_probe() || message.is_gratuitous() => None,
            Stance::Own => device.mac(),
            Stance::Group(shape) => Some(group::link(shape, Address::V4(ghost))),
            Stance::Silent => None,
        };
        let to = message.sender_link;
        match link.map(|link| device.send(EtherType::Arp, to, &message.reply(link).encode())) {
            Some(Ok(())) => guard::answered(namespace, skb),
            // Who gets no answer asks again.
            Some(Err(_)) | None => guard::stop(namespace, skb),
        }
    }
}

/// Messages about to be sent: none may tie a ghost to this host's link address.
pub(super) enum ArpOut {}

impl Hook for ArpOut {
    type State = Namespace;
    type Protocol = Arp;

    const POINT: Point = Point::ArpOut;
    const PRIORITY: i32 = 0;

    fn run(namespace: &Namespace, place: Place<'_>, mut skb: Skb<Arp>) -> Verdict {
        let (Some(config), Some(message)) = (
            namespace.config(place.reader()),
            Message::parse(skb.network()),
        ) else {
            return skb.accept();
        };
        let Some(device) = place.output() else {
            return skb.accept();
        };
        match stance(namespace, config, message.sender, device.index()) {
            Stance::Free | Stance::Own => return skb.accept(),
            Stance::Silent | Stance::Group(_) => {}
        }
        if message.operation == Operation::Reply || message.is_gratuitous() {
            return guard::stop(namespace, skb);
        }
        // A question must go out all the same, or whatever the ghost's processes send would wait
        // for ever: then in another name.
        let sender = another_address(config, &device, message.target);
        let Ok(bytes) = skb.network_mut(LENGTH) else {
            return guard::stop(namespace, skb);
        };
        for (slot, byte) in bytes.iter_mut().skip(SENDER_OFFSET).zip(sender) {
            *slot = byte;
        }
        namespace.count(Counter::Guarded);
        skb.accept()
    }
}

/// An address of this host on the link that is no ghost, best one of the target's network; or none,
/// as a probe has it, which hosts answer too (RFC 5227).
fn another_address(config: &Config, device: &Device<'_>, target: [u8; 4]) -> [u8; 4] {
    let target = u32::from_be_bytes(target);
    let (mut near, mut any) = (None, None);
    for (address, mask) in device.ipv4_addresses() {
        if config.pool_of_ghost4(address.to_be_bytes()).is_none() {
            any = any.or(Some(address));
            near = near.or(Some(address).filter(|_| (address ^ target) & mask == 0));
        }
    }
    near.or(any).unwrap_or(0).to_be_bytes()
}

fn stance(namespace: &Namespace, config: &Config, ghost: [u8; 4], ifindex: u32) -> Stance {
    guard::stance(namespace, config.pool_of_ghost4(ghost), ifindex)
}
