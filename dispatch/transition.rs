// SPDX-License-Identifier: GPL-2.0

//! While one function takes the place of another: what the older ones still say.
//!
//! A pool has a queue of functions. The newest gives new connections their owner; the older ones
//! are there for connections that began while each was the newest. A server that goes down leaves
//! the newest function at once, as ever; from the older ones it is struck out without a substitute
//! in its place, as nobody else has its connections.

use core::iter;

use super::addr::Address;
use super::bitmap::Bitmap;
use super::function::{Function, Owner};
use super::hash::RowCount;
use super::overrides::Range;
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

    fn heed(&self, overrider: ServerId) -> Heed {
        match self.function.serves(overrider) {
            true if self.gone.contains(overrider.get()) => Heed::Gone,
            true => Heed::Obeyed,
            false => Heed::Void,
        }
    }

    /// The servers that own anybody, perhaps.
    fn live(&self) -> impl Iterator<Item = &'a Server> + '_ {
        live(&self.function).filter(|server| !self.gone.contains(server.id.get()))
    }
}

/// What a function makes of the overrides that name a server.
enum Heed {
    /// Their clients are its.
    Obeyed,
    /// They were: this function has no say about them.
    Gone,
    /// It is not live: their clients are as others.
    Void,
}

/// Whether every client has the same row in two functions, or none in both.
///
/// It has where the functions rank by the same and have the same overrides, if of these the same are
/// void.
pub fn shares_rows(a: &Function<'_>, b: &Function<'_>) -> bool {
    ranks_alike(a, b) && overriders(a).all(|id| a.serves(id) == b.serves(id))
}

/// Whether every client has the same row in two functions, or would have it if it were not overridden,
/// and both override the same clients.
fn ranks_alike(a: &Function<'_>, b: &Function<'_>) -> bool {
    a.law().ranks_alike(b.law()) && a.overrides() == b.overrides()
}

/// Whether an older function can go without any connection noticing: to each client it has nothing
/// to say, or what the next newer function says that has a say. `newer` are the older functions
/// between it and the newest, from the next newer one on.
///
/// Exact where functions rank alike, if every override has clients in every row. Where kind `mod` has
/// the same ids, prefixes and overrides it is enough that servers went down since: that moves their
/// clients only (law 2). No other two functions are taken to agree, and what is kept needlessly ends
/// at its deadline.
pub fn adds_nothing<'a>(
    past: &Past<'a>,
    newer: impl Iterator<Item = Past<'a>> + Clone,
    newest: &Function<'a>,
) -> bool {
    if past.live().next().is_none() {
        return true;
    }
    let mut newer = newer.chain(iter::once(Past::new(*newest, &Bitmap::EMPTY, true)));
    let Some((_, rows)) = past.function.law().kind().ranked() else {
        return newer.next().is_some_and(|next| succeeds(past, &next));
    };
    let is_alike = |newer: &Past<'_>| ranks_alike(&past.function, &newer.function);
    let alike = newer.clone().take_while(is_alike).count();
    let newer = newer.take(alike);
    let mut repeated = Bitmap::EMPTY;
    // Of the clients that no override keeps from their rows in `past`; not asked for each row anew.
    let mut repeats = |overrider| {
        // Whose overrides the same functions heed have the same answer.
        let pattern = Pattern::of(newer.clone(), overrider);
        let before = repeated.contains(pattern.number());
        repeated.insert(pattern.number());
        let obeyed = overrider.filter(|_| pattern.length < alike);
        let says = |row| {
            let before_it = newer.clone().take(pattern.length).enumerate();
            let mut void = before_it.filter(|(at, _)| pattern.silent & bit(*at) == 0);
            void.find_map(|(_, newer)| newer.owner_of_row(row))
                .or(obeyed)
        };
        let repeats = |row| {
            let owner = past.owner_of_row(row);
            owner.is_none() || owner == says(row)
        };
        before || (0..rows.get()).all(repeats)
    };
    repeats(None)
        && overriders(&past.function).all(|id| match past.heed(id) {
            Heed::Gone => true,
            Heed::Obeyed => obeys(newer.clone(), rows, id),
            Heed::Void => repeats(Some(id)),
        })
}

/// What functions make of the overrides that name a server, up to the first that obeys.
struct Pattern {
    /// How many there are before that one.
    length: usize,
    /// Which of these have no say, one bit each.
    silent: u16,
}

impl Pattern {
    fn of<'a>(functions: impl Iterator<Item = Past<'a>>, overrider: Option<ServerId>) -> Self {
        let mut pattern = Self {
            length: 0,
            silent: 0,
        };
        for function in functions {
            match overrider.map_or(Heed::Void, |id| function.heed(id)) {
                Heed::Void => {}
                Heed::Gone => pattern.silent |= bit(pattern.length),
                Heed::Obeyed => break,
            }
            pattern.length = pattern.length.saturating_add(1);
        }
        pattern
    }

    /// Another one for each: its bits, and a 1 behind them.
    fn number(&self) -> u16 {
        self.silent | bit(self.length)
    }
}

/// There are fewer functions than bits.
const fn bit(at: usize) -> u16 {
    1u16.wrapping_shl(at as u32)
}

/// Whether the first function that has a say about the clients that are overridden to a server obeys.
fn obeys<'a>(
    mut functions: impl Iterator<Item = Past<'a>>,
    rows: RowCount,
    overrider: ServerId,
) -> bool {
    let first = functions.find_map(|function| match function.heed(overrider) {
        Heed::Obeyed => Some(true),
        Heed::Gone => None,
        Heed::Void => {
            let says = |row| function.owner_of_row(row).is_some();
            (0..rows.get()).any(says).then_some(false)
        }
    });
    first == Some(true)
}

/// Whether the newest function gives back some client that one of `between` had taken from an older
/// one. Nearly exact where functions rank alike: those in between that do not are taken to have taken
/// everybody. If the newest does not, it gives back what it has if it is alike.
pub fn takes_back<'a>(
    past: &Past<'a>,
    mut between: impl Iterator<Item = Past<'a>> + Clone,
    newest: &Function<'a>,
) -> bool {
    let function = &past.function;
    let rows = match function.law().kind().ranked() {
        Some((_, rows)) if ranks_alike(function, newest) => rows.get(),
        _ => {
            let alike = function.law() == newest.law()
                && function.servers() == newest.servers()
                && function.overrides() == newest.overrides();
            return alike && between.next().is_some();
        }
    };
    let differs = |other: Past<'_>| !ranks_alike(function, &other.function);
    let unknown = between.clone().any(differs);
    let row_is_taken = |row| {
        past.owner_of_row(row).is_some_and(|owner| {
            let mut others = between.clone().filter_map(|other| other.owner_of_row(row));
            newest.holds(row, owner) && (unknown || others.any(|other| other != owner))
        })
    };
    // Whose overrides are obeyed or void on both sides, and the other in between.
    let override_is_taken = |id| match (past.heed(id), newest.serves(id)) {
        (Heed::Obeyed, true) => {
            unknown
                || between
                    .clone()
                    .any(|other| matches!(other.heed(id), Heed::Void))
        }
        (Heed::Void, false) => between
            .clone()
            .any(|other| matches!(other.heed(id), Heed::Obeyed)),
        _ => false,
    };
    (0..rows).any(row_is_taken) || overriders(function).any(override_is_taken)
}

/// Whether `next`, of kind `mod`, gives all clients that `past` gives to anybody to the same owner.
fn succeeds(past: &Past<'_>, next: &Past<'_>) -> bool {
    let (old, new) = (&past.function, &next.function);
    let alike = old.law().kind() == new.law().kind()
        && old.law().prefixes() == new.law().prefixes()
        && old.overrides() == new.overrides()
        && ids(old.servers()).eq(ids(new.servers()));
    // Nobody joined, and of those that left none has a say any more.
    let joined = |server: &Server| !old.serves(server.id);
    let stays = |server: &Server| next.live().any(|it| it.id == server.id);
    alike && !live(new).any(joined) && past.live().all(stays)
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

/// The servers that overrides name, each once.
fn overriders(function: &Function<'_>) -> impl Iterator<Item = ServerId> {
    let servers = function.overrides().iter().filter_map(Range::server);
    let mut named: Bitmap = servers.map(ServerId::get).collect();
    iter::from_fn(move || named.pop().and_then(ServerId::from_row))
}
