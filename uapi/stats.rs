// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_stats`.

use super::invalid::Invalid;
use super::wire::{Reader, Writer};

/// The request for the counters, and the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Pointer to room for them in the caller's memory.
    pub counters: u64,
    /// How many there is room for; in the reply, how many there are.
    pub count: u32,
}

impl Stats {
    /// Bytes of the structure.
    pub const SIZE: usize = 16;

    /// Reads a request or a reply.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode(raw: &[u8; Self::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let counters = reader.u64()?;
        let count = reader.u32()?;
        reader.zero::<4>("pad")?;
        Ok(Self { counters, count })
    }

    /// Writes a request or a reply.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.u64(self.counters);
        writer.u32(self.count);
        raw
    }
}
