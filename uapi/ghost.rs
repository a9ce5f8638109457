// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_ghost`.

use super::invalid::{Cause, Expected, Invalid, Value};
use super::wire::{Reader, Writer};

/// A shared address and the pool that serves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ghost {
    /// Index of the pool in the image.
    pub pool: u32,
    /// The address, in network order.
    pub address: [u8; 4],
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
        if family != 4 {
            return Err(Invalid::new(
                Cause::Family,
                "family",
                Value::Number(family.into()),
                Expected::Number(4),
            ));
        }
        reader.zero::<3>("pad")?;
        let address = reader.bytes()?;
        reader.zero::<12>("address, behind its first four bytes,")?;
        usable(address)?;
        Ok(Self { pool, address })
    }

    /// Writes a ghost.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.u32(self.pool);
        writer.u8(4);
        writer.zero::<3>();
        writer.bytes(&self.address);
        raw
    }
}

/// Refuses an address that no host of a network can have: 0.0.0.0/8, 127.0.0.0/8,
/// and from 224.0.0.0 on (multicast, reserved, broadcast).
pub(super) fn usable(address: [u8; 4]) -> Result<(), Invalid> {
    let [first, ..] = address;
    match first {
        0 | 127 | 224.. => Err(Invalid::new(
            Cause::AddressUnusable,
            "address",
            Value::Address(address),
            Expected::Is("an address that a host can have"),
        )),
        _ => Ok(()),
    }
}
