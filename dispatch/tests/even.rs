// SPDX-License-Identifier: GPL-2.0

//! Law 4: shares of rows follow the weights, within what chance leaves. Seeds are fixed.

mod common;

use common::{equal, filled, server};
use onehop_dispatch::server::{Server, State};
use onehop_dispatch::siphash::Keyed;

/// How many rows each of `servers` holds.
fn load(seed: u8, servers: &[Server], rows: usize) -> Vec<f64> {
    let mut load = [0.0; 1024];
    for holder in filled(&Keyed::new([seed; 16]), servers, rows) {
        load[usize::from(holder)] += 1.0;
    }
    let ids = servers.iter().map(|server| usize::from(server.id.get()));
    ids.map(|id| load[id]).collect()
}

fn weighted(weights: &[u32]) -> Vec<Server> {
    (0..)
        .zip(weights)
        .map(|(id, &weight)| server(id, weight, State::Up))
        .collect()
}

/// Asserts the law's bound for each server under each seed, and for the mean over the seeds, where
/// a bias too small for one seed adds up.
fn assert_even(servers: &[Server], rows: usize) {
    let total: f64 = servers.iter().map(|s| f64::from(s.weight.get())).sum();
    let size = rows as f64;
    let seeds = 0..8;
    let mut deviations = vec![0.0; servers.len()];
    for seed in seeds.clone() {
        let loads = load(seed, servers, rows);
        for ((server, load), sum) in servers.iter().zip(loads).zip(&mut deviations) {
            let p = f64::from(server.weight.get()) / total;
            let sigma = (p * (1.0 - p) / size).sqrt();
            let deviation = (load / size - p) / sigma;
            assert!(
                deviation.abs() <= 4.5,
                "seed {seed}, {server:?}: {load} of {rows} rows, p = {p}"
            );
            *sum += deviation;
        }
    }
    for (server, sum) in servers.iter().zip(deviations) {
        let mean = sum / (seeds.len() as f64).sqrt();
        assert!(mean.abs() <= 4.5, "{server:?}: {mean} over all seeds");
    }
}

#[test]
fn equal_weights() {
    for n in [2, 3, 8] {
        for rows in [512, 4096, 65536] {
            assert_even(&equal(n), rows);
        }
    }
    assert_even(&equal(64), 4096);
}

#[test]
fn mixed_weights() {
    assert_even(&weighted(&[1, 2, 3, 4, 5, 6, 7, 8]), 65536);
    assert_even(&weighted(&[1, 1000]), 65536);
    assert_even(&weighted(&[1000, 999, 1]), 65536);
    assert_even(&weighted(&[100, 100, 100, 50, 1, 10, 1000, 500]), 65536);
    let spread: Vec<u32> = (1..=40).map(|i| i * 25).collect();
    assert_even(&weighted(&spread), 65536);
}

#[test]
fn draining_servers_are_even_too() {
    let mut servers = weighted(&[3, 2, 1]);
    for server in &mut servers {
        server.state = State::Drain;
    }
    assert_even(&servers, 4096);
}

/// The two ratios that Documentation/dispatch.md promises operators.
#[test]
fn fullest_server() {
    for (servers, from, to) in [(8, 1.005, 1.035), (1024, 1.3, 1.5)] {
        let load = load(1, &equal(servers), 65536);
        let fullest = load.into_iter().fold(0.0, f64::max);
        let ratio = fullest * f64::from(servers) / 65536.0;
        assert!((from..to).contains(&ratio), "{servers} servers: {ratio}");
    }
}
