// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_ghost`.

use super::address::Address;
use super::invalid::{Cause, Invalid};
use super::wire::{Reader, Writer};

/// A shared address and the pool that serves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ghost {
    /// Index of the pool in the image.
    pub pool: u32,
    /// The address.
    pub address: Address,
}

impl Ghost {
    /// Bytes of the structure.
    pub const SIZE: usize = 24;

    /// Reads a ghost. It has no `[out]` field: requests and dumps look the same.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode(raw: &[u8; Self::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let pool = reader.u32()?;
        let family = reader.u8()?;
        reader.zero::<3>("pad")?;
        let rest = "address, behind its first four bytes,";
        let address = Address::decode(family, &mut reader, rest, Cause::Family)?;
        address.usable("address")?;
        Ok(Self { pool, address })
    }

    /// Writes a ghost.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.u32(self.pool);
        writer.u8(self.address.family());
        writer.zero::<3>();
        self.address.encode(&mut writer);
        raw
    }
}
