// SPDX-License-Identifier: GPL-2.0
//! The heaviest of many, in constant memory: Space-Saving (Metwally, Agrawal, El Abbadi, 2005).
//!
//! There are so many counters. Who has none takes over the lowest, with what it has counted: so a
//! count is never too low, and too high by no more than what is noted as its error, which is no
//! more than the whole load divided by the number of counters. Whoever weighs more than that has a
//! counter in the end.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use onehop_dispatch::addr::Address;

/// For keys that are hashes.
#[derive(Default)]
pub struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// A map by keys that are hashes.
pub type HashedMap<T> = HashMap<u64, T, BuildHasherDefault<Hashed>>;

/// A counter of somebody heavy, perhaps.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    hash: u64,
    /// Whose.
    pub key: Address,
    /// No less than its weight.
    pub count: u64,
    /// By how much the count may be too high.
    pub error: u64,
    /// The place in the heap.
    place: u32,
}

impl Counter {
    /// No more than its weight.
    pub fn least(&self) -> u64 {
        self.count - self.error
    }
}

/// Counters of the heaviest.
pub struct Sketch {
    most: usize,
    counters: Vec<Counter>,
    by_hash: HashedMap<u32>,
    /// Indices of counters, of which the lowest is on top.
    heap: Vec<u32>,
}

impl Sketch {
    pub fn new(most: usize) -> Self {
        Self {
            most,
            counters: Vec::with_capacity(most),
            by_hash: HashedMap::with_capacity_and_hasher(most, BuildHasherDefault::default()),
            heap: Vec::with_capacity(most),
        }
    }

    /// Counts. Returns the index of the counter, and whether it was another's or nobody's.
    #[inline]
    pub fn add(&mut self, hash: u64, key: Address, weight: u64) -> (usize, bool) {
        if let Some(index) = self.by_hash.get(&hash) {
            let index = *index as usize;
            let counter = &mut self.counters[index];
            counter.count += weight;
            let place = counter.place as usize;
            self.sink(place);
            return (index, false);
        }
        (self.take(hash, key, weight), true)
    }

    /// A counter for somebody who has none.
    fn take(&mut self, hash: u64, key: Address, weight: u64) -> usize {
        let mut counter = Counter {
            hash,
            key,
            count: weight,
            error: 0,
            place: 0,
        };
        if self.counters.len() < self.most {
            let index = self.counters.len();
            counter.place = index as u32;
            self.counters.push(counter);
            self.heap.push(index as u32);
            self.by_hash.insert(hash, index as u32);
            self.rise(index);
            return index;
        }
        let index = self.heap[0];
        let lowest = &mut self.counters[index as usize];
        self.by_hash.remove(&lowest.hash);
        self.by_hash.insert(hash, index);
        counter.error = lowest.count;
        counter.count += lowest.count;
        *lowest = counter;
        self.sink(0);
        index as usize
    }

    fn count(&self, place: usize) -> u64 {
        self.counters[self.heap[place] as usize].count
    }

    fn put(&mut self, place: usize, index: u32) {
        self.heap[place] = index;
        self.counters[index as usize].place = place as u32;
    }

    fn swap(&mut self, a: usize, b: usize) {
        let (first, second) = (self.heap[a], self.heap[b]);
        self.put(a, second);
        self.put(b, first);
    }

    fn sink(&mut self, mut place: usize) {
        loop {
            let children = [2 * place + 1, 2 * place + 2];
            let children = children.into_iter().filter(|it| *it < self.heap.len());
            let Some(lower) = children.min_by_key(|it| self.count(*it)) else {
                return;
            };
            if self.count(place) <= self.count(lower) {
                return;
            }
            self.swap(place, lower);
            place = lower;
        }
    }

    fn rise(&mut self, mut place: usize) {
        while place > 0 {
            let above = (place - 1) / 2;
            if self.count(above) <= self.count(place) {
                return;
            }
            self.swap(above, place);
            place = above;
        }
    }

    /// All counters with their indices, the heaviest first by what is certain.
    pub fn heaviest(&self) -> Vec<(usize, &Counter)> {
        let mut all: Vec<_> = self.counters.iter().enumerate().collect();
        all.sort_by(|(_, a), (_, b)| b.least().cmp(&a.least()).then(a.key.cmp(&b.key)));
        all
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(number: u32) -> Address {
        Address::V4(number.to_be_bytes())
    }

    fn hash(number: u32) -> u64 {
        u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    proptest! {
        #[test]
        fn bounds(stream in prop::collection::vec((0u32..40, 0u64..100), 0..600), most in 1usize..50) {
            let mut sketch = Sketch::new(most);
            let mut weights = std::collections::BTreeMap::new();
            for (number, weight) in &stream {
                sketch.add(hash(*number), key(*number), *weight);
                *weights.entry(key(*number)).or_insert(0) += weight;
            }
            let total: u64 = weights.values().sum();
            let heaviest = sketch.heaviest();
            for (_, it) in &heaviest {
                let weight = weights.get(&it.key).copied().unwrap_or(0);
                prop_assert!(it.least() <= weight && weight <= it.count);
                prop_assert!(it.error * most as u64 <= total);
            }
            for (key, weight) in &weights {
                let counted = heaviest.iter().any(|(_, it)| it.key == *key);
                prop_assert!(counted || *weight * most as u64 <= total);
            }
            if weights.len() <= most {
                prop_assert!(heaviest.iter().all(|(_, it)| it.error == 0));
                prop_assert_eq!(heaviest.len(), weights.len());
            }
        }
    }
}
