// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_answer`.

use core::fmt;

use super::change::{self, Author};
use super::invalid::{Cause, Expected, Invalid, Value};
use super::limits::MESSAGE_LEN;
use super::text::Message;
use super::wire::{Reader, Writer};

/// The request to answer ARP and ND for ghosts, or to leave off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether this host shall answer.
    pub answer: bool,
    /// Who wants it, and why.
    pub author: Author,
}

const STATES: &[(&str, u8)] = &[("off", 0), ("on", 1)];

/// Whether `number` is off or on.
pub(super) fn state(number: u32) -> Result<bool, Invalid> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Invalid::new(
            Cause::Enumeration,
            "answer",
            Value::Number(number.into()),
            Expected::OneOf(STATES),
        )),
    }
}

impl Answer {
    /// Bytes of the structure.
    pub const SIZE: usize = 360;

    /// Reads a request.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode(raw: &[u8; Self::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let answer = state(reader.u32()?)?;
        reader.zero::<4>("changed")?;
        let author = Author::decode(&mut reader)?;
        reader.zero::<MESSAGE_LEN>("message")?;
        Ok(Self { answer, author })
    }

    /// Writes a request.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.u32(self.answer.into());
        writer.zero::<4>();
        self.author.encode(&mut writer);
        raw
    }

    /// Makes a request the reply to it. `changed`: whether it was otherwise before.
    pub fn reply(raw: &mut [u8; Self::SIZE], changed: bool) {
        let mut writer = Writer::new(raw);
        writer.keep::<4>();
        writer.u32(changed.into());
    }

    /// Says in a request why it is refused.
    pub fn refuse(raw: &mut [u8; Self::SIZE], why: impl fmt::Display) {
        change::encode_message(raw, why);
    }

    /// Reads the reply of a call that succeeded: whether it was otherwise before.
    ///
    /// # Errors
    ///
    /// None that the module's replies could cause.
    pub fn changed(raw: &[u8; Self::SIZE]) -> Result<bool, Invalid> {
        let mut reader = Reader::new(raw);
        reader.skip::<4>()?;
        Ok(reader.u32()? != 0)
    }

    /// Reads the message of a call that failed.
    pub fn message(raw: &[u8; Self::SIZE]) -> Message {
        change::decode_message(raw)
    }
}
