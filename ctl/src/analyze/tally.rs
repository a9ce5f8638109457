// SPDX-License-Identifier: GPL-2.0
//! What one pass over a log leaves behind.

use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::server::ServerId;
use onehop_uapi::Kind;

use super::seen::Seen;
use super::sketch::Sketch;
use super::slices::{Slices, MOST};
use super::subject::Subject;

/// How many clients and prefixes are counted.
const CLIENTS: usize = 4096;
const PREFIXES: usize = 512;
/// What has one owner in the world, mostly: a company's IPv4, a site's IPv6.
const COARSE: (u8, u8) = (24, 48);

/// Counts of a pool's clients.
pub struct Tally<'a> {
    subject: &'a Subject,
    pub slices: Slices,
    pub seen: Seen,
    pub clients: Sketch,
    /// Of the clients by their indices, what came in each slice.
    times: Vec<[u64; MOST]>,
    /// Those that are shorter than the pool's own.
    pub prefixes: Sketch,
    pub coarse: Prefixes,
    /// Of the prefixes by their indices, what each server has of it.
    splits: Vec<Vec<u64>>,
    /// Places in `splits` by id.
    places: Vec<u16>,
}

impl<'a> Tally<'a> {
    pub fn new(subject: &'a Subject) -> Self {
        let own = subject.prefixes;
        let coarse = Prefixes::new(COARSE.0.min(own.v4()).into(), COARSE.1.min(own.v6()).into());
        let mut places = vec![0; usize::from(ServerId::MAX) + 1];
        for (place, part) in (0..).zip(&subject.parts) {
            places[usize::from(part.id)] = place;
        }
        Self {
            subject,
            slices: Slices::new(subject.group.pool.rows as usize),
            seen: Seen::new(),
            clients: Sketch::new(CLIENTS),
            times: Vec::new(),
            prefixes: Sketch::new(PREFIXES),
            coarse: coarse.unwrap_or(own),
            splits: Vec::new(),
            places,
        }
    }

    /// Counts a request.
    #[inline]
    pub fn take(&mut self, client: Address, weight: u64) {
        let subject = self.subject;
        if self.slices.begin() {
            self.merge();
        }
        let Some((number, slice)) = self.slices.last() else {
            return;
        };
        slice.requests += 1;
        let by_rows = subject.hash.function();
        let by_mod = subject.modulo.as_ref();
        let by_mod = by_mod.and_then(|it| it.function().owner(client).server());
        slice.modulo.add(by_mod, weight);
        let row = by_rows.row(client);
        match row {
            Some(row) => slice.rows[row as usize] += weight,
            None => slice.fixed.add(by_rows.owner(client).server(), weight),
        }
        let (hash, key) = subject.hashed(subject.prefixes.key(client));
        self.seen.add(hash, number, weight);
        let (index, fresh) = self.clients.add(hash, key, weight);
        if fresh {
            // A counter that was another's keeps its index.
            match self.times.get_mut(index) {
                Some(times) => *times = [0; MOST],
                None => self.times.push([0; MOST]),
            }
        }
        self.times[index][number] += weight;
        let now = match (subject.group.pool.kind, row) {
            (Kind::Mod, _) => by_mod,
            (Kind::Hash, Some(row)) => by_rows.owner_of_row(row).server(),
            (Kind::Hash, None) | (Kind::Table, _) => subject.owner(client),
        };
        self.take_prefix(client, now, weight);
    }

    fn take_prefix(&mut self, client: Address, owner: Option<ServerId>, weight: u64) {
        let (hash, key) = self.subject.hashed(self.coarse.key(client));
        let (index, fresh) = self.prefixes.add(hash, key, weight);
        if fresh {
            let empty = vec![0; self.subject.parts.len()];
            match self.splits.get_mut(index) {
                Some(split) => split.fill(0),
                None => self.splits.push(empty),
            }
        }
        if let Some(owner) = owner {
            let place = self.places[usize::from(owner.get())];
            self.splits[index][usize::from(place)] += weight;
        }
    }

    /// Slices have been merged.
    fn merge(&mut self) {
        self.seen.merge();
        for times in &mut self.times {
            let pairs: [u64; MOST / 2] =
                std::array::from_fn(|it| times[2 * it] + times[2 * it + 1]);
            *times = [0; MOST];
            times[..MOST / 2].copy_from_slice(&pairs);
        }
    }

    /// What came of a client, by its index, before a slice and from it on.
    pub fn parted(&self, index: usize, cut: usize) -> [u64; 2] {
        let (before, after) = self.times[index].split_at(cut);
        [before, after].map(|slices| slices.iter().sum())
    }

    /// What servers have of a prefix, by its index.
    pub fn split(&self, index: usize) -> Vec<(u16, u64)> {
        let ids = self.subject.parts.iter().map(|part| part.id);
        let split = ids.zip(self.splits[index].iter().copied());
        split.filter(|(_, weight)| *weight > 0).collect()
    }
}
