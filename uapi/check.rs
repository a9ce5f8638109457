// SPDX-License-Identifier: GPL-2.0
//! What makes an image valid as a whole.
//!
//! Whether a name, an id or an address stands twice is found by sorting the
//! numbers of the records in memory that the caller lends: 4 bytes a record and
//! n log n comparisons, where comparing each with each would take minutes for
//! the 83,000 servers that an image can hold. The records stay where they are.

mod overrides;
mod tables;

use core::cmp::Ordering;

use super::address::Address;
use super::enums::{Kind, Mode, Shape};
use super::image::Image;
use super::invalid::{Cause, Expected, Invalid, Place, Value};
use super::limits::MAX_POOLS;
use super::name::unpadded;
use super::pool::Pool;
use super::server::{Keys, Server};

/// How many elements of scratch memory [`image`] needs.
pub fn scratch_len(image: &Image<'_>) -> usize {
    let header = image.header();
    let most = [
        header.ghosts,
        header.servers,
        header.devices,
        header.overrides,
    ]
    .into_iter()
    .fold(header.pools, u32::max);
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
    ghosts(image, scratch)?;
    devices(image, scratch)?;
    overrides::check(image, scratch)?;
    tables::check(image)
}

/// Checks each record by itself, and with its pool.
fn records(image: &Image<'_>) -> Result<(), Invalid> {
    for (index, pool) in (0..).zip(image.pools()) {
        let pool = pool?;
        shape(image, &pool).map_err(|invalid| invalid.at(Place::Pool(index)).named(pool.name))?;
    }
    let mut families = Families::default();
    for (index, ghost) in (0..).zip(image.ghosts()) {
        let ghost = ghost?;
        pool_of(image, ghost.pool).map_err(|invalid| invalid.at(Place::Ghost(index)))?;
        families.add(ghost.pool, ghost.address);
    }
    for (index, server) in (0..).zip(image.servers()) {
        let server = server?;
        pool_of(image, server.pool)
            .and_then(|pool| {
                weight(pool.kind, server.weight)?;
                families.reached(&pool, &server)
            })
            .map_err(|invalid| invalid.at(Place::Server(index)).named(server.name))?;
    }
    for device in image.devices() {
        device?;
    }
    for (index, entry) in (0..).zip(image.overrides()) {
        let pool = entry?.pool;
        pool_of(image, pool).map_err(|invalid| invalid.at(Place::Override(index)))?;
    }
    Ok(())
}

fn pool_of(image: &Image<'_>, pool: u32) -> Result<Pool, Invalid> {
    image.pool(pool).map_err(|_| {
        let value = Value::Number(pool.into());
        let expected = Expected::Is("the index of one of the image's pools");
        Invalid::new(Cause::Range, "pool", value, expected)
    })
}

/// A group address is answered on devices: without one no frame would ever come.
fn shape(image: &Image<'_>, pool: &Pool) -> Result<(), Invalid> {
    match pool.shape {
        Some(shape @ (Shape::Multicast | Shape::Igmp)) if image.header().devices == 0 => {
            Err(Invalid::new(
                Cause::NoDevice,
                "shape",
                Value::excerpt(shape.name().as_bytes()),
                Expected::Is("broadcast until a device is named"),
            ))
        }
        _ => Ok(()),
    }
}

/// Of which families each pool has ghosts.
struct Families {
    v4: [bool; MAX_POOLS as usize],
    v6: [bool; MAX_POOLS as usize],
}

impl Default for Families {
    fn default() -> Self {
        Self {
            v4: [false; MAX_POOLS as usize],
            v6: [false; MAX_POOLS as usize],
        }
    }
}

impl Families {
    fn add(&mut self, pool: u32, ghost: Address) {
        let pools = match ghost {
            Address::V4(_) => &mut self.v4,
            Address::V6(_) => &mut self.v6,
        };
        if let Some(pool) = usize::try_from(pool)
            .ok()
            .and_then(|pool| pools.get_mut(pool))
        {
            *pool = true;
        }
    }

    /// Whether packets for all ghosts of the pool can be sent on to the server.
    /// With mode broadcast none are: there an address only says which host it is.
    fn reached(&self, pool: &Pool, server: &Server) -> Result<(), Invalid> {
        let has = |pools: &[bool]| {
            let index = usize::try_from(server.pool).ok();
            index.and_then(|index| pools.get(index)) == Some(&true)
        };
        let refuse = |field, words| {
            let expected = Expected::Is(words);
            Err(Invalid::new(Cause::NoAddress, field, Value::None, expected))
        };
        match pool.mode {
            Mode::Broadcast => Ok(()),
            Mode::Router | Mode::Peer if server.address.is_none() && has(&self.v4) => {
                refuse("address", "given, as its pool has an IPv4 ghost")
            }
            Mode::Router | Mode::Peer if server.address6.is_none() && has(&self.v6) => {
                refuse("address6", "given, as its pool has an IPv6 ghost")
            }
            Mode::Router | Mode::Peer => Ok(()),
        }
    }
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

const UNIQUES: [Unique; 4] = [
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
    // Servers without an address are told apart by their ids, which differ by now.
    Unique {
        order: |a, b| match (a.address, b.address) {
            ([0, 0, 0, 0], [0, 0, 0, 0]) => a.id.cmp(&b.id),
            (a, b) => a.cmp(&b),
        },
        refuse: |server| {
            let value = Value::Address(Address::V4(server.address.unwrap_or_default()));
            Invalid::new(Cause::AddressInUse, "address", value, UNIQUE)
        },
    },
    Unique {
        order: |a, b| match (
            u128::from_ne_bytes(a.address6),
            u128::from_ne_bytes(b.address6),
        ) {
            (0, 0) => a.id.cmp(&b.id),
            (a, b) => a.cmp(&b),
        },
        refuse: |server| {
            let value = Value::Address(Address::V6(server.address6.unwrap_or_default()));
            Invalid::new(Cause::AddressInUse, "address6", value, UNIQUE)
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

    // A server has an address of each family, zero if none; no ghost is zero.
    let address4 = |server| Address::V4(image.server_keys(server).address);
    let address6 = |server| Address::V6(image.server_keys(server).address6);
    let addresses: [&dyn Fn(u32) -> Address; 2] = [&address4, &address6];
    for address in addresses {
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
    }
    Ok(())
}

fn devices(image: &Image<'_>, scratch: &mut [u32]) -> Result<(), Invalid> {
    let order = |a, b| image.device_name(a).cmp(&image.device_name(b));
    let Some(index) = repeated(scratch, image.header().devices, &order) else {
        return Ok(());
    };
    let value = Value::excerpt(unpadded(&image.device_name(index)));
    let invalid = Invalid::new(Cause::Duplicate, "name", value, Expected::Is("unique"));
    Err(invalid.at(Place::Device(index)))
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
