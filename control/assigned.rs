// SPDX-License-Identifier: GPL-2.0

//! What an image lays down client by client and row by row, put to its pools.

use crate::{
    dispatch::{addr::Address, overrides::Override, prefix::Prefix, server::ServerId},
    state::{assigned::Assigned, pool::Pool},
    uapi::{self, sort, Image},
};
use kernel::{alloc::KVVec, prelude::*, sync::Arc};

/// Of the pool at `index` in a valid image, which was `old` before: what is the same is shared.
///
/// # Errors
///
/// `ENOMEM`; `EINVAL` if the image is not valid.
pub(super) fn assigned(image: &Image<'_>, index: u32, old: Option<&Pool>) -> Result<Arc<Assigned>> {
    let new = Assigned::new(table(image, index)?, overrides(image, index)?)?;
    match old.map(|old| &old.newest.assigned) {
        Some(old) if old.is_same(&new) => Ok(old.clone()),
        _ => Ok(new),
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
                prefix: prefix(it.prefix)?,
                server: ServerId::new(it.server.into()).or(Err(EINVAL))?,
            };
            overrides.push(it, GFP_KERNEL_ACCOUNT)?;
        }
    }
    sort(&mut overrides, |a, b| a.prefix < b.prefix);
    Ok(overrides)
}

fn prefix(prefix: uapi::Prefix) -> Result<Prefix> {
    let address = match prefix.address() {
        uapi::Address::V4(address) => Address::V4(address),
        uapi::Address::V6(address) => Address::V6(address),
    };
    Prefix::new(address, prefix.bits().into()).or(Err(EINVAL))
}
