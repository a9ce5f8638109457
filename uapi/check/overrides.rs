// SPDX-License-Identifier: GPL-2.0
//! What overrides are to each other and to the servers.

use super::super::image::Image;
use super::super::invalid::{Cause, Expected, Invalid, Place, Value};
use super::super::overrides::Override;
use super::{repeated, sorted};

/// Checks overrides that are valid by themselves and have a pool.
pub(super) fn check(image: &Image<'_>, scratch: &mut [u32]) -> Result<(), Invalid> {
    servers(image, scratch)?;
    let order = |a, b| image.override_key(a).cmp(&image.override_key(b));
    let Some(index) = repeated(scratch, image.header().overrides, &order) else {
        return Ok(());
    };
    let entry = image.override_at(index)?;
    let value = Value::Prefix(entry.prefix.address(), entry.prefix.bits());
    let expected = Expected::Is("unique in its pool");
    let invalid = Invalid::new(Cause::Duplicate, "prefix", value, expected);
    placed(image, index, entry, invalid)
}

/// Each names a server of its pool.
fn servers(image: &Image<'_>, scratch: &mut [u32]) -> Result<(), Invalid> {
    let key = |server| {
        let keys = image.server_keys(server);
        (keys.pool, keys.id)
    };
    let order = |a, b| key(a).cmp(&key(b));
    let servers = sorted(scratch, image.header().servers, &order);
    for (index, entry) in (0..).zip(image.overrides()) {
        let entry = entry?;
        let wanted = (entry.pool, entry.server);
        let found = servers.binary_search_by(|&server| key(server).cmp(&wanted));
        if found.is_err() {
            let value = Value::Number(entry.server.into());
            let expected = Expected::Is("the id of a server of the pool");
            let invalid = Invalid::new(Cause::Missing, "server", value, expected);
            return placed(image, index, entry, invalid);
        }
    }
    Ok(())
}

fn placed(image: &Image<'_>, index: u32, entry: Override, why: Invalid) -> Result<(), Invalid> {
    let pool = image.pool(entry.pool)?;
    Err(why.at(Place::Override(index)).named(pool.name))
}
