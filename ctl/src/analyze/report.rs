// SPDX-License-Identifier: GPL-2.0
//! What an analysis has found.

use std::collections::BTreeMap;

use serde::Serialize;

use super::column::{self, columns, Column};
use super::fit::fit;
use super::garbage::Garbage;
use super::heavy::{self, Heavy};
use super::holdout::{holdout, Holdout};
use super::line::By;
use super::load::ppm;
use super::log::Reading;
use super::subject::Subject;
use super::tally::Tally;

/// All of it, as JSON has it and as the text is made from.
#[derive(Serialize)]
pub struct Report {
    pub pool: String,
    /// The kind that the pool has now.
    pub kind: &'static str,
    pub rows: u32,
    pub by: &'static str,
    pub requests: u64,
    /// Requests or bytes.
    pub load: u64,
    pub clients: u64,
    pub clients_exact: bool,
    /// Requests of addresses whose packets are not dispatched, and which are not in the load.
    pub not_dispatched: u64,
    pub left_out: Garbage,
    /// Logs that end before their time.
    pub broken: Vec<String>,
    pub servers: Vec<ServerLoad>,
    pub kinds: Vec<Column>,
    /// What the fitted table gives to another server than has it now.
    pub moved_ppm: Option<u32>,
    /// What no table can bring max/mean below.
    pub floor: f64,
    pub heavy_clients: Vec<Heavy>,
    pub heavy_prefixes: Vec<Heavy>,
    pub holdout: Option<Holdout>,
    /// The table that has been fitted to the whole log.
    #[serde(skip)]
    pub table: Vec<u16>,
}

/// A server's part of the load.
#[derive(Serialize)]
pub struct ServerLoad {
    pub server: String,
    pub id: u16,
    pub weight: u16,
    /// By kind.
    pub ppm: BTreeMap<&'static str, u32>,
}

/// What is to be found out.
pub struct Wanted {
    pub by: By,
    pub top: usize,
    pub holdout: bool,
}

impl Report {
    pub fn new(subject: &Subject, tally: &Tally<'_>, reading: Reading, wanted: &Wanted) -> Self {
        let whole = tally.slices.from(0);
        let table = fit(&whole.rows, &whole.fixed, &subject.parts);
        let kinds = columns(subject, &whole, &table);
        let pool = &subject.group.pool;
        let now = kinds.iter().find(|column| column.kind == pool.kind.name());
        let load = whole.fixed.total() + whole.rows.iter().sum::<u64>();
        let servers = subject.parts.iter().map(|part| {
            let shares = kinds.iter();
            ServerLoad {
                server: subject.name(part.id),
                id: part.id,
                weight: part.weight,
                ppm: shares
                    .map(|it| (it.kind, ppm(it.loads.of(part.id), load)))
                    .collect(),
            }
        });
        let (clients, clients_exact) = tally.seen.clients();
        let heavy = |find: fn(&_, &_, &_, _) -> _| {
            now.map_or(Vec::new(), |now| {
                find(subject, tally, &now.loads, wanted.top)
            })
        };
        Self {
            pool: pool.name.to_string(),
            kind: pool.kind.name(),
            rows: pool.rows,
            by: wanted.by.name(),
            requests: whole.requests,
            load,
            clients,
            clients_exact,
            not_dispatched: reading.not_dispatched,
            left_out: reading.garbage,
            broken: reading.broken,
            servers: servers.collect(),
            moved_ppm: column::moved(subject, &whole, &table).map(|moved| ppm(moved, load)),
            floor: heavy::floor(subject, tally, load),
            heavy_clients: heavy(heavy::clients),
            heavy_prefixes: heavy(heavy::prefixes),
            holdout: wanted.holdout.then(|| holdout(subject, tally)).flatten(),
            kinds,
            table,
        }
    }
}
