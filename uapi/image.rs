// SPDX-License-Identifier: GPL-2.0
//! The image: a header, then pools, ghosts, servers, devices, overrides, tables and
//! older functions, nothing between them.
//!
//! An image is read in place. The lengths are checked once, when the view is
//! made; the records are decoded when they are asked for.

use super::address::Address;
use super::device::{Device, DeviceName};
use super::ghost::Ghost;
use super::header::{bytes_of, Header, Purpose};
use super::invalid::{Cause, Expected, Invalid, Place, Value};
use super::limits::{DEVICE_LEN, MAX_IMAGE, NAME_LEN};
use super::older::Older;
use super::overrides::Override;
use super::pool::Pool;
use super::prefix::Prefix;
use super::server::{Keys, Server, Status};
use super::table::Table;

/// The bytes of an image whose lengths add up.
///
/// # Invariants
///
/// Each slice holds whole records, as many as the header says.
#[derive(Clone, Copy)]
struct Frame<'a> {
    header: Header,
    pools: &'a [u8],
    ghosts: &'a [u8],
    servers: &'a [u8],
    devices: &'a [u8],
    overrides: &'a [u8],
    rows: &'a [u8],
    older: &'a [u8],
}

impl<'a> Frame<'a> {
    fn new(raw: &'a [u8], purpose: Purpose) -> Result<Self, Invalid> {
        let refuse = |cause, expected| {
            let len = u64::try_from(raw.len()).unwrap_or(u64::MAX);
            Err(Invalid::new(cause, "len", Value::Number(len), expected).at(Place::Image))
        };
        if purpose == Purpose::Apply
            && usize::try_from(MAX_IMAGE).is_ok_and(|most| raw.len() > most)
        {
            return refuse(Cause::TooMany, Expected::Is("at most 16777216 bytes"));
        }
        let Some((head, rest)) = raw.split_at_checked(Header::SIZE) else {
            return refuse(Cause::Length, Expected::Is("at least 32 bytes"));
        };
        let header = Header::decode(head, purpose).map_err(|invalid| invalid.at(Place::Image))?;
        let whole = header.image_len();
        if raw.len() != whole {
            let whole = u64::try_from(whole).unwrap_or(u64::MAX);
            return refuse(Cause::Length, Expected::Number(whole));
        }
        // The length is right, so no default is taken.
        let (pools, rest) = rest
            .split_at_checked(bytes_of(header.pools, Pool::SIZE))
            .unwrap_or_default();
        let (ghosts, rest) = rest
            .split_at_checked(bytes_of(header.ghosts, Ghost::SIZE))
            .unwrap_or_default();
        let (servers, rest) = rest
            .split_at_checked(bytes_of(header.servers, Server::SIZE))
            .unwrap_or_default();
        let (devices, rest) = rest
            .split_at_checked(bytes_of(header.devices, Device::SIZE))
            .unwrap_or_default();
        let (overrides, rest) = rest
            .split_at_checked(bytes_of(header.overrides, Override::SIZE))
            .unwrap_or_default();
        let (rows, older) = rest
            .split_at_checked(bytes_of(header.rows, Table::ROW))
            .unwrap_or_default();
        // INVARIANT: the older functions are what is left of the right length.
        Ok(Self {
            header,
            pools,
            ghosts,
            servers,
            devices,
            overrides,
            rows,
            older,
        })
    }

    /// The table of the pool at an index, if it has one and the rows reach so far.
    fn table(&self, pool: u32) -> Option<Table<'a>> {
        let mut start = 0_usize;
        for index in 0..pool {
            let rows = Pool::table_rows(record(self.pools, index)?).ok()?;
            start = start.saturating_add(bytes_of(rows, Table::ROW));
        }
        let rows = Pool::table_rows(record(self.pools, pool)?).ok()?;
        let end = start.saturating_add(bytes_of(rows, Table::ROW));
        let rows = self.rows.get(start..end)?;
        (!rows.is_empty()).then_some(Table::new(rows))
    }
}

/// The record of `N` bytes at an index.
fn record<const N: usize>(records: &[u8], index: u32) -> Option<&[u8; N]> {
    records.get(bytes_of(index, N)..)?.first_chunk()
}

/// One record of `N` bytes, decoded.
fn nth<const N: usize, T>(
    records: &[u8],
    index: u32,
    place: fn(u32) -> Place,
    decode: fn(&[u8; N]) -> Result<T, Invalid>,
) -> Result<T, Invalid> {
    let raw = record(records, index).ok_or_else(|| {
        let value = Value::Number(index.into());
        Invalid::new(
            Cause::Range,
            "index",
            value,
            Expected::Is("one of the image's"),
        )
    });
    raw.and_then(decode)
        .map_err(|invalid| invalid.at(place(index)))
}

/// All records of `N` bytes, decoded one by one. A mistake is told with its place.
fn decoded<'a, const N: usize, T: 'a>(
    records: &'a [u8],
    place: fn(u32) -> Place,
    decode: fn(&[u8; N]) -> Result<T, Invalid>,
) -> impl Iterator<Item = Result<T, Invalid>> + 'a {
    (0u32..).map_while(move |index| {
        let raw = record(records, index)?;
        Some(decode(raw).map_err(|invalid| invalid.at(place(index))))
    })
}

/// An image to be applied: what the operator wants.
#[derive(Clone, Copy)]
pub struct Image<'a>(Frame<'a>);

impl<'a> Image<'a> {
    /// Looks at bytes as an image.
    ///
    /// # Errors
    ///
    /// A version that is not ours, too many records, or a length that is not
    /// what the header says.
    pub fn new(raw: &'a [u8]) -> Result<Self, Invalid> {
        Frame::new(raw, Purpose::Apply).map(Self)
    }

    /// The header.
    pub fn header(&self) -> Header {
        self.0.header
    }

    /// The pools, in order.
    pub fn pools(&self) -> impl Iterator<Item = Result<Pool, Invalid>> + 'a {
        decoded(self.0.pools, Place::Pool, Pool::decode)
    }

    /// The ghosts, in order.
    pub fn ghosts(&self) -> impl Iterator<Item = Result<Ghost, Invalid>> + 'a {
        decoded(self.0.ghosts, Place::Ghost, Ghost::decode)
    }

    /// The servers, in order.
    pub fn servers(&self) -> impl Iterator<Item = Result<Server, Invalid>> + 'a {
        decoded(self.0.servers, Place::Server, Server::decode)
    }

    /// The devices, in order.
    pub fn devices(&self) -> impl Iterator<Item = Result<Device, Invalid>> + 'a {
        decoded(self.0.devices, Place::Device, Device::decode)
    }

    /// The overrides, in order.
    pub fn overrides(&self) -> impl Iterator<Item = Result<Override, Invalid>> + 'a {
        decoded(self.0.overrides, Place::Override, Override::decode)
    }

    /// The table of the pool at an index: of kind `table`, in a valid image.
    pub fn table(&self, pool: u32) -> Option<Table<'a>> {
        self.0.table(pool)
    }

    /// The pool at an index.
    ///
    /// # Errors
    ///
    /// There is none, or it is not valid.
    pub fn pool(&self, index: u32) -> Result<Pool, Invalid> {
        nth(self.0.pools, index, Place::Pool, Pool::decode)
    }

    /// The server at an index.
    ///
    /// # Errors
    ///
    /// There is none, or it is not valid.
    pub fn server(&self, index: u32) -> Result<Server, Invalid> {
        nth(self.0.servers, index, Place::Server, Server::decode)
    }

    pub(super) fn override_at(&self, index: u32) -> Result<Override, Invalid> {
        nth(self.0.overrides, index, Place::Override, Override::decode)
    }

    // The keys by which records are compared: a few bytes, read where they lie.
    // That they are valid is known by then; a missing record equals a zero one.

    pub(super) fn pool_name(&self, index: u32) -> [u8; NAME_LEN] {
        let raw: Option<&[u8; Pool::SIZE]> = record(self.0.pools, index);
        raw.and_then(|raw| raw.first_chunk())
            .copied()
            .unwrap_or_default()
    }

    pub(super) fn ghost_address(&self, index: u32) -> Address {
        record(self.0.ghosts, index)
            .and_then(|raw| Ghost::decode(raw).ok())
            .map_or(Address::V4([0; 4]), |ghost| ghost.address)
    }

    pub(super) fn device_name(&self, index: u32) -> [u8; DEVICE_LEN] {
        let raw: Option<&[u8; Device::SIZE]> = record(self.0.devices, index);
        raw.and_then(|raw| raw.first_chunk())
            .copied()
            .unwrap_or_default()
    }

    pub(super) fn override_key(&self, index: u32) -> Option<(u32, Prefix)> {
        let it = self.override_at(index).ok()?;
        Some((it.pool, it.prefix))
    }

    pub(super) fn server_keys(&self, index: u32) -> Keys {
        record(self.0.servers, index)
            .and_then(|raw| Keys::read(raw).ok())
            .unwrap_or_default()
    }
}

/// An image as it stands: what was wanted, and what came of it.
#[derive(Clone, Copy)]
pub struct Snapshot<'a>(Frame<'a>);

impl<'a> Snapshot<'a> {
    /// Looks at bytes as a dumped image.
    ///
    /// # Errors
    ///
    /// As for [`Image::new`], but that there may be older functions and that there
    /// is no most length.
    pub fn new(raw: &'a [u8]) -> Result<Self, Invalid> {
        Frame::new(raw, Purpose::Dump).map(Self)
    }

    /// The header.
    pub fn header(&self) -> Header {
        self.0.header
    }

    /// The pools, their digests and how many connections they have noted, in order.
    pub fn pools(&self) -> impl Iterator<Item = Result<(Pool, u64, u32), Invalid>> + 'a {
        decoded(self.0.pools, Place::Pool, Pool::decode_dumped)
    }

    /// The ghosts, in order.
    pub fn ghosts(&self) -> impl Iterator<Item = Result<Ghost, Invalid>> + 'a {
        decoded(self.0.ghosts, Place::Ghost, Ghost::decode)
    }

    /// The servers and their status, in order.
    pub fn servers(&self) -> impl Iterator<Item = Result<(Server, Status), Invalid>> + 'a {
        decoded(self.0.servers, Place::Server, Server::decode_dumped)
    }

    /// The devices and their indices, 0 for one that is not there, in order.
    pub fn devices(&self) -> impl Iterator<Item = Result<(DeviceName, u32), Invalid>> + 'a {
        decoded(self.0.devices, Place::Device, Device::decode_dumped)
    }

    /// The overrides, by pool, family, address and bits.
    pub fn overrides(&self) -> impl Iterator<Item = Result<Override, Invalid>> + 'a {
        decoded(self.0.overrides, Place::Override, Override::decode)
    }

    /// The table of the pool at an index, if it has one.
    pub fn table(&self, pool: u32) -> Option<Table<'a>> {
        self.0.table(pool)
    }

    /// The older functions, by pool, from the newer to the older.
    pub fn older(&self) -> impl Iterator<Item = Result<Older, Invalid>> + 'a {
        decoded(self.0.older, Place::Older, Older::decode_dumped)
    }
}
