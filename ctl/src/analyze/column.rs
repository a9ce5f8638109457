// SPDX-License-Identifier: GPL-2.0
//! What servers would get, by each way to choose them.

use onehop_dispatch::server::ServerId;
use serde::Serialize;

use super::load::{Balance, Loads};
use super::slices::Slice;
use super::subject::Subject;
use crate::offline::Dispatch;

/// A way to choose, and what comes of it.
#[derive(Clone, Serialize)]
pub struct Column {
    /// The kind; the pool's own table is `table`, that which has been fitted `fitted`.
    pub kind: &'static str,
    #[serde(flatten)]
    pub balance: Balance,
    #[serde(skip)]
    pub loads: Loads,
}

/// All ways under the load of a part of a log.
pub fn columns(subject: &Subject, slice: &Slice, fitted: &[u16]) -> Vec<Column> {
    let by_rows = |owner: &dyn Fn(u32) -> Option<ServerId>| {
        let mut loads = slice.fixed.clone();
        for (row, weight) in (0..).zip(&slice.rows) {
            if *weight > 0 {
                loads.add(owner(row), *weight);
            }
        }
        loads
    };
    let winner = |it: &Dispatch, row| it.function().owner_of_row(row).server();
    let hash = |row| winner(&subject.hash, row);
    let by_fit = |row: u32| fitted_owner(fitted, row).or_else(|| hash(row));
    let mut columns = Vec::new();
    let mut push = |kind, loads| {
        columns.push(Column {
            kind,
            balance: Balance::of(&loads, &subject.parts),
            loads,
        });
    };
    if subject.modulo.is_some() {
        push("mod", slice.modulo.clone());
    }
    push("hash", by_rows(&hash));
    if let Some(table) = &subject.table {
        push("table", by_rows(&|row| winner(table, row)));
    }
    push("fitted", by_rows(&by_fit));
    columns
}

/// The load in rows whose owner is another one by the fitted table than the pool has now; none
/// where the pool has no rows.
pub fn moved(subject: &Subject, slice: &Slice, fitted: &[u16]) -> Option<u64> {
    let now = match subject.group.pool.kind {
        onehop_uapi::Kind::Mod => return None,
        onehop_uapi::Kind::Hash => &subject.hash,
        onehop_uapi::Kind::Table => subject.table.as_ref()?,
    };
    let now = now.function();
    let rows = (0..).zip(&slice.rows);
    // What has no load is not fitted, and stays.
    let differ = rows.filter(|(row, _)| {
        let fitted = fitted_owner(fitted, *row);
        fitted.is_some() && fitted != now.owner_of_row(*row).server()
    });
    Some(differ.map(|(_, weight)| weight).sum())
}

fn fitted_owner(fitted: &[u16], row: u32) -> Option<ServerId> {
    let owner = fitted.get(row as usize).copied();
    owner.and_then(ServerId::from_row)
}
