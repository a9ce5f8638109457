// SPDX-License-Identifier: GPL-2.0

//! While one function takes the place of another: who may be serving a client's connections.
//!
//! A pool has a queue of functions. The newest gives new connections their owner; the older ones
//! are there for connections that began while each was the newest. A server that goes down leaves
//! the newest function at once, as ever; from the older ones it is struck out without a substitute
//! in its place, as nobody else has its connections.

use super::addr::Address;
use super::bitmap::Bitmap;
use super::function::{Function, Kind, Law, Owner};
use super::server::{Server, ServerId};

/// How many functions a pool has at most, the newest among them.
pub const MAX_FUNCTIONS: usize = 8;

/// A function that is not the newest any more.
#[derive(Clone, Copy)]
pub struct Past<'a> {
    function: Function<'a>,
    gone: &'a Bitmap,
    shares: bool,
}

impl<'a> Past<'a> {
    /// Puts one together: the function; the ids of servers that have been down since it was
    /// the newest; and whether a client's row in it is that in the newest function, which is
    /// [`shares_rows`], found out beforehand as it is asked for each packet.
    #[inline]
    pub const fn new(function: Function<'a>, gone: &'a Bitmap, shares: bool) -> Self {
        Self {
            function,
            gone,
            shares,
        }
    }

    /// Who owns a client; none if this function has no say.
    #[inline]
    pub fn owner(&self, client: Address) -> Option<ServerId> {
        self.unless_gone(self.function.owner(client))
    }

    /// The same, `row` being the client's in the newest function.
    #[inline]
    fn owner_at(&self, row: Option<u32>, client: Address) -> Option<ServerId> {
        match row {
            Some(row) if self.shares => self.owner_of_row(row),
            _ => self.owner(client),
        }
    }

    #[inline]
    fn owner_of_row(&self, row: u32) -> Option<ServerId> {
        self.unless_gone(self.function.owner_of_row(row))
    }

    #[inline]
    fn unless_gone(&self, owner: Owner) -> Option<ServerId> {
        owner.server().filter(|id| !self.gone.contains(id.get()))
    }

    /// The servers that own anybody, perhaps.
    fn live(&self) -> impl Iterator<Item = &'a Server> + '_ {
        live(&self.function).filter(|server| !self.gone.contains(server.id.get()))
    }
}

/// Whether every client has the same row in two functions.
pub fn shares_rows(a: &Law, b: &Law) -> bool {
    matches!(a.kind(), Kind::Hash { .. }) && a.kind() == b.kind() && a.prefixes() == b.prefixes()
}

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
        chain.extend(&newest, (1..).zip(older), client, settling);
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
        let ages = other.age.saturating_add(1)..;
        chain.extend(newest, ages.zip(older), client, settling);
        chain
    }

    #[inline]
    fn extend<'a>(
        &mut self,
        newest: &Newest,
        older: impl Iterator<Item = (u8, Past<'a>)>,
        client: Address,
        settling: usize,
    ) {
        for (age, past) in older {
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
        let row = newest.row(client);
        let owner = match row {
            Some(row) => newest.owner_of_row(row),
            None => newest.owner(client),
        };
        Self { owner, row }
    }

    /// The first other owner, going back from the newest function: so with most clients there is none,
    /// and for them no [`Chain`] is made.
    #[inline]
    pub fn first_other<'a>(
        &self,
        older: impl Iterator<Item = Past<'a>>,
        client: Address,
    ) -> Option<Link> {
        let newest = self.owner.server();
        (1u8..).zip(older).find_map(|(age, past)| {
            if let (Some(row), Some(server), true) = (self.row, newest, past.shares) {
                if past.function.holds(row, server) {
                    return None;
                }
            }
            let server = past.owner_at(self.row, client)?;
            (Some(server) != newest).then_some(Link { server, age })
        })
    }
}

/// Whether an older function can go without any connection noticing: to each client it has nothing
/// to say, or what the next newer function says that has a say. `newer` are the older functions
/// between it and the newest, from the next newer one on.
///
/// Exact where functions share rows. Where kind `mod` has the same ids and prefixes it is enough
/// that servers went down since: that moves their clients only (law 2). No other two functions are
/// taken to agree, and what is kept needlessly ends at its deadline.
pub fn adds_nothing<'a>(
    past: &Past<'a>,
    newer: impl Iterator<Item = Past<'a>> + Clone,
    newest: &Function<'_>,
) -> bool {
    if past.live().next().is_none() {
        return true;
    }
    let law = past.function.law();
    match law.kind() {
        Kind::Hash { rows, .. } => (0..rows.get()).all(|row| {
            past.owner_of_row(row)
                .is_none_or(|owner| says(owner, row, law, newer.clone(), newest))
        }),
        Kind::Mod => match newer.into_iter().next() {
            Some(next) => succeeds(past, &next.function, |id| !next.gone.contains(id.get())),
            None => succeeds(past, newest, |_| true),
        },
    }
}

/// Whether the newest function gives back some client that one of `between` had taken from an older
/// one. Exact where functions share rows; of others only those are known that are alike.
pub fn takes_back<'a>(
    past: &Past<'a>,
    mut between: impl Iterator<Item = Past<'a>> + Clone,
    newest: &Function<'_>,
) -> bool {
    let law = past.function.law();
    let rows = match law.kind() {
        Kind::Hash { rows, .. } if shares_rows(law, newest.law()) => rows.get(),
        _ => {
            let alike = law == newest.law() && past.function.servers() == newest.servers();
            return alike && between.next().is_some();
        }
    };
    let shared = between.filter(|other| shares_rows(law, other.function.law()));
    (0..rows).any(|row| {
        let Some(owner) = past.owner_of_row(row) else {
            return false;
        };
        let is_taken = |other: Past<'_>| other.owner_of_row(row).is_some_and(|it| it != owner);
        newest.holds(row, owner) && shared.clone().any(is_taken)
    })
}

/// Whether the first of these functions that has a say about a row gives it to `owner`; rows being
/// those of `law`.
fn says<'a>(
    owner: ServerId,
    row: u32,
    law: &Law,
    newer: impl Iterator<Item = Past<'a>>,
    newest: &Function<'_>,
) -> bool {
    for past in newer {
        if !shares_rows(law, past.function.law()) {
            return false;
        }
        if let Some(next) = past.owner_of_row(row) {
            return next == owner;
        }
    }
    shares_rows(law, newest.law()) && newest.owner_of_row(row).server() == Some(owner)
}

/// Whether `next`, of kind `mod`, gives all clients that `past` gives to anybody to the same owner,
/// who `stays`.
fn succeeds(past: &Past<'_>, next: &Function<'_>, stays: impl Fn(ServerId) -> bool) -> bool {
    let alike = past.function.law().kind() == next.law().kind()
        && past.function.law().prefixes() == next.law().prefixes()
        && ids(past.function.servers()).eq(ids(next.servers()));
    // Nobody joined, and of those that left none has a say any more.
    let joined = |server: &Server| !live(&past.function).any(|old| old.id == server.id);
    let serves = |id| stays(id) && live(next).any(|server| server.id == id);
    alike && !live(next).any(joined) && past.live().all(|server| serves(server.id))
}

fn ids(servers: &[Server]) -> impl Iterator<Item = ServerId> + '_ {
    servers.iter().map(|server| server.id)
}

/// The servers that a function gives anybody to.
fn live<'a>(function: &Function<'a>) -> impl Iterator<Item = &'a Server> + 'a {
    let serving = function.law().serving();
    let admitted = move |server: &&Server| serving.admits(server.state);
    function.servers().iter().filter(admitted)
}
