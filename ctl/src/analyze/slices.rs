// SPDX-License-Identifier: GPL-2.0
//! Loads by time, so that a part of a log can be judged by what came before it.
//!
//! All slices have as many requests, but for the last one. When there are too many, neighbours
//! are merged, and slices are twice as long from then on: one pass, constant memory, and wherever
//! the log ends, there is an edge near any part of it.

use super::load::Loads;

/// How many slices there are at most. Even, as they are merged in pairs.
pub const MOST: usize = 40;

/// What came in a part of the log.
#[derive(Clone)]
pub struct Slice {
    /// How many requests.
    pub requests: u64,
    /// The load by row.
    pub rows: Vec<u64>,
    /// What does not go by rows: the load by server.
    pub fixed: Loads,
    /// The load by server with kind `mod`.
    pub modulo: Loads,
}

impl Slice {
    fn new(rows: usize) -> Self {
        Self {
            requests: 0,
            rows: vec![0; rows],
            fixed: Loads::new(),
            modulo: Loads::new(),
        }
    }

    fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        for (mine, theirs) in self.rows.iter_mut().zip(&other.rows) {
            *mine += theirs;
        }
        self.fixed.merge(&other.fixed);
        self.modulo.merge(&other.modulo);
    }
}

/// Slices of a log as it goes by.
pub struct Slices {
    rows: usize,
    /// How many requests a slice has.
    span: u64,
    slices: Vec<Slice>,
}

impl Slices {
    pub fn new(rows: usize) -> Self {
        Self {
            rows,
            span: 1,
            slices: Vec::new(),
        }
    }

    /// Makes room for a request. Whether slices were merged for it.
    #[inline]
    pub fn begin(&mut self) -> bool {
        if self
            .slices
            .last()
            .is_some_and(|last| last.requests < self.span)
        {
            return false;
        }
        let full = self.slices.len() == MOST;
        if full {
            self.merge();
        }
        self.slices.push(Slice::new(self.rows));
        full
    }

    /// The slice that the present request belongs to, and its number.
    #[inline]
    pub fn last(&mut self) -> Option<(usize, &mut Slice)> {
        self.slices.iter_mut().enumerate().next_back()
    }

    fn merge(&mut self) {
        let pairs = std::mem::take(&mut self.slices).into_iter();
        let mut pairs = pairs.peekable();
        while let Some(mut slice) = pairs.next() {
            if let Some(other) = pairs.next() {
                slice.merge(&other);
            }
            self.slices.push(slice);
        }
        self.span *= 2;
    }

    pub fn requests(&self) -> u64 {
        self.slices.iter().map(|slice| slice.requests).sum()
    }

    /// The number of the slice before which there are about so many parts in a hundred of the
    /// requests; some on either side. None if there is only one slice.
    pub fn cut(&self, percent: u64) -> Option<usize> {
        let wanted = self.requests() * percent / 100;
        let mut before = 0;
        let edges = self.slices.iter().map(|slice| {
            before += slice.requests;
            before
        });
        let edges = (1..self.slices.len()).zip(edges);
        edges
            .min_by_key(|(_, before)| before.abs_diff(wanted))
            .map(|(cut, _)| cut)
    }

    /// Slices as one: all before number `cut`, or all from it on.
    pub fn before(&self, cut: usize) -> Slice {
        self.sum(&self.slices[..cut])
    }

    pub fn from(&self, cut: usize) -> Slice {
        self.sum(&self.slices[cut..])
    }

    fn sum(&self, slices: &[Slice]) -> Slice {
        let mut sum = Slice::new(self.rows);
        for slice in slices {
            sum.merge(slice);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many requests, each in the row of its number.
    fn slices(requests: u64) -> Slices {
        let mut slices = Slices::new(1024);
        for number in 0..requests {
            slices.begin();
            let (_, slice) = slices.last().unwrap();
            slice.requests += 1;
            slice.rows[number as usize % 1024] += 1;
        }
        slices
    }

    #[test]
    fn nothing_is_lost_and_order_is_kept() {
        for requests in [1, 2, 39, 40, 41, 80, 81, 1000] {
            let slices = slices(requests);
            assert!(slices.slices.len() <= MOST);
            assert!(requests < 40 || slices.slices.len() > MOST / 2);
            let spans = slices.slices.iter().rev().skip(1);
            assert!(spans.clone().all(|it| it.requests == slices.span));
            for cut in 0..slices.slices.len() {
                let (before, from) = (slices.before(cut), slices.from(cut));
                assert_eq!(before.requests + from.requests, requests);
                let first = before.requests as usize;
                assert!(before.rows[..first].iter().all(|count| *count == 1));
                assert!(before.rows[first..].iter().all(|count| *count == 0));
                assert!(from.rows[..first].iter().all(|count| *count == 0));
            }
        }
    }

    #[test]
    fn cuts() {
        assert_eq!(slices(0).cut(70), None);
        assert_eq!(slices(1).cut(70), None);
        assert_eq!(slices(10).cut(70), Some(7));
        assert_eq!(slices(2).cut(0), Some(1));
        assert_eq!(slices(2).cut(100), Some(1));
        for requests in [100, 1234, 100_000] {
            let slices = slices(requests);
            let before = slices.before(slices.cut(70).unwrap()).requests;
            let share = before as f64 / requests as f64;
            assert!((0.674..=0.726).contains(&share), "{requests}: {share}");
        }
    }
}
