// SPDX-License-Identifier: GPL-2.0
//! What servers get, and how evenly.

use onehop_dispatch::server::ServerId;
use serde::Serialize;

/// How many ids servers can have.
const IDS: usize = ServerId::MAX as usize + 1;

/// What each server gets, by its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loads(Vec<u64>);

impl Loads {
    /// Nothing for anybody.
    pub fn new() -> Self {
        Self(vec![0; IDS])
    }

    /// Gives a server more.
    #[inline]
    pub fn add(&mut self, server: Option<ServerId>, weight: u64) {
        if let Some(id) = server {
            self.0[usize::from(id.get())] += weight;
        }
    }

    /// Takes from one server, as far as it has it, and gives to another.
    pub fn shift(&mut self, from: u16, to: u16, weight: u64) {
        let weight = weight.min(self.of(from));
        self.0[usize::from(from)] -= weight;
        self.0[usize::from(to)] += weight;
    }

    /// What a server gets.
    pub fn of(&self, id: u16) -> u64 {
        self.0[usize::from(id)]
    }

    /// What all get.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Gives everybody what they have in another one.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine += theirs;
        }
    }
}

impl Default for Loads {
    fn default() -> Self {
        Self::new()
    }
}

/// A server that is to have a part of the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its id.
    pub id: u16,
    /// Its weight.
    pub weight: u16,
}

impl Part {
    /// Whether this server would be less loaded with `mine` than the other with `theirs`.
    pub fn lighter(&self, mine: u64, other: &Self, theirs: u64) -> bool {
        u128::from(mine) * u128::from(other.weight) < u128::from(theirs) * u128::from(self.weight)
    }
}

/// The fullest and the emptiest server, each by what is due to its weight: 1 is even.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Balance {
    /// Of the fullest.
    pub max_mean: f64,
    /// Of the emptiest.
    pub min_mean: f64,
}

impl Balance {
    /// Of servers, of which there is one at least, under a load.
    pub fn of(loads: &Loads, parts: &[Part]) -> Self {
        let weights: u64 = parts.iter().map(|part| u64::from(part.weight)).sum();
        let total: u64 = parts.iter().map(|part| loads.of(part.id)).sum();
        let unit = total.max(1) as f64 / weights.max(1) as f64;
        let ratio = |part: &Part| loads.of(part.id) as f64 / unit / f64::from(part.weight);
        let ratios = parts.iter().map(ratio);
        Self {
            max_mean: ratios.clone().fold(0.0, f64::max),
            min_mean: ratios.fold(f64::INFINITY, f64::min),
        }
    }
}

/// Parts per million.
pub fn ppm(part: u64, all: u64) -> u32 {
    let ppm = u128::from(part) * 1_000_000 / u128::from(all.max(1));
    u32::try_from(ppm).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(id: u32) -> Option<ServerId> {
        ServerId::new(id).ok()
    }

    #[test]
    fn balance() {
        let parts = [(1, 1), (2, 1), (1023, 2)].map(|(id, weight)| Part { id, weight });
        let mut loads = Loads::new();
        loads.add(id(1), 10);
        loads.add(id(2), 30);
        loads.add(id(1023), 40);
        loads.add(None, 1000);
        let balance = Balance::of(&loads, &parts);
        assert_eq!((balance.max_mean, balance.min_mean), (1.5, 0.5));
        loads.shift(2, 1, 10);
        let balance = Balance::of(&loads, &parts);
        assert_eq!((balance.max_mean, balance.min_mean), (1.0, 1.0));
        assert_eq!(loads.total(), 80);
        loads.shift(2, 1, 1000);
        assert_eq!((loads.of(1), loads.of(2)), (40, 0));
        let nothing = Balance::of(&Loads::new(), &parts);
        assert_eq!((nothing.max_mean, nothing.min_mean), (0.0, 0.0));
    }

    #[test]
    fn parts() {
        let [light, heavy] = [1, 3].map(|weight| Part { id: 0, weight });
        assert!(heavy.lighter(29, &light, 10));
        assert!(!heavy.lighter(30, &light, 10));
        assert!(!light.lighter(u64::MAX, &heavy, u64::MAX));
        assert_eq!(ppm(u64::MAX, u64::MAX), 1_000_000);
        assert_eq!(ppm(0, 0), 0);
    }
}
