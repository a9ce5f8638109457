// SPDX-License-Identifier: GPL-2.0
//! A table that would have spread a load evenly.

use std::cmp::Reverse;

use onehop_dispatch::hash;

use super::load::{Loads, Part};

/// The owner of each row, by the load that the rows had: the heaviest row first, to whoever is
/// least loaded with it. What nobody came by has no owner, and is left to the ranking.
///
/// `fixed` is what servers have in any case. No more than 4/3 of the best there is with equal
/// weights, and of many rows far less: the heaviest decides.
pub fn fit(rows: &[u64], fixed: &Loads, parts: &[Part]) -> Vec<u16> {
    let mut order: Vec<usize> = (0..rows.len()).filter(|row| rows[*row] > 0).collect();
    order.sort_by_key(|row| (Reverse(rows[*row]), *row));
    let mut table = vec![hash::NONE; rows.len()];
    let mut loads: Vec<u64> = parts.iter().map(|part| fixed.of(part.id)).collect();
    for row in order {
        let weight = rows[row];
        let mut best = None;
        for (place, part) in parts.iter().enumerate() {
            let load = loads[place] + weight;
            match best {
                Some((other, least)) if !part.lighter(load, &parts[other], least) => {}
                _ => best = Some((place, load)),
            }
        }
        if let Some((place, load)) = best {
            loads[place] = load;
            table[row] = parts[place].id;
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use onehop_dispatch::server::ServerId;
    use proptest::prelude::*;

    use super::super::load::Balance;
    use super::*;

    fn parts(weights: &[u16]) -> Vec<Part> {
        let ids = (1..).zip(weights);
        ids.map(|(id, weight)| Part {
            id,
            weight: *weight,
        })
        .collect()
    }

    fn loads(rows: &[u64], table: &[u16]) -> Loads {
        let mut loads = Loads::new();
        for (weight, owner) in rows.iter().zip(table) {
            loads.add(ServerId::from_row(*owner), *weight);
        }
        loads
    }

    #[test]
    fn heaviest_first() {
        let table = fit(&[3, 0, 7, 5, 4], &Loads::new(), &parts(&[1, 1]));
        assert_eq!(table, [1, hash::NONE, 1, 2, 2]);
        let mut fixed = Loads::new();
        fixed.add(ServerId::new(1).ok(), 100);
        assert_eq!(fit(&[3, 7], &fixed, &parts(&[1, 1])), [2, 2]);
        assert_eq!(fit(&[6, 3], &Loads::new(), &parts(&[1, 9])), [2, 2]);
        assert_eq!(fit(&[6, 3], &Loads::new(), &[]), [hash::NONE; 2]);
    }

    proptest! {
        /// A server's last row came to it as none was less loaded with it: the fullest is over
        /// the mean by no more than its part of the heaviest row.
        #[test]
        fn even(
            rows in prop::collection::vec(0u64..1_000_000, 256),
            weights in prop::collection::vec(1u16..10, 1..20),
        ) {
            let parts = parts(&weights);
            let table = fit(&rows, &Loads::new(), &parts);
            let loads = loads(&rows, &table);
            prop_assert_eq!(loads.total(), rows.iter().sum::<u64>());
            let all: u64 = weights.iter().map(|weight| u64::from(*weight)).sum();
            let mean = loads.total() as f64 / all as f64;
            let heaviest = rows.iter().max().copied().unwrap_or(0) as f64;
            let balance = Balance::of(&loads, &parts);
            prop_assert!(balance.max_mean * mean <= mean + heaviest * 1.000_001);
            for (weight, owner) in rows.iter().zip(&table) {
                prop_assert_eq!(*weight == 0, *owner == hash::NONE);
            }
        }
    }
}
