// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_image`: how many records of each kind follow.

use super::device::Device;
use super::ghost::Ghost;
use super::invalid::{Cause, Expected, Invalid, Value};
use super::limits::{ABI, MAX_DEVICES, MAX_GHOSTS, MAX_OVERRIDES, MAX_POOLS, MAX_ROWS};
use super::older::Older;
use super::overrides::Override;
use super::pool::Pool;
use super::server::Server;
use super::table::Table;
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
    /// Number of overrides.
    pub overrides: u32,
    /// Number of rows of all tables together.
    pub rows: u32,
}

impl Header {
    /// Bytes of the structure.
    pub const SIZE: usize = 32;

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
        writer.u32(self.overrides);
        writer.u32(self.rows);
        raw
    }

    /// Bytes of the whole image; [`usize::MAX`] if it could not be addressed.
    pub fn image_len(&self) -> usize {
        Self::SIZE
            .saturating_add(bytes_of(self.pools, Pool::SIZE))
            .saturating_add(bytes_of(self.ghosts, Ghost::SIZE))
            .saturating_add(bytes_of(self.servers, Server::SIZE))
            .saturating_add(bytes_of(self.devices, Device::SIZE))
            .saturating_add(bytes_of(self.overrides, Override::SIZE))
            .saturating_add(bytes_of(self.rows, Table::ROW))
            .saturating_add(bytes_of(self.older, Older::SIZE))
    }

    pub(super) fn decode(raw: &[u8], purpose: Purpose) -> Result<Self, Invalid> {
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
        let overrides = number(&mut reader, "overrides", MAX_OVERRIDES, "at most 4096")?;
        let most = pools.saturating_mul(MAX_ROWS);
        let rows = number(&mut reader, "rows", most, "at most 65536 for each pool")?;
        Ok(Self {
            pools,
            ghosts,
            servers,
            devices,
            older,
            overrides,
            rows,
        })
    }
}

/// What an image is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It says what is wanted.
    Apply,
    /// It says what stands. Servers that are leaving make it longer than any that
    /// can be applied.
    Dump,
}

/// The bytes of so many records of a size.
pub(super) fn bytes_of(number: u32, size: usize) -> usize {
    usize::try_from(number).map_or(usize::MAX, |number| number.saturating_mul(size))
}
