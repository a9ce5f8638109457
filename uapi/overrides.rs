// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_override`.

use super::address::Address;
use super::invalid::{Cause, Invalid};
use super::prefix::Prefix;
use super::wire::{Reader, Writer};

/// Clients whose owner is a certain server, while it lives, whatever the pool's kind says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Override {
    /// Index of the pool in the image.
    pub pool: u32,
    /// The clients; unique in the pool.
    pub prefix: Prefix,
    /// The id of the server.
    pub server: u16,
}

impl Override {
    /// Bytes of the structure.
    pub const SIZE: usize = 24;

    /// Reads an override. It has no `[out]` field: requests and dumps look the same.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode(raw: &[u8; Self::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let pool = reader.u32()?;
        let server = reader.u16()?;
        let family = reader.u8()?;
        let bits = reader.u8()?;
        let rest = "address, behind its first four bytes,";
        let address = Address::decode(family, &mut reader, rest, Cause::Family)?;
        Ok(Self {
            pool,
            prefix: Prefix::new(address, bits)?,
            server,
        })
    }

    /// Writes an override.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.u32(self.pool);
        writer.u16(self.server);
        writer.u8(self.prefix.address().family());
        writer.u8(self.prefix.bits());
        self.prefix.address().encode(&mut writer);
        raw
    }
}
