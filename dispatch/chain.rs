// SPDX-License-Identifier: GPL-2.0

//! Who may be serving a client's connections: its owners by all functions of a pool.

use super::addr::Address;
use super::function::{Function, Owner};
use super::server::ServerId;
use super::transition::{Past, MAX_FUNCTIONS};

/// A server that may have connections of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The server.
    pub server: ServerId,
    /// The newest function that names it, counted from the newest, which is 0.
    pub age: u8,
}

/// The owners of a client by all functions of a queue, each once, the newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    links: [Link; MAX_FUNCTIONS],
    length: u8,
    newest: Owner,
    oldest: Option<ServerId>,
    fresh: Option<ServerId>,
}

impl Chain {
    /// Asks all functions, `older` from the newer to the older.
    ///
    /// `settling` of the functions, from the newest on, are so young that another host may not have
    /// them yet; see [`fresh`](Self::fresh). Function i became the newest when function i + 1 ceased
    /// to be.
    #[inline]
    pub fn of<'a>(
        newest: &Function<'_>,
        older: impl Iterator<Item = Past<'a>>,
        client: Address,
        settling: usize,
    ) -> Self {
        let newest = Newest::of(newest, client);
        let mut chain = Self::begin(newest.owner);
        chain.extend(&newest, 0, older, client, settling);
        chain
    }

    /// The same, where the functions have been asked up to that of `other`, the
    /// [first](Newest::first_other) that the newest one disagrees with. `older` begin behind it.
    #[inline]
    pub fn after<'a>(
        newest: &Newest,
        other: Link,
        older: impl Iterator<Item = Past<'a>>,
        client: Address,
        settling: usize,
    ) -> Self {
        let mut chain = Self::begin(newest.owner);
        chain.hear(other, settling);
        chain.extend(newest, other.age, older, client, settling);
        chain
    }

    /// Asks the functions that are older than those of `age`.
    #[inline]
    fn extend<'a>(
        &mut self,
        newest: &Newest,
        mut age: u8,
        older: impl Iterator<Item = Past<'a>>,
        client: Address,
        settling: usize,
    ) {
        for past in older {
            age = age.wrapping_add(1);
            if let Some(server) = past.owner_at(newest.row, client) {
                self.hear(Link { server, age }, settling);
            }
        }
    }

    /// Takes in who owns the client by the function of this age.
    #[inline]
    fn hear(&mut self, link: Link, settling: usize) {
        self.lengthen(link);
        if usize::from(link.age) <= settling {
            self.fresh = Some(link.server);
        }
    }

    #[inline]
    fn begin(newest: Owner) -> Self {
        // What is beyond `length` is never looked at.
        let nobody = Link {
            server: ServerId::LOWEST,
            age: 0,
        };
        let mut chain = Self {
            links: [nobody; MAX_FUNCTIONS],
            length: 0,
            newest,
            oldest: None,
            fresh: newest.server(),
        };
        if let Some(server) = newest.server() {
            chain.lengthen(Link { server, age: 0 });
        }
        chain
    }

    #[inline]
    fn lengthen(&mut self, link: Link) {
        self.oldest = Some(link.server);
        if self.names(link.server) {
            return;
        }
        if let Some(slot) = self.links.get_mut(usize::from(self.length)) {
            *slot = link;
            self.length = self.length.wrapping_add(1);
        }
    }

    /// The owner by the newest function.
    #[inline]
    pub const fn newest(&self) -> Owner {
        self.newest
    }

    /// The owner by the oldest function that has a say: of all that is not TCP, and of connections
    /// that nobody knows better of.
    #[inline]
    pub const fn oldest(&self) -> Option<ServerId> {
        self.oldest
    }

    /// The owner of new connections: by the newest function that all hosts have.
    ///
    /// Hosts are told of a new function one after the other. Did each heed it at once, a SYN could be
    /// answered by two, and one of them, which does not know of a transition yet, would reset what
    /// the client has begun with the other.
    #[inline]
    pub const fn fresh(&self) -> Option<ServerId> {
        self.fresh
    }

    /// Whether there is more than one answer to whose the client is.
    #[inline]
    pub const fn is_moved(&self) -> bool {
        self.length > 1 || (self.length == 1 && matches!(self.newest, Owner::None))
    }

    /// The owners, the newest first.
    #[inline]
    pub fn links(&self) -> &[Link] {
        self.links.get(..usize::from(self.length)).unwrap_or(&[])
    }

    /// Whether a server is one of the owners.
    #[inline]
    pub fn names(&self, server: ServerId) -> bool {
        self.links().iter().any(|link| link.server == server)
    }
}

/// What the newest function says of a client: what all questions about older ones begin with.
#[derive(Clone, Copy, Debug)]
pub struct Newest {
    /// The owner.
    pub owner: Owner,
    row: Option<u32>,
}

impl Newest {
    /// Asks the newest function.
    #[inline(always)]
    pub fn of(newest: &Function<'_>, client: Address) -> Self {
        let (owner, row) = newest.decide(client);
        Self { owner, row }
    }

    /// The first other owner, going back from the newest function: so with most clients there is none,
    /// and for them nothing else is asked.
    #[inline(always)]
    pub fn first_other<'a>(
        &self,
        older: impl Iterator<Item = Past<'a>>,
        client: Address,
    ) -> Option<Link> {
        let newest = self.owner.server();
        let mut age = 0u8;
        for past in older {
            age = age.wrapping_add(1);
            if let Some(server) = self.unless(newest, past, client) {
                return Some(Link { server, age });
            }
        }
        None
    }

    /// The owner by the oldest function that has a say, where `other` is the
    /// [first other](Self::first_other) owner and `older` begin behind it. As [`Chain::oldest`], which
    /// costs more.
    #[inline(always)]
    pub fn oldest<'a>(
        &self,
        other: Link,
        older: impl Iterator<Item = Past<'a>> + Clone,
        client: Address,
    ) -> Link {
        let change = |oldest, past| self.unless(Some(oldest), past, client).unwrap_or(oldest);
        let oldest = older.clone().fold(other.server, change);
        // That cannot be none.
        self.link(other, older, client, oldest).unwrap_or(other)
    }

    /// The link of one of the owners; none if the server is none of them.
    #[inline(always)]
    pub fn link<'a>(
        &self,
        other: Link,
        older: impl Iterator<Item = Past<'a>>,
        client: Address,
        server: ServerId,
    ) -> Option<Link> {
        if self.owner.server() == Some(server) {
            return Some(Link { server, age: 0 });
        }
        if other.server == server {
            return Some(other);
        }
        let mut age = other.age;
        for past in older {
            age = age.wrapping_add(1);
            if past.owner_at(self.row, client) == Some(server) {
                return Some(Link { server, age });
            }
        }
        None
    }

    /// Who owns the client by an older function, if that is not `server`.
    #[inline(always)]
    fn unless(
        &self,
        server: Option<ServerId>,
        past: Past<'_>,
        client: Address,
    ) -> Option<ServerId> {
        if let (Some(row), Some(server)) = (self.row, server) {
            if past.holds(row, server) {
                return None;
            }
        }
        let owner = past.owner_at(self.row, client)?;
        (Some(owner) != server).then_some(owner)
    }
}
