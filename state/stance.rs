// SPDX-License-Identifier: GPL-2.0

//! What a host does about ARP and ND for a ghost.

use crate::{
    dispatch::group,
    uapi::{Mode, Shape},
};

/// Whether this host is a server of a pool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Here {
    No = 0,
    Member = 1,
    /// And one that has clients.
    Live = 2,
}

impl Here {
    pub(crate) fn from_number(number: i8) -> Self {
        match number {
            0 => Self::No,
            1 => Self::Member,
            _ => Self::Live,
        }
    }
}

/// What a host does about ARP and ND for a ghost.
///
/// Many hosts have the ghost. If one of them tied it to its own link address in a neighbour's
/// table, by answering or merely by asking in the ghost's name, that neighbour's packets would go
/// past everyone else: the "ARP problem" of LVS.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stance {
    /// What the stack does is right: a dispatcher may well have the ghost to itself.
    Free,
    /// The ghost must not be tied to this host, and is to nobody by it.
    Silent,
    /// The ghost is this host's to answer for, with its own link address.
    Own,
    /// The ghost is answered for by all live servers, with one group address.
    Group(group::Shape),
}

impl Stance {
    /// `answers` is what ANSWER says.
    pub(crate) fn of(mode: Mode, shape: Option<Shape>, here: Here, answers: bool) -> Self {
        match (mode, shape) {
            (Mode::Broadcast, Some(Shape::Multicast)) if here == Here::Live => {
                Self::Group(group::Shape::Multicast)
            }
            (Mode::Broadcast, Some(Shape::Igmp)) if here == Here::Live => {
                Self::Group(group::Shape::Igmp)
            }
            (Mode::Broadcast, _) => Self::Silent,
            (Mode::Router | Mode::Peer, _) if answers => Self::Own,
            (Mode::Router, _) if here == Here::No => Self::Free,
            (Mode::Router | Mode::Peer, _) => Self::Silent,
        }
    }
}
