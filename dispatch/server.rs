// SPDX-License-Identifier: GPL-2.0

//! Servers as the law sees them: an id, a weight, a state.

use super::refusal::Refusal;

/// A server's id in its pool: stable, sparse, and what hashes and rows name it by.
///
/// # Invariants
///
/// At most [`ServerId::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerId(u16);

impl ServerId {
    /// The greatest id.
    pub const MAX: u16 = 1023;

    /// The lowest id.
    pub const LOWEST: Self = Self(0);

    /// Checks an id.
    ///
    /// # Errors
    ///
    /// The id is above [`ServerId::MAX`].
    pub const fn new(id: u32) -> Result<Self, Refusal> {
        if id <= Self::MAX as u32 {
            Ok(Self(id as u16))
        } else {
            Err(Refusal::ServerId(id))
        }
    }

    /// The id a row holds, if it holds one.
    #[inline]
    pub const fn from_row(row: u16) -> Option<Self> {
        if row <= Self::MAX {
            Some(Self(row))
        } else {
            None
        }
    }

    /// The id as a number.
    #[inline]
    pub const fn get(self) -> u16 {
        self.0
    }
}

/// A server's part of the clients, relative to the others'.
///
/// # Invariants
///
/// In 1..=1000: a weight of none is what the states `drain` and `down` are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weight(u16);

impl Weight {
    /// The weight of a server nobody weighed.
    pub const ONE: Self = Self(1);
    /// The greatest weight.
    pub const MAX: Self = Self(1000);

    /// Checks a weight.
    ///
    /// # Errors
    ///
    /// The weight is 0 or above [`Weight::MAX`].
    pub const fn new(weight: u32) -> Result<Self, Refusal> {
        if 0 < weight && weight <= Self::MAX.0 as u32 {
            Ok(Self(weight as u16))
        } else {
            Err(Refusal::Weight(weight))
        }
    }

    /// The weight as a number.
    #[inline]
    pub const fn get(self) -> u16 {
        self.0
    }
}

/// What the operator wants of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admin {
    /// Serve.
    Up,
    /// Take no new clients.
    Drain,
    /// Serve nobody.
    Down,
}

/// What the watchdog says of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// It answers.
    Up,
    /// It does not.
    Down,
}

/// The effective state of a server, ordered from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Serves.
    Up,
    /// Serves only where nobody is up.
    Drain,
    /// Serves nobody.
    Down,
}

impl State {
    /// The worse of what the operator wants and what the watchdog sees.
    #[inline]
    pub const fn effective(admin: Admin, health: Health) -> Self {
        match (admin, health) {
            (Admin::Down, _) | (_, Health::Down) => Self::Down,
            (Admin::Drain, Health::Up) => Self::Drain,
            (Admin::Up, Health::Up) => Self::Up,
        }
    }
}

/// A server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its id in the pool.
    pub id: ServerId,
    /// Its weight.
    pub weight: Weight,
    /// Its effective state.
    pub state: State,
}

/// Which servers of a pool are live.
///
/// Somebody who drains every server, or drains one while the watchdog takes the rest, is better
/// served by the draining ones than by nobody. It is counted, hence the distinction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serving {
    /// Those that are up.
    Up,
    /// Nobody is up: those that drain.
    Draining,
    /// Nobody.
    Nobody,
}

impl Serving {
    /// Which of `servers` are live.
    pub fn of(servers: &[Server]) -> Self {
        match servers.iter().map(|server| server.state).min() {
            Some(State::Up) => Self::Up,
            Some(State::Drain) => Self::Draining,
            Some(State::Down) | None => Self::Nobody,
        }
    }

    /// Whether a server in `state` is live.
    #[inline]
    pub const fn admits(self, state: State) -> bool {
        matches!(
            (self, state),
            (Self::Up, State::Up) | (Self::Draining, State::Drain)
        )
    }
}
