// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_apply`.

use core::fmt;

use super::change::{self, Author, Condition, Outcome, ALL_FLAGS};
use super::invalid::{Cause, Expected, Invalid, Value};
use super::limits::MAX_IMAGE;
use super::text::Message;
use super::wire::{Reader, Writer};

/// The request to make an image the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apply {
    /// Pointer to the image in the caller's memory.
    pub image: u64,
    /// Bytes of the image.
    pub len: u32,
    /// When to do it, and how.
    pub condition: Condition,
    /// Who wants it, and why.
    pub author: Author,
}

impl Apply {
    /// Bytes of the structure.
    pub const SIZE: usize = 408;

    /// Reads a request.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode(raw: &[u8; Self::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let image = reader.u64()?;
        let len = reader.u32()?;
        let (condition, author) = change::decode_request(&mut reader, ALL_FLAGS, "pad")?;
        if len > MAX_IMAGE {
            return Err(Invalid::new(
                Cause::TooMany,
                "len",
                Value::Number(len.into()),
                Expected::Is("at most 16777216 bytes"),
            ));
        }
        Ok(Self {
            image,
            len,
            condition,
            author,
        })
    }

    /// Writes a request.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.u64(self.image);
        writer.u32(self.len);
        change::encode_request(&mut writer, &self.condition, &self.author);
        raw
    }

    /// Makes a request the reply to it.
    pub fn reply(raw: &mut [u8; Self::SIZE], outcome: &Outcome) {
        let mut writer = Writer::new(raw);
        writer.keep::<12>();
        change::encode_reply(&mut writer, outcome);
    }

    /// Says in a request why it is refused.
    pub fn refuse(raw: &mut [u8; Self::SIZE], why: impl fmt::Display) {
        change::encode_message(raw, why);
    }

    /// Reads the reply of a call that succeeded.
    ///
    /// # Errors
    ///
    /// None that the module's replies could cause.
    pub fn outcome(raw: &[u8; Self::SIZE]) -> Result<Outcome, Invalid> {
        let mut reader = Reader::new(raw);
        reader.skip::<12>()?;
        change::decode_reply(&mut reader)
    }

    /// Reads the message of a call that failed.
    pub fn message(raw: &[u8; Self::SIZE]) -> Message {
        change::decode_message(raw)
    }
}
