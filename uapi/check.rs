// SPDX-License-Identifier: GPL-2.0
//! What makes an image valid as a whole.
//!
//! Whether a name, an id or an address stands twice is found by sorting the
//! numbers of the records in memory that the caller lends: 4 bytes a record and
//! n log n comparisons, where comparing each with each would take minutes for
//! the 95,000 servers that an image can hold. The records stay where they are.

use core::cmp::Ordering;

use super::enums::Kind;
use super::image::Image;
use super::invalid::{Cause, Expected, Invalid, Place, Value};
use super::server::{Keys, Server};

/// How many elements of scratch memory [`image`] needs.
pub fn scratch_len(image: &Image<'_>) -> usize {
    let header = image.header();
    let most = header.pools.max(header.ghosts).max(header.servers);
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// Checks an image: every record, and what the records are to each other.
///
/// # Errors
///
/// What APPLY refuses of an image. Records that are not valid by themselves come
/// first. Of records that collide the later one is told. [`Cause::Memory`] if
/// `scratch` is shorter than [`scratch_len`].
pub fn image(image: &Image<'_>, scratch: &mut [u32]) -> Result<(), Invalid> {
    if scratch.len() < scratch_len(image) {
        return Err(Invalid::new(
            Cause::Memory,
            "scratch",
            Value::None,
            Expected::Is("as long as the longest list of records"),
        ));
    }
    records(image)?;
    pools(image, scratch)?;
    servers(image, scratch)?;
    ghosts(image, scratch)
}

/// Checks each record by itself, and with its pool.
fn records(image: &Image<'_>) -> Result<(), Invalid> {
    for pool in image.pools() {
        pool?;
    }
    for (index, ghost) in (0..).zip(image.ghosts()) {
        kind_of(image, ghost?.pool).map_err(|invalid| invalid.at(Place::Ghost(index)))?;
    }
    for (index, server) in (0..).zip(image.servers()) {
        let server = server?;
        kind_of(image, server.pool)
            .and_then(|kind| weight(kind, server.weight))
            .map_err(|invalid| invalid.at(Place::Server(index)).named(server.name))?;
    }
    Ok(())
}

fn kind_of(image: &Image<'_>, pool: u32) -> Result<Kind, Invalid> {
    image.pool(pool).map(|pool| pool.kind).map_err(|_| {
        let value = Value::Number(pool.into());
        let expected = Expected::Is("the index of one of the image's pools");
        Invalid::new(Cause::Range, "pool", value, expected)
    })
}

fn weight(kind: Kind, weight: u16) -> Result<(), Invalid> {
    match kind {
        Kind::Mod if weight != 1 => Err(Invalid::new(
            Cause::Range,
            "weight",
            Value::Number(weight.into()),
            Expected::Is("1 with kind mod"),
        )),
        _ => Ok(()),
    }
}

fn pools(image: &Image<'_>, scratch: &mut [u32]) -> Result<(), Invalid> {
    let order = |a, b| image.pool_name(a).cmp(&image.pool_name(b));
    let Some(index) = repeated(scratch, image.header().pools, &order) else {
        return Ok(());
    };
    let pool = image.pool(index)?;
    let value = Value::excerpt(pool.name.as_str().as_bytes());
    let invalid = Invalid::new(Cause::Duplicate, "name", value, Expected::Is("unique"));
    Err(invalid.at(Place::Pool(index)).named(pool.name))
}

/// A key of servers that no two servers of a pool may share.
struct Unique {
    order: fn(&Keys, &Keys) -> Ordering,
    refuse: fn(&Server) -> Invalid,
}

const UNIQUE: Expected = Expected::Is("unique in its pool");

const UNIQUES: [Unique; 3] = [
    Unique {
        order: |a, b| a.name.cmp(&b.name),
        refuse: |server| {
            let value = Value::excerpt(server.name.as_str().as_bytes());
            Invalid::new(Cause::Duplicate, "name", value, UNIQUE)
        },
    },
    Unique {
        order: |a, b| a.id.cmp(&b.id),
        refuse: |server| {
            let value = Value::Number(server.id.into());
            Invalid::new(Cause::Duplicate, "id", value, UNIQUE)
        },
    },
    Unique {
        order: |a, b| a.address.cmp(&b.address),
        refuse: |server| {
            let value = Value::Address(server.address);
            Invalid::new(Cause::AddressInUse, "address", value, UNIQUE)
        },
    },
];

fn servers(image: &Image<'_>, scratch: &mut [u32]) -> Result<(), Invalid> {
    for Unique { order, refuse } in UNIQUES {
        let order = |a, b| {
            let (a, b) = (image.server_keys(a), image.server_keys(b));
            a.pool.cmp(&b.pool).then_with(|| order(&a, &b))
        };
        if let Some(index) = repeated(scratch, image.header().servers, &order) {
            let server = image.server(index)?;
            return Err(refuse(&server).at(Place::Server(index)).named(server.name));
        }
    }
    Ok(())
}

fn ghosts(image: &Image<'_>, scratch: &mut [u32]) -> Result<(), Invalid> {
    let header = image.header();
    let refuse = |index, address, words| {
        let value = Value::Address(address);
        let invalid = Invalid::new(Cause::AddressInUse, "address", value, Expected::Is(words));
        Err(invalid.at(Place::Ghost(index)))
    };
    let order = |a, b| image.ghost_address(a).cmp(&image.ghost_address(b));
    if let Some(index) = repeated(scratch, header.ghosts, &order) {
        return refuse(
            index,
            image.ghost_address(index),
            "a ghost of one pool, once",
        );
    }

    let address = |index: u32| image.server_keys(index).address;
    let order = |a, b| address(a).cmp(&address(b));
    let servers = sorted(scratch, header.servers, &order);
    for (index, ghost) in (0..).zip(image.ghosts()) {
        let ghost = ghost?.address;
        if servers
            .binary_search_by(|&server| address(server).cmp(&ghost))
            .is_ok()
        {
            return refuse(index, ghost, "an address that no server has as its own");
        }
    }
    Ok(())
}

/// The numbers of the records, in order. Dynamic dispatch: one sort in the text
/// of the module instead of six.
fn sorted<'s>(
    scratch: &'s mut [u32],
    number: u32,
    order: &dyn Fn(u32, u32) -> Ordering,
) -> &'s [u32] {
    let used = usize::try_from(number).unwrap_or(usize::MAX);
    // `image` has seen to it that the scratch memory is long enough.
    let indices = scratch.get_mut(..used).unwrap_or_default();
    for (slot, index) in indices.iter_mut().zip(0..) {
        *slot = index;
    }
    super::sort(indices, |&a, &b| order(a, b).then(a.cmp(&b)).is_lt());
    indices
}

/// The later one of two records that are equal, if there are such.
fn repeated(scratch: &mut [u32], number: u32, order: &dyn Fn(u32, u32) -> Ordering) -> Option<u32> {
    let indices = sorted(scratch, number, order);
    let pairs = indices.iter().zip(indices.iter().skip(1));
    pairs
        .filter(|&(&a, &b)| order(a, b).is_eq())
        .map(|(_, &b)| b)
        .next()
}
