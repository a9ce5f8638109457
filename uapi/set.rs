// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_set`.

use core::fmt;

use super::change::{self, Author, Condition, Outcome, ALL_FLAGS};
use super::enums::{Admin, Health};
use super::invalid::{Cause, Expected, Invalid, Value};
use super::name::Name;
use super::text::Message;
use super::wire::{Reader, Writer};

/// One of the two states of a server, to be set (`enum onehop_field`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// `ONEHOP_FIELD_ADMIN`.
    Admin(Admin),
    /// `ONEHOP_FIELD_HEALTH`.
    Health(Health),
}

const FIELDS: &[(&str, u8)] = &[("admin", 1), ("health", 2)];

/// The request to change a state of one server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    /// The server's pool.
    pub pool: Name,
    /// The server.
    pub server: Name,
    /// The state that it shall have.
    pub state: State,
    /// When to do it, and how.
    pub condition: Condition,
    /// Who wants it, and why.
    pub author: Author,
}

impl Set {
    /// Bytes of the structure.
    pub const SIZE: usize = 464;

    /// Reads a request.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode(raw: &[u8; Self::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let pool = Name::decode("pool", reader.bytes()?)?;
        let server = Name::decode("server", reader.bytes()?)?;
        let field = reader.u8()?;
        let value = reader.u8()?;
        let state = match field {
            1 => State::Admin(Admin::decode(value)?),
            2 => State::Health(Health::decode(value)?),
            _ => {
                return Err(Invalid::new(
                    Cause::Enumeration,
                    "field",
                    Value::Number(field.into()),
                    Expected::OneOf(FIELDS),
                ))
            }
        };
        reader.zero::<2>("pad")?;
        let (condition, author) = change::decode_request(&mut reader, ALL_FLAGS, "pad2")?;
        Ok(Self {
            pool,
            server,
            state,
            condition,
            author,
        })
    }

    /// Writes a request.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let (field, value) = match self.state {
            State::Admin(admin) => (1, admin.number()),
            State::Health(health) => (2, health.number()),
        };
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.bytes(self.pool.bytes());
        writer.bytes(self.server.bytes());
        writer.u8(field);
        writer.u8(value);
        writer.zero::<2>();
        change::encode_request(&mut writer, &self.condition, &self.author);
        raw
    }

    /// Makes a request the reply to it.
    pub fn reply(raw: &mut [u8; Self::SIZE], outcome: &Outcome) {
        let mut writer = Writer::new(raw);
        writer.keep::<68>();
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
        reader.skip::<68>()?;
        change::decode_reply(&mut reader)
    }

    /// Reads the message of a call that failed.
    pub fn message(raw: &[u8; Self::SIZE]) -> Message {
        change::decode_message(raw)
    }
}
