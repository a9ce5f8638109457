// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_lookup`.

use core::fmt;

use super::address::Address;
use super::change;
use super::enums::{Rule, Verdict};
use super::invalid::{Cause, Invalid};
use super::limits::{MAX_FUNCTIONS, MESSAGE_LEN, NO_SERVER, RUNNERS_UP};
use super::name::Name;
use super::text::Message;
use super::wire::{Reader, Writer};

/// The request for the owner of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// In this pool.
    pub pool: Name,
    /// Of this client.
    pub client: Address,
}

/// The reply. Servers are named by their id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The generation that was asked.
    pub generation: u64,
    /// The client's row, if a row named the owner; else 0.
    pub row: u32,
    /// Who serves the client.
    pub owner: Option<u16>,
    /// How the owner came to be one.
    pub verdict: Verdict,
    /// What named the owner; where nobody lives, what the pool's kind would ask.
    pub rule: Rule,
    /// Bits of the override's prefix, if one named the owner; else 0.
    pub bits: u8,
    /// Who would take over, in order.
    pub runners_up: [Option<u16>; RUNNERS_UP],
    /// Who serves it by older functions, if it is somebody else, the newer first.
    pub older: [Option<u16>; MAX_FUNCTIONS - 1],
    /// Who gets what is no TCP.
    pub oldest: Option<u16>,
}

impl Lookup {
    /// Bytes of the structure.
    pub const SIZE: usize = 352;

    /// Reads a request.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode(raw: &[u8; Self::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let pool = Name::decode("pool", reader.bytes()?)?;
        let family = reader.u8()?;
        reader.zero::<1>("bits")?;
        reader.zero::<6>("pad")?;
        let rest = "client, behind its first four bytes,";
        let client = Address::decode(family, &mut reader, rest, Cause::Enumeration)?;
        reader.zero::<8>("generation")?;
        reader.zero::<4>("row")?;
        reader.zero::<2>("owner")?;
        reader.zero::<1>("verdict")?;
        reader.zero::<1>("rule")?;
        reader.zero::<8>("runners_up")?;
        reader.zero::<14>("older")?;
        reader.zero::<2>("oldest")?;
        reader.zero::<MESSAGE_LEN>("message")?;
        Ok(Self { pool, client })
    }

    /// Writes a request.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.bytes(self.pool.bytes());
        writer.u8(self.client.family());
        writer.zero::<7>();
        self.client.encode(&mut writer);
        raw
    }

    /// Makes a request the reply to it.
    pub fn reply(raw: &mut [u8; Self::SIZE], found: &Found) {
        let mut writer = Writer::new(raw);
        writer.keep::<33>();
        writer.u8(found.bits);
        writer.keep::<22>();
        writer.u64(found.generation);
        writer.u32(found.row);
        writer.u16(found.owner.unwrap_or(NO_SERVER));
        writer.u8(found.verdict.number());
        writer.u8(found.rule.number());
        for server in found.runners_up.iter().chain(&found.older) {
            writer.u16(server.unwrap_or(NO_SERVER));
        }
        writer.u16(found.oldest.unwrap_or(NO_SERVER));
    }

    /// Says in a request why it is refused.
    pub fn refuse(raw: &mut [u8; Self::SIZE], why: impl fmt::Display) {
        change::encode_message(raw, why);
    }

    /// Reads the reply of a call that succeeded.
    ///
    /// # Errors
    ///
    /// A verdict or rule that this side does not know.
    pub fn found(raw: &[u8; Self::SIZE]) -> Result<Found, Invalid> {
        let mut reader = Reader::new(raw);
        reader.skip::<33>()?;
        let bits = reader.u8()?;
        reader.skip::<22>()?;
        let mut found = Found {
            generation: reader.u64()?,
            row: reader.u32()?,
            owner: server(reader.u16()?),
            verdict: Verdict::decode(reader.u8()?)?,
            rule: Rule::decode(reader.u8()?)?,
            bits,
            runners_up: [None; RUNNERS_UP],
            older: [None; MAX_FUNCTIONS - 1],
            oldest: None,
        };
        for other in found.runners_up.iter_mut().chain(&mut found.older) {
            *other = server(reader.u16()?);
        }
        found.oldest = server(reader.u16()?);
        Ok(found)
    }

    /// Reads the message of a call that failed.
    pub fn message(raw: &[u8; Self::SIZE]) -> Message {
        change::decode_message(raw)
    }
}

fn server(id: u16) -> Option<u16> {
    (id != NO_SERVER).then_some(id)
}
