// SPDX-License-Identifier: GPL-2.0
//! The image: a header, then pools, ghosts, servers, devices and older functions,
//! nothing between them.
//!
//! An image is read in place. The lengths are checked once, when the view is
//! made; the records are decoded when they are asked for.

use super::address::Address;
use super::device::{Device, DeviceName};
use super::ghost::Ghost;
use super::invalid::{Cause, Expected, Invalid, Place, Value};
use super::limits::{ABI, DEVICE_LEN, MAX_DEVICES, MAX_GHOSTS, MAX_IMAGE, MAX_POOLS, NAME_LEN};
use super::older::Older;
use super::pool::Pool;
use super::server::{Keys, Server, Status};
use super::wire::{Reader, Writer};

/// `struct onehop_image`, without the version, which is always ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Number of pools.
    pub pools: u32,
    /// Number of ghosts.
    pub ghosts: u32,
    /// Number of servers.
    pub servers: u32,
    /// Number of devices.
    pub devices: u32,
    /// Number of older functions; an image to be applied has none.
    pub older: u32,
}

impl Header {
    /// Bytes of the structure.
    pub const SIZE: usize = 24;

    /// Writes a header.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.u32(ABI);
        writer.u32(self.pools);
        writer.u32(self.ghosts);
        writer.u32(self.servers);
        writer.u32(self.devices);
        writer.u32(self.older);
        raw
    }

    /// Bytes of the whole image; [`usize::MAX`] if it could not be addressed.
    pub fn image_len(&self) -> usize {
        Self::SIZE
            .saturating_add(bytes_of(self.pools, Pool::SIZE))
            .saturating_add(bytes_of(self.ghosts, Ghost::SIZE))
            .saturating_add(bytes_of(self.servers, Server::SIZE))
            .saturating_add(bytes_of(self.devices, Device::SIZE))
            .saturating_add(bytes_of(self.older, Older::SIZE))
    }

    fn decode(raw: &[u8], purpose: Purpose) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let abi = reader.u32()?;
        if abi != ABI {
            return Err(Invalid::new(
                Cause::Abi,
                "abi",
                Value::Number(abi.into()),
                Expected::Number(ABI.into()),
            ));
        }
        let number = |reader: &mut Reader<'_>, field, most, words| {
            let number = reader.u32()?;
            if number <= most {
                return Ok(number);
            }
            let value = Value::Number(number.into());
            let expected = Expected::Is(words);
            Err(Invalid::new(Cause::TooMany, field, value, expected))
        };
        let pools = number(&mut reader, "pools", MAX_POOLS, "at most 256")?;
        let ghosts = number(&mut reader, "ghosts", MAX_GHOSTS, "at most 256")?;
        // The bound of a pool, 1024, needs no test of its own: the ids differ.
        let most = pools.saturating_mul(1024);
        let servers = number(&mut reader, "servers", most, "at most 1024 for each pool")?;
        let devices = number(&mut reader, "devices", MAX_DEVICES, "at most 16")?;
        let older = match purpose {
            Purpose::Apply => {
                reader.zero::<4>("older")?;
                0
            }
            Purpose::Dump => {
                let most = pools.saturating_mul(7);
                number(&mut reader, "older", most, "at most 7 for each pool")?
            }
        };
        Ok(Self {
            pools,
            ghosts,
            servers,
            devices,
            older,
        })
    }
}

/// What an image is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// It says what is wanted.
    Apply,
    /// It says what stands. Servers that are leaving make it longer than any that
    /// can be applied.
    Dump,
}

fn bytes_of(number: u32, size: usize) -> usize {
    usize::try_from(number).map_or(usize::MAX, |number| number.saturating_mul(size))
}

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
            return refuse(Cause::Length, Expected::Is("at least 24 bytes"));
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
        let (devices, older) = rest
            .split_at_checked(bytes_of(header.devices, Device::SIZE))
            .unwrap_or_default();
        // INVARIANT: the older functions are what is left of the right length.
        Ok(Self {
            header,
            pools,
            ghosts,
            servers,
            devices,
            older,
        })
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

    /// The older functions, by pool, from the newer to the older.
    pub fn older(&self) -> impl Iterator<Item = Result<Older, Invalid>> + 'a {
        decoded(self.0.older, Place::Older, Older::decode_dumped)
    }
}
