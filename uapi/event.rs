// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_event`.

use super::answer;
use super::change::Author;
use super::enums::{Admin, Health, Reach};
use super::invalid::{Cause, Expected, Invalid, Value};
use super::name::Name;
use super::wire::{Reader, Writer};

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, ns since 1970.
    pub time: u64,
    /// The generation after it.
    pub generation: u64,
    /// What.
    pub what: What,
    /// To a server of which pool.
    pub pool: Option<Name>,
    /// To which server.
    pub server: Option<Name>,
    /// Who made it happen, and why.
    pub author: Author,
}

/// What happened (`enum onehop_event_type` and its value).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// An image was applied.
    Applied,
    /// A server's admin state changed.
    Admin(Admin),
    /// A server's health changed.
    Health(Health),
    /// A server is reached in another way.
    Reach(Reach),
    /// This reader was too slow for so many events.
    Lost(u32),
    /// Answering of ARP and ND was turned on or off.
    Answer(bool),
    /// A transition of a pool, which now has so many functions.
    Begun(u32),
    /// A function is about to be retired that still carries so many connections.
    Ending(u32),
    /// A function was retired; the pool now has so many.
    Retired(u32),
    /// So many connections are noted; there is no room for more.
    TrackFull(u32),
    /// A timed drain of a server is over.
    Drained,
}

const TYPES: &[(&str, u8)] = &[
    ("applied", 1),
    ("admin", 2),
    ("health", 3),
    ("reach", 4),
    ("lost", 5),
    ("answer", 6),
    ("begun", 7),
    ("ending", 8),
    ("retired", 9),
    ("track_full", 10),
    ("drained", 11),
];

impl What {
    fn decode(number: u32, value: u32) -> Result<Self, Invalid> {
        // No enumeration has a value this large.
        let state = u8::try_from(value).unwrap_or(u8::MAX);
        match number {
            1 => Ok(Self::Applied),
            2 => Admin::decode(state).map(Self::Admin),
            3 => Health::decode(state).map(Self::Health),
            4 => Reach::decode(state).map(Self::Reach),
            5 => Ok(Self::Lost(value)),
            6 => answer::state(value).map(Self::Answer),
            7 => Ok(Self::Begun(value)),
            8 => Ok(Self::Ending(value)),
            9 => Ok(Self::Retired(value)),
            10 => Ok(Self::TrackFull(value)),
            11 => Ok(Self::Drained),
            _ => Err(Invalid::new(
                Cause::Enumeration,
                "type",
                Value::Number(number.into()),
                Expected::OneOf(TYPES),
            )),
        }
    }

    fn numbers(self) -> (u32, u32) {
        match self {
            Self::Applied => (1, 0),
            Self::Admin(admin) => (2, admin.number().into()),
            Self::Health(health) => (3, health.number().into()),
            Self::Reach(reach) => (4, reach.number().into()),
            Self::Lost(count) => (5, count),
            Self::Answer(answer) => (6, answer.into()),
            Self::Begun(functions) => (7, functions),
            Self::Ending(flows) => (8, flows),
            Self::Retired(functions) => (9, functions),
            Self::TrackFull(flows) => (10, flows),
            Self::Drained => (11, 0),
        }
    }
}

impl Event {
    /// Bytes of the structure.
    pub const SIZE: usize = 184;

    /// Reads an event.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode(raw: &[u8; Self::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let time = reader.u64()?;
        let generation = reader.u64()?;
        let number = reader.u32()?;
        let value = reader.u32()?;
        Ok(Self {
            time,
            generation,
            what: What::decode(number, value)?,
            pool: Name::decode_optional("pool", reader.bytes()?)?,
            server: Name::decode_optional("server", reader.bytes()?)?,
            author: Author::decode(&mut reader)?,
        })
    }

    /// Writes an event.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let (number, value) = self.what.numbers();
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.u64(self.time);
        writer.u64(self.generation);
        writer.u32(number);
        writer.u32(value);
        for name in [self.pool, self.server] {
            match name {
                Some(name) => writer.bytes(name.bytes()),
                None => writer.zero::<32>(),
            }
        }
        self.author.encode(&mut writer);
        raw
    }
}
