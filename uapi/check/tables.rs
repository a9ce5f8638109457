// SPDX-License-Identifier: GPL-2.0
//! Whether the tables are as long as their pools say, and have owners.

use super::super::enums::Kind;
use super::super::image::Image;
use super::super::invalid::{Cause, Expected, Invalid, Place, Value};
use super::super::limits::{MAX_SERVERS, NO_SERVER};

/// Checks the tables of pools that are valid.
pub(super) fn check(image: &Image<'_>) -> Result<(), Invalid> {
    let mut needed = 0_u32;
    for pool in image.pools() {
        let pool = pool?;
        if pool.kind == Kind::Table {
            needed = needed.saturating_add(pool.rows);
        }
    }
    let rows = image.header().rows;
    if rows != needed {
        let (value, expected) = (Value::Number(rows.into()), Expected::Number(needed.into()));
        let invalid = Invalid::new(Cause::Length, "rows", value, expected);
        return Err(invalid.at(Place::Image));
    }
    for (index, pool) in (0..).zip(image.pools()) {
        let Some(table) = image.table(index) else {
            continue;
        };
        let is_owner = |owner: u16| owner < MAX_SERVERS || owner == NO_SERVER;
        if let Some((row, owner)) = (0..).zip(table.owners()).find(|it| !is_owner(it.1)) {
            let value = Value::Number(owner.into());
            let expected = Expected::Is("from 0 to 1023, or 65535 (none)");
            let invalid = Invalid::new(Cause::Range, "owner", value, expected);
            return Err(invalid.at(Place::Row(row)).named(pool?.name));
        }
    }
    Ok(())
}
