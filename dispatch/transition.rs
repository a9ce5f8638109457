// SPDX-License-Identifier: GPL-2.0

//! While one function takes the place of another: what the older ones still say.
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
    ///
    /// By value: a function that is asked for a row only then stays in registers.
    #[inline(never)]
    pub fn owner(self, client: Address) -> Option<ServerId> {
        self.unless_gone(self.function.owner(client))
    }

    /// Whether it gives `row`, the client's in the newest function, to `server`, who may be
    /// [gone](Self::new) since. The cheapest question, for functions that share rows.
    #[inline(always)]
    pub(super) fn holds(&self, row: u32, server: ServerId) -> bool {
        self.shares && self.function.holds(row, server)
    }

    /// The same as [`owner`](Self::owner), `row` being the client's in the newest function.
    #[inline(always)]
    pub(super) fn owner_at(&self, row: Option<u32>, client: Address) -> Option<ServerId> {
        match row {
            Some(row) if self.shares => self.owner_of_row(row),
            _ => self.owner(client),
        }
    }

    #[inline(always)]
    fn owner_of_row(&self, row: u32) -> Option<ServerId> {
        self.unless_gone(self.function.owner_of_row(row))
    }

    #[inline(always)]
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
