// SPDX-License-Identifier: GPL-2.0

//! What an image lays down client by client and row by row, put to its pools.

use super::address;
use crate::{
    dispatch::{overrides::Override, prefix::Prefix, server::ServerId},
    state::{assigned::Assigned, pool::Pool},
    uapi::{sort, Image},
};
use kernel::{alloc::KVVec, prelude::*, sync::Arc};

/// Of the pool at `index` in a valid image, which was `old` before: what is the same is shared.
///
/// # Errors
///
/// `ENOMEM`; `EINVAL` if the image is not valid.
pub(super) fn assigned(image: &Image<'_>, index: u32, old: Option<&Pool>) -> Result<Arc<Assigned>> {
    let (table, overrides) = (table(image, index)?, overrides(image, index)?);
    match old.map(|old| &old.newest.assigned) {
        Some(old) if old.is(&table, &overrides) => Ok(old.clone()),
        _ => Assigned::new(table, overrides),
    }
}

fn table(image: &Image<'_>, index: u32) -> Result<KVVec<u16>> {
    let mut table = KVVec::new();
    if let Some(rows) = image.table(index) {
        let owners = rows.owners();
        table.reserve(owners.len(), GFP_KERNEL_ACCOUNT)?;
        for owner in owners {
            table.push(owner, GFP_KERNEL_ACCOUNT)?;
        }
    }
    Ok(table)
}

/// By prefix.
fn overrides(image: &Image<'_>, index: u32) -> Result<KVVec<Override>> {
    let mut overrides = KVVec::new();
    for it in image.overrides() {
        let it = it.or(Err(EINVAL))?;
        if it.pool == index {
            let it = Override {
                prefix: Prefix::new(
                    address::of_law(it.prefix.address()),
                    it.prefix.bits().into(),
                )
                .or(Err(EINVAL))?,
                server: ServerId::new(it.server.into()).or(Err(EINVAL))?,
            };
            overrides.push(it, GFP_KERNEL_ACCOUNT)?;
        }
    }
    sort(&mut overrides, |a, b| a.prefix < b.prefix);
    Ok(overrides)
}
