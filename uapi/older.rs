// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_older`.

use super::invalid::Invalid;
use super::wire::{Reader, Writer};

/// A function before the newest one of a pool, as a dump tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Older {
    /// Index of the pool in the image.
    pub pool: u32,
    /// How many connections it still carries, as far as this host sees.
    pub flows: u32,
    /// Equal digest, equal decisions.
    pub digest: u64,
    /// Milliseconds until it is retired; none: that takes a COMMIT.
    pub remaining: Option<u64>,
    /// Clients that it gives another owner than the newest one, in parts per million.
    pub moved: u32,
}

/// Stands for no end.
const NEVER: u64 = u64::MAX;

impl Older {
    /// Bytes of the structure.
    pub const SIZE: usize = 32;

    /// Reads an older function of a dump. An image to be applied has none.
    ///
    /// # Errors
    ///
    /// Padding that is not zero.
    pub fn decode_dumped(raw: &[u8; Self::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let older = Self {
            pool: reader.u32()?,
            flows: reader.u32()?,
            digest: reader.u64()?,
            remaining: Some(reader.u64()?).filter(|&remaining| remaining != NEVER),
            moved: reader.u32()?,
        };
        reader.zero::<4>("pad")?;
        Ok(older)
    }

    /// Writes an older function of a dump.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.u32(self.pool);
        writer.u32(self.flows);
        writer.u64(self.digest);
        writer.u64(self.remaining.unwrap_or(NEVER));
        writer.u32(self.moved);
        raw
    }
}
