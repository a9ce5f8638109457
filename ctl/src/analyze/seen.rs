// SPDX-License-Identifier: GPL-2.0
//! How many clients there are, and how much of the load is of those that were there before.

use super::sketch::HashedMap;
use super::slices::MOST;

/// How many clients are known by name. With more, every second one is forgotten, and again, so
/// that those who are left are a fair sample: by a hash, not by when they came.
const CLIENTS: usize = 450_000;

/// When clients came first, and what they weighed when.
pub struct Seen {
    limit: usize,
    /// The slice in which a client came first, by its hash.
    first: HashedMap<u8>,
    /// One client in 2^level is in the sample.
    level: u32,
    /// What clients that came first in one slice (row) weigh in another (column).
    weights: Vec<[u64; MOST]>,
}

impl Seen {
    pub fn new() -> Self {
        Self::with_limit(CLIENTS)
    }

    fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            first: HashedMap::default(),
            level: 0,
            weights: vec![[0; MOST]; MOST],
        }
    }

    /// Counts a request in a slice.
    #[inline]
    pub fn add(&mut self, hash: u64, slice: usize, weight: u64) {
        if !sampled(hash, self.level) {
            return;
        }
        let first = *self.first.entry(hash).or_insert(slice as u8);
        // Each stands for all that are not in the sample.
        let total = &mut self.weights[usize::from(first)][slice];
        *total = total.saturating_add(weight.saturating_mul(1 << self.level));
        if self.first.len() > self.limit {
            self.level += 1;
            let level = self.level;
            self.first.retain(|hash, _| sampled(*hash, level));
        }
    }

    /// Each slice has been merged with its neighbour.
    pub fn merge(&mut self) {
        for first in self.first.values_mut() {
            *first /= 2;
        }
        let mut merged = vec![[0; MOST]; MOST];
        for (first, row) in self.weights.iter().enumerate() {
            for (slice, weight) in row.iter().enumerate() {
                let total: &mut u64 = &mut merged[first / 2][slice / 2];
                *total = total.saturating_add(*weight);
            }
        }
        self.weights = merged;
    }

    /// How many clients there are, and whether that is exact.
    pub fn clients(&self) -> (u64, bool) {
        ((self.first.len() as u64) << self.level, self.level == 0)
    }

    /// Of the weight from slice `cut` on: that of clients from before, and all.
    pub fn known(&self, cut: usize) -> (u64, u64) {
        let later = |rows: &[[u64; MOST]]| {
            let weights = rows.iter().flat_map(|row| &row[cut..]);
            weights.fold(0, |sum: u64, weight| sum.saturating_add(*weight))
        };
        (later(&self.weights[..cut]), later(&self.weights))
    }
}

/// By bits that neither rows nor maps go by first.
fn sampled(hash: u64, level: u32) -> bool {
    (hash >> 32) & ((1 << level) - 1) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(number: u64) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[test]
    fn known() {
        let mut seen = Seen::new();
        seen.add(hash(1), 0, 5);
        seen.add(hash(2), 1, 1);
        seen.add(hash(1), 2, 7);
        seen.add(hash(3), 3, 2);
        seen.add(hash(3), 3, 2);
        assert_eq!(seen.clients(), (3, true));
        assert_eq!(seen.known(2), (7, 11));
        assert_eq!(seen.known(3), (0, 4));
        assert_eq!(seen.known(0), (0, 17));
        seen.merge();
        assert_eq!(seen.known(1), (7, 11));
        seen.add(hash(2), 1, 3);
        assert_eq!(seen.known(1), (10, 14));
    }

    #[test]
    fn a_sample() {
        let mut seen = Seen::with_limit(1000);
        // 50000 clients, of which the last half of the load knows one half.
        for number in 0..50_000 {
            seen.add(hash(number), 0, 1);
        }
        for number in 25_000..75_000 {
            seen.add(hash(number), 1, 1);
        }
        let (clients, exact) = seen.clients();
        assert!(!exact && (65_000..85_000).contains(&clients), "{clients}");
        let (known, all) = seen.known(1);
        let share = known as f64 / all as f64;
        assert!((0.45..0.55).contains(&share), "{share}");
        assert!((40_000..60_000).contains(&all), "{all}");
    }
}
