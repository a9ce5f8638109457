// SPDX-License-Identifier: GPL-2.0

//! A pool's queue of functions, as one host has it.

use std::rc::Rc;

use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::bitmap::Bitmap;
use onehop_dispatch::chain::Chain;
use onehop_dispatch::function::{Function, Kind};
use onehop_dispatch::hash::RowCount;
use onehop_dispatch::overrides::Override;
use onehop_dispatch::server::{Server, ServerId, State};
use onehop_dispatch::siphash::Keyed;
use onehop_dispatch::transition::{adds_nothing, shares_rows, Past, MAX_FUNCTIONS};

use super::common;

/// How long hosts may take to hear of a change, ms.
pub const SETTLE: u64 = 2000;

/// What an operator writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Kind `hash` with this seed and number of rows, else kind `mod`.
    pub hash: Option<(u8, u32)>,
    pub prefix: u32,
    pub servers: Vec<Server>,
    /// Kind `table`, not `hash`, if not empty; the owners of rows turn by turn.
    pub turns: Vec<u16>,
    /// In order.
    pub overrides: Vec<Override>,
}

impl Config {
    pub fn state(&self, id: ServerId) -> Option<State> {
        let found = self.servers.iter().find(|server| server.id == id);
        found.map(|server| server.state)
    }
}

/// A function with all its parts.
#[derive(Debug)]
pub struct Whole {
    /// Which change it came with: functions are the same on all hosts.
    pub number: usize,
    pub config: Config,
    whole: common::whole::Whole,
}

impl Whole {
    pub fn new(number: usize, config: &Config) -> Rc<Self> {
        let mut table = Vec::new();
        let kind = match config.hash {
            None => Kind::Mod,
            Some((seed, count)) => {
                let keyed = Keyed::new([seed; 16]);
                let rows = RowCount::new(count).unwrap();
                let turns = config.turns.iter().cycle().copied();
                table.extend(turns.take(count as usize));
                if table.is_empty() {
                    Kind::Hash { keyed, rows }
                } else {
                    Kind::Table { keyed, rows }
                }
            }
        };
        Rc::new(Self {
            number,
            config: config.clone(),
            whole: common::whole::Whole::new(
                kind,
                Prefixes::new(config.prefix, 64).unwrap(),
                config.servers.clone(),
                table,
                config.overrides.clone(),
            ),
        })
    }

    pub fn function(&self) -> Function<'_> {
        self.whole.function()
    }

    pub fn owner(&self, client: Address) -> Option<ServerId> {
        self.function().owner(client).server()
    }
}

#[derive(Clone, Debug)]
struct Older {
    whole: Rc<Whole>,
    gone: Bitmap,
    superseded: u64,
    deadline: Option<u64>,
}

impl Older {
    fn past(&self, newest: &Whole) -> Past<'_> {
        let shares = shares_rows(&self.whole.function(), &newest.function());
        Past::new(self.whole.function(), &self.gone, shares)
    }
}

#[derive(Clone, Debug)]
pub struct Queue {
    pub newest: Rc<Whole>,
    older: Vec<Older>,
}

impl Queue {
    pub fn new(newest: Rc<Whole>) -> Self {
        let older = Vec::new();
        Self { newest, older }
    }

    pub fn is_full(&self) -> bool {
        self.older.len() + 1 == MAX_FUNCTIONS
    }

    pub fn is_overfull(&self) -> bool {
        self.older.len() + 1 > MAX_FUNCTIONS
    }

    /// The numbers of its functions.
    pub fn numbers(&self) -> Vec<usize> {
        let older = self.older.iter().map(|older| older.whole.number);
        [self.newest.number].into_iter().chain(older).collect()
    }

    pub fn oldest(&self) -> &Rc<Whole> {
        self.older.last().map_or(&self.newest, |older| &older.whole)
    }

    /// Makes a function the newest one; `span` is how long what it replaces is kept.
    pub fn push(&mut self, whole: Rc<Whole>, now: u64, span: Option<u64>) {
        let mut older = Older {
            whole: std::mem::replace(&mut self.newest, whole),
            gone: Bitmap::EMPTY,
            superseded: now,
            deadline: span.map(|span| now + span),
        };
        let down = |server: &&Server| server.state == State::Down;
        let servers = self.newest.config.servers.iter();
        for id in servers.filter(down).map(|server| server.id.get()) {
            older.gone.insert(id);
            for past in &mut self.older {
                past.gone.insert(id);
            }
        }
        self.older.insert(0, older);
        self.absorb();
    }

    /// Drops functions that add nothing, the newest first, as an older one may be compared with what
    /// is behind it then; but none that was promised to stay for longer than those that stand in for
    /// it.
    fn absorb(&mut self) {
        let mut at = 0;
        while let Some(older) = self.older.get(at) {
            let mut newer = self.older[..at].iter();
            let outlasted = newer.all(|heir| lasts(heir.deadline) >= lasts(older.deadline));
            if outlasted && self.adds_nothing(at) {
                self.older.remove(at);
            } else {
                at += 1;
            }
        }
    }

    fn adds_nothing(&self, at: usize) -> bool {
        let older = self.older[..=at].iter().rev();
        let mut pasts = older.map(|older| older.past(&self.newest));
        let past = pasts.next().unwrap();
        adds_nothing(&past, pasts, &self.newest.function())
    }

    pub fn retire(&mut self, now: u64) {
        let due = |older: &Older| older.deadline.is_some_and(|deadline| deadline <= now);
        self.older.retain(|older| !due(older));
    }

    pub fn commit(&mut self) {
        self.older.clear();
    }

    pub fn chain(&self, client: Address, now: u64, settles: bool) -> Chain {
        let young = |older: &&Older| settles && now < older.superseded + SETTLE;
        let settling = self.older.iter().take_while(young).count();
        let older = self.older.iter().map(|older| older.past(&self.newest));
        Chain::of(&self.newest.function(), older, client, settling)
    }
}

fn lasts(deadline: Option<u64>) -> u64 {
    deadline.unwrap_or(u64::MAX)
}
