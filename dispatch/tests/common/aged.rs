// SPDX-License-Identifier: GPL-2.0

//! A function in a queue, and questions about the queue, which begins with the newest.

use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::bitmap::Bitmap;
use onehop_dispatch::chain::Chain;
use onehop_dispatch::function::{Function, Kind};
use onehop_dispatch::hash::RowCount;
use onehop_dispatch::overrides::Override;
use onehop_dispatch::server::{Server, ServerId};
use onehop_dispatch::siphash::Keyed;
use onehop_dispatch::transition::{adds_nothing, shares_rows, takes_back, Past};

use super::whole::Whole;

pub const ROWS: u32 = 256;

/// A function with all its parts, and who has been down since it was the newest.
#[derive(Clone, Debug)]
pub struct Aged {
    pub whole: Whole,
    pub gone: Bitmap,
}

impl Aged {
    /// Of kind `hash` if there is a seed, else of kind `mod`; with nothing explicit.
    pub fn new(keyed: Option<Keyed>, prefix: u32, servers: Vec<Server>, gone: &[u32]) -> Self {
        let rows = RowCount::new(ROWS).unwrap();
        let kind = keyed.map_or(Kind::Mod, |keyed| Kind::Hash { keyed, rows });
        let prefixes = Prefixes::new(prefix, 64).unwrap();
        Self {
            whole: Whole::new(kind, prefixes, servers, vec![], vec![]),
            gone: gone.iter().map(|&id| id as u16).collect(),
        }
    }

    /// The same with overrides and explicit owners; those make kind `hash` kind `table`.
    pub fn with(self, overrides: Vec<Override>, table: Vec<u16>) -> Self {
        let Whole { law, servers, .. } = self.whole;
        let (kind, table) = match *law.kind() {
            Kind::Hash { keyed, rows } if !table.is_empty() => (Kind::Table { keyed, rows }, table),
            kind => (kind, vec![]),
        };
        Self {
            whole: Whole::new(kind, law.prefixes(), servers, table, overrides),
            gone: self.gone,
        }
    }

    pub fn function(&self) -> Function<'_> {
        self.whole.function()
    }

    pub fn past(&self, newest: &Self) -> Past<'_> {
        let shares = shares_rows(&self.function(), &newest.function());
        Past::new(self.function(), &self.gone, shares)
    }

    /// Its owner, unless that is gone.
    pub fn says(&self, client: Address) -> Option<ServerId> {
        let owner = self.whole.owner(client);
        owner.filter(|id| !self.gone.contains(id.get()))
    }

    /// Whether row by row it can be compared with another.
    pub fn ranks_as(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.whole, &other.whole);
        ours.law.kind().ranked().is_some()
            && ours.law.kind().ranked() == theirs.law.kind().ranked()
            && ours.law.prefixes() == theirs.law.prefixes()
            && ours.overrides == theirs.overrides
    }
}

pub fn chain(queue: &[Aged], client: Address, settling: usize) -> Chain {
    let (newest, older) = queue.split_first().unwrap();
    let older = older.iter().map(|aged| aged.past(newest));
    Chain::of(&newest.function(), older, client, settling)
}

/// Whether the oldest function adds nothing.
pub fn absorbed(queue: &[Aged]) -> bool {
    let newest = queue.first().unwrap();
    let mut pasts = queue[1..].iter().rev().map(|aged| aged.past(newest));
    let past = pasts.next().unwrap();
    adds_nothing(&past, pasts, &newest.function())
}

/// Whether the newest function takes clients back for the oldest.
pub fn taken_back(queue: &[Aged]) -> bool {
    let newest = queue.first().unwrap();
    let mut pasts = queue[1..].iter().rev().map(|aged| aged.past(newest));
    let past = pasts.next().unwrap();
    takes_back(&past, pasts, &newest.function())
}
