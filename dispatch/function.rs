// SPDX-License-Identifier: GPL-2.0

//! One dispatch function, whole and frozen: who owns a client.

use super::addr::{Address, Key, Prefixes};
use super::hash::{self, RowCount};
use super::modulo;
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
        /// The size of the table.
        rows: RowCount,
    },
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

    /// Which servers are live.
    #[inline]
    pub const fn serving(&self) -> Serving {
        self.serving
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
    /// The winner of this row of the table.
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
/// with, and with kind `hash` `rows` is as long as `law` says and filled from both. Parts that do
/// not belong together give a wrong owner or none, and nothing worse.
#[derive(Clone, Copy)]
pub struct Function<'a> {
    law: &'a Law,
    servers: &'a [Server],
    rows: &'a [u16],
}

impl<'a> Function<'a> {
    /// Puts a function together. Kind `mod` has no rows.
    #[inline]
    pub const fn new(law: &'a Law, servers: &'a [Server], rows: &'a [u16]) -> Self {
        Self { law, servers, rows }
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

    /// Who owns a client.
    #[inline(always)]
    pub fn owner(&self, client: Address) -> Owner {
        match self.row(client) {
            Some(row) => self.owner_of_row(row),
            None => self.law.name(self.tried(client).map(|(id, _)| id)),
        }
    }

    /// The row of a client; kind `mod` has none.
    #[inline]
    pub fn row(&self, client: Address) -> Option<u32> {
        match &self.law.kind {
            Kind::Hash { keyed, rows } => Some(rows.row_of(keyed, self.law.prefixes.key(client))),
            Kind::Mod => None,
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
    pub fn explain(&self, client: Address) -> Explanation {
        let key = self.law.prefixes.key(client);
        let (rule, id) = match self.row(client) {
            Some(row) => (Rule::Row(row), self.held(row)),
            None => match self.tried(client) {
                Some((id, tries)) => (Rule::Try(tries), Some(id)),
                None => (Rule::NobodyLive, None),
            },
        };
        let owner = self.law.name(id);
        let rule = if owner == Owner::None {
            Rule::NobodyLive
        } else {
            rule
        };
        Explanation { key, rule, owner }
    }

    /// Writes the owner of a client and the servers that would follow it, were each to fail in
    /// turn, as far as `out` reaches. Returns how many there are.
    pub fn succession(&self, client: Address, out: &mut [ServerId]) -> usize {
        let prefixes = self.law.prefixes;
        match &self.law.kind {
            Kind::Hash { keyed, rows } => {
                let row = rows.row_of(keyed, prefixes.key(client));
                hash::succession(keyed, row, self.servers, out)
            }
            Kind::Mod => modulo::succession(prefixes.number(client), self.servers, out),
        }
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
