// SPDX-License-Identifier: GPL-2.0

//! One dispatch function, whole and frozen: who owns a client.

use super::addr::{Address, Key, Prefixes};
use super::hash::{self, RowCount};
use super::modulo;
use super::overrides::{self, Override, Range};
use super::refusal::Refusal;
use super::server::{Server, ServerId, Serving, Weight};
use super::siphash::Keyed;

/// How a function chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The paper's modulus, see [`modulo`].
    Mod,
    /// Rows by rendezvous hashing, see [`hash`].
    Hash {
        /// The seed, made ready.
        keyed: Keyed,
        /// How many rows there are.
        rows: RowCount,
    },
    /// Likewise, but of any row an owner may be named.
    Table {
        /// The seed, made ready.
        keyed: Keyed,
        /// How many rows there are.
        rows: RowCount,
    },
}

impl Kind {
    /// Of a kind that has rows, by what they are ranked and how many they are.
    #[inline(always)]
    pub const fn ranked(&self) -> Option<(&Keyed, RowCount)> {
        match self {
            Self::Mod => None,
            Self::Hash { keyed, rows } | Self::Table { keyed, rows } => Some((keyed, *rows)),
        }
    }
}

/// Whom the configuration names itself. To find an owner takes no more than what was made of it: a
/// function's rows, and its ranges.
#[derive(Clone, Copy, Debug, Default)]
pub struct Explicit<'a> {
    /// The owners of rows, the first row's first, [`hash::NONE`] where none is named. Empty but for kind
    /// `table`. An id that no server has counts as that of one which is down.
    pub table: &'a [u16],
    /// In the order of [`super::prefix::Prefix`], each prefix once.
    pub overrides: &'a [Override],
}

/// What is fixed for all packets of a function, besides its servers and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Law {
    kind: Kind,
    prefixes: Prefixes,
    serving: Serving,
}

impl Law {
    /// Checks a kind against its servers and notes which of them are live.
    ///
    /// # Errors
    ///
    /// The ids do not ascend, or kind `mod` is to weigh servers.
    pub fn new(kind: Kind, prefixes: Prefixes, servers: &[Server]) -> Result<Self, Refusal> {
        let mut last = None;
        for server in servers {
            if last >= Some(server.id) {
                return Err(Refusal::Order(server.id.get()));
            }
            last = Some(server.id);
            if kind == Kind::Mod && server.weight != Weight::ONE {
                return Err(Refusal::Weighted {
                    id: server.id.get(),
                    weight: server.weight.get(),
                });
            }
        }
        Ok(Self {
            kind,
            prefixes,
            serving: Serving::of(servers),
        })
    }

    /// How it chooses.
    #[inline]
    pub const fn kind(&self) -> &Kind {
        &self.kind
    }

    /// How it makes keys.
    #[inline]
    pub const fn prefixes(&self) -> Prefixes {
        self.prefixes
    }

    /// Whether every client that is not overridden has the same row in both, and has one.
    pub fn ranks_alike(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.kind.ranked(), other.kind.ranked());
        ours.is_some() && ours == theirs && self.prefixes == other.prefixes
    }

    /// Which servers are live.
    #[inline]
    pub const fn serving(&self) -> Serving {
        self.serving
    }

    /// The row of a client, which may be overridden.
    #[inline(always)]
    fn row(&self, client: Address) -> Option<u32> {
        let (keyed, rows) = self.kind.ranked()?;
        Some(rows.row_of(keyed, self.prefixes.key(client)))
    }

    #[inline]
    fn name(&self, id: Option<ServerId>) -> Owner {
        match (id, self.serving) {
            (Some(id), Serving::Up) => Owner::Up(id),
            (Some(id), Serving::Draining) => Owner::Draining(id),
            (None, _) | (_, Serving::Nobody) => Owner::None,
        }
    }
}

/// Who owns a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A server that is up.
    Up(ServerId),
    /// A draining server, as nobody is up.
    Draining(ServerId),
    /// Nobody is live: the pool's policy decides.
    None,
}

impl Owner {
    /// The server, if there is one.
    #[inline]
    pub const fn server(self) -> Option<ServerId> {
        match self {
            Self::Up(id) | Self::Draining(id) => Some(id),
            Self::None => None,
        }
    }
}

/// What decided on an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// An override of so many bits.
    Override(u8),
    /// The owner that is named for this row.
    Table(u32),
    /// The winner of this row.
    Row(u32),
    /// The server found at this try of the modulus, from 1.
    Try(u16),
    /// No server is live.
    NobodyLive,
}

/// A decision with its reasons, for `onehopctl lookup`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The client's key.
    pub key: Key,
    /// What decided.
    pub rule: Rule,
    /// The outcome, the same that [`Function::owner`] gives.
    pub owner: Owner,
}

/// A view of a whole function.
///
/// The caller owns the parts (in the kernel: behind one RCU pointer) and puts them together for
/// each packet, which costs nothing. They must belong together: `servers` is what `law` was made
/// with; with kinds `hash` and `table` `rows` is as long as `law` says and [filled](hash::fill) from
/// both; `overrides` is what [`overrides::flatten`] makes. Parts that do not belong together give a
/// wrong owner or none, and nothing worse.
#[derive(Clone, Copy)]
pub struct Function<'a> {
    law: &'a Law,
    servers: &'a [Server],
    rows: &'a [u16],
    overrides: &'a [Range],
}

impl<'a> Function<'a> {
    /// Puts a function together. Kind `mod` has no rows.
    #[inline]
    pub const fn new(
        law: &'a Law,
        servers: &'a [Server],
        rows: &'a [u16],
        overrides: &'a [Range],
    ) -> Self {
        Self {
            law,
            servers,
            rows,
            overrides,
        }
    }

    /// What is fixed for all packets.
    #[inline]
    pub const fn law(&self) -> &'a Law {
        self.law
    }

    /// The servers, by ascending id.
    #[inline]
    pub const fn servers(&self) -> &'a [Server] {
        self.servers
    }

    /// The overrides, by ascending address.
    #[inline]
    pub const fn overrides(&self) -> &'a [Range] {
        self.overrides
    }

    /// Who owns a client.
    #[inline(always)]
    pub fn owner(&self, client: Address) -> Owner {
        self.decide(client).0
    }

    /// The row that decides on a client. Kind `mod` has none, and who is overridden needs none.
    #[inline(always)]
    pub fn row(&self, client: Address) -> Option<u32> {
        match self.overrider(client) {
            Some(_) => None,
            None => self.law.row(client),
        }
    }

    /// Both in one.
    #[inline(always)]
    pub(super) fn decide(&self, client: Address) -> (Owner, Option<u32>) {
        if let Some(id) = self.overrider(client) {
            return (self.law.name(Some(id)), None);
        }
        match self.law.row(client) {
            Some(row) => (self.owner_of_row(row), Some(row)),
            None => {
                let found = self.tried(client);
                (self.law.name(found.map(|(id, _)| id)), None)
            }
        }
    }

    /// Whether a server owns the clients of a row: for those who only want to know that, the cheapest
    /// question.
    #[inline]
    pub fn holds(&self, row: u32, id: ServerId) -> bool {
        self.rows.get(row as usize) == Some(&id.get())
    }

    /// Who owns the clients of a row.
    #[inline]
    pub fn owner_of_row(&self, row: u32) -> Owner {
        self.law.name(self.held(row))
    }

    /// Who owns a client, and why.
    pub fn explain(&self, client: Address, explicit: Explicit<'_>) -> Explanation {
        let (rule, id) = match (self.overrider(client), self.row(client)) {
            (Some(id), _) => {
                let found = overrides::longest(explicit.overrides, client);
                let bits = found.map_or(0, |it| it.prefix.bits());
                (Rule::Override(bits), Some(id))
            }
            (None, Some(row)) => {
                let held = self.held(row);
                let named = explicit.table.get(row as usize);
                let rule = if named == self.rows.get(row as usize) {
                    Rule::Table(row)
                } else {
                    Rule::Row(row)
                };
                (rule, held)
            }
            (None, None) => match self.tried(client) {
                Some((id, tries)) => (Rule::Try(tries), Some(id)),
                None => (Rule::NobodyLive, None),
            },
        };
        let owner = self.law.name(id);
        Explanation {
            key: self.law.prefixes.key(client),
            rule: match owner {
                Owner::None => Rule::NobodyLive,
                Owner::Up(_) | Owner::Draining(_) => rule,
            },
            owner,
        }
    }

    /// Writes the owner of a client and the servers that would follow it, were each to fail in
    /// turn, as far as `out` reaches. Returns how many there are.
    pub fn succession(
        &self,
        client: Address,
        explicit: Explicit<'_>,
        out: &mut [ServerId],
    ) -> usize {
        let prefixes = self.law.prefixes;
        let first = overrides::find(self.overrides, client);
        match self.law.kind.ranked() {
            Some((keyed, rows)) => {
                let row = rows.row_of(keyed, prefixes.key(client));
                let named = explicit.table.get(row as usize);
                let second = named.and_then(|&id| ServerId::from_row(id));
                hash::succession(keyed, row, self.servers, [first, second], out)
            }
            None => modulo::succession(prefixes.number(client), self.servers, first, out),
        }
    }

    /// The server that an override names for a client, if it is live.
    #[inline(always)]
    fn overrider(&self, client: Address) -> Option<ServerId> {
        if self.overrides.is_empty() {
            return None;
        }
        self.live_overrider(client)
    }

    // Apart, and by value: what pools without overrides run stays as short as it was.
    #[inline(never)]
    fn live_overrider(self, client: Address) -> Option<ServerId> {
        let id = overrides::find(self.overrides, client)?;
        self.serves(id).then_some(id)
    }

    /// Whether a server is there, and live.
    pub(super) fn serves(&self, id: ServerId) -> bool {
        let at = self.servers.binary_search_by_key(&id, |server| server.id);
        let found = at.ok().and_then(|at| self.servers.get(at));
        found.is_some_and(|server| self.law.serving.admits(server.state))
    }

    #[inline]
    fn held(&self, row: u32) -> Option<ServerId> {
        self.rows
            .get(row as usize)
            .and_then(|&id| ServerId::from_row(id))
    }

    #[inline]
    fn tried(&self, client: Address) -> Option<(ServerId, u16)> {
        let number = self.law.prefixes.number(client);
        modulo::owner(number, self.servers, self.law.serving)
    }
}
