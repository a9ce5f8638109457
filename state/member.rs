// SPDX-License-Identifier: GPL-2.0

//! A server as the operator and the watchdog see it.

use super::traffic::Total;
use crate::{
    dispatch::server::{self as law, ServerId, Weight},
    uapi::{Admin, Author, Health},
};

/// A server with its health and history.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) wanted: crate::uapi::Server,
    pub(crate) id: ServerId,
    pub(crate) weight: Weight,
    pub(crate) health: Health,
    /// When a timed drain ends its connections, [`crate::ffi::clock::uptime_ms`].
    pub(crate) out_at: Option<u64>,
    /// Last change of admin or health, ns since 1970; 0: never.
    pub(crate) changed_at: u64,
    pub(crate) author: Author,
    /// The counters of its id when it was added.
    pub(crate) before: Total,
}

impl Member {
    fn admin(&self) -> law::Admin {
        match self.wanted.admin {
            Admin::Up => law::Admin::Up,
            Admin::Drain => law::Admin::Drain,
            Admin::Down => law::Admin::Down,
        }
    }

    fn health(&self) -> law::Health {
        match self.health {
            Health::Up => law::Health::Up,
            Health::Down => law::Health::Down,
        }
    }

    /// As the law sees it.
    pub(crate) fn server(&self) -> law::Server {
        law::Server {
            id: self.id,
            weight: self.weight,
            state: law::State::effective(self.admin(), self.health()),
        }
    }

    /// Is this the same machine as `other`, by its name or by an address of either family?
    pub(crate) fn is(&self, other: &Self) -> bool {
        let (a, b) = (&self.wanted, &other.wanted);
        a.name == b.name
            || (a.address.is_some() && a.address == b.address)
            || (a.address6.is_some() && a.address6 == b.address6)
    }
}
