// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_dump`.

use core::fmt;

use super::change;
use super::invalid::Invalid;
use super::limits::MESSAGE_LEN;
use super::text::Message;
use super::wire::{Reader, Writer};

/// The request for the image as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dump {
    /// Pointer to room for it in the caller's memory.
    pub image: u64,
    /// Bytes of room.
    pub len: u32,
}

/// The reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dumped {
    /// Bytes used; or needed, when there was not enough room.
    pub len: u32,
    /// The generation of the image.
    pub generation: u64,
    /// Its digest.
    pub digest: u64,
}

impl Dump {
    /// Bytes of the structure.
    pub const SIZE: usize = 288;

    /// Reads a request.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode(raw: &[u8; Self::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let image = reader.u64()?;
        let len = reader.u32()?;
        reader.zero::<4>("pad")?;
        reader.zero::<8>("generation")?;
        reader.zero::<8>("digest")?;
        reader.zero::<MESSAGE_LEN>("message")?;
        Ok(Self { image, len })
    }

    /// Writes a request.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.u64(self.image);
        writer.u32(self.len);
        raw
    }

    /// Makes a request the reply to it.
    pub fn reply(raw: &mut [u8; Self::SIZE], dumped: &Dumped) {
        let mut writer = Writer::new(raw);
        writer.keep::<8>();
        writer.u32(dumped.len);
        writer.zero::<4>();
        writer.u64(dumped.generation);
        writer.u64(dumped.digest);
    }

    /// Says in a request why it is refused.
    pub fn refuse(raw: &mut [u8; Self::SIZE], why: impl fmt::Display) {
        change::encode_message(raw, why);
    }

    /// Reads the reply, of a call that succeeded or found too little room.
    ///
    /// # Errors
    ///
    /// None that the module's replies could cause.
    pub fn dumped(raw: &[u8; Self::SIZE]) -> Result<Dumped, Invalid> {
        let mut reader = Reader::new(raw);
        reader.skip::<8>()?;
        let len = reader.u32()?;
        reader.skip::<4>()?;
        Ok(Dumped {
            len,
            generation: reader.u64()?,
            digest: reader.u64()?,
        })
    }

    /// Reads the message of a call that failed.
    pub fn message(raw: &[u8; Self::SIZE]) -> Message {
        change::decode_message(raw)
    }
}
