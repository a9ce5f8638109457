// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_info`.

use super::invalid::Invalid;
use super::text::Text;
use super::wire::{Reader, Writer};

/// What the module says of itself and of the namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// The version of the interface that the module has.
    pub abi: u32,
    /// `net.onehop.enabled`.
    pub enabled: bool,
    /// Counts applied changes.
    pub generation: u64,
    /// Equal digest, equal decisions.
    pub digest: u64,
    /// Number of pools.
    pub pools: u32,
    /// Number of ghosts.
    pub ghosts: u32,
    /// Number of servers.
    pub servers: u32,
    /// Number of counters.
    pub counters: u32,
    /// Number of devices.
    pub devices: u32,
    /// Whether it answers ARP and ND, as ANSWER has set it.
    pub answer: bool,
    /// The module's own version.
    pub version: Text<32>,
}

impl Info {
    /// Bytes of the structure.
    pub const SIZE: usize = 80;

    /// Checks a request, which is all zero.
    ///
    /// # Errors
    ///
    /// [`super::Cause::Padding`] if it is not.
    pub fn check(raw: &[u8; Self::SIZE]) -> Result<(), Invalid> {
        Reader::new(raw).zero::<{ Self::SIZE }>("info")
    }

    /// Reads a reply.
    ///
    /// # Errors
    ///
    /// A version that is no text.
    pub fn decode(raw: &[u8; Self::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        Ok(Self {
            abi: reader.u32()?,
            enabled: reader.u32()? != 0,
            generation: reader.u64()?,
            digest: reader.u64()?,
            pools: reader.u32()?,
            ghosts: reader.u32()?,
            servers: reader.u32()?,
            counters: reader.u32()?,
            devices: reader.u32()?,
            answer: reader.u32()? != 0,
            version: Text::decode("version", reader.bytes()?)?,
        })
    }

    /// Writes a reply.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.u32(self.abi);
        writer.u32(self.enabled.into());
        writer.u64(self.generation);
        writer.u64(self.digest);
        writer.u32(self.pools);
        writer.u32(self.ghosts);
        writer.u32(self.servers);
        writer.u32(self.counters);
        writer.u32(self.devices);
        writer.u32(self.answer.into());
        writer.bytes(self.version.bytes());
        raw
    }
}
