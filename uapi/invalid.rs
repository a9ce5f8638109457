// SPDX-License-Identifier: GPL-2.0
//! What was wrong with a request, in one sentence and one number.

use core::fmt;

use super::address::Address;
use super::name::{unpadded, Name};
use super::prefix::Prefix;

/// Why a request, an image or a text is refused.
///
/// Displayed it is one sentence that names the field, the value in quotes and
/// what was expected, for example
/// `server 3 "s1": weight "0" must be from 1 to 1000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// What kind of mistake it is.
    pub cause: Cause,
    /// Where in the image it is.
    pub place: Place,
    /// The name of what is there, if it has one.
    pub name: Option<Name>,
    /// The field.
    pub field: &'static str,
    /// Its value.
    pub value: Value,
    /// What the value has to be.
    pub expected: Expected,
}

/// The kinds of mistakes, each with its own error number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// An unknown flag.
    Flag,
    /// Padding, or an `[out]` field of a request, that is not zero.
    Padding,
    /// A value outside its enumeration.
    Enumeration,
    /// A number outside its range.
    Range,
    /// A name or text that is too long or has a forbidden character.
    Name,
    /// A length that is not what the contents need.
    Length,
    /// Another version of the interface.
    Abi,
    /// A name or an id that stands twice.
    Duplicate,
    /// An address that is taken.
    AddressInUse,
    /// An address that no host can have.
    AddressUnusable,
    /// A server lacks an address that it needs.
    NoAddress,
    /// A device is needed, and none is named.
    NoDevice,
    /// An address family that is not served.
    Family,
    /// The generation has moved on.
    Stale,
    /// More than there may be.
    TooMany,
    /// There is no such pool or server.
    Missing,
    /// The caller's buffer is too small.
    Space,
    /// There is no memory for the check.
    Memory,
    /// Not until an older function is retired.
    Busy,
}

impl Cause {
    /// The Linux error number, positive.
    pub fn errno(self) -> i32 {
        match self {
            Self::Missing => 2,
            Self::TooMany => 7,
            Self::Memory => 12,
            Self::Busy => 16,
            Self::Duplicate => 17,
            Self::NoDevice => 19,
            Self::Flag | Self::Padding | Self::Enumeration => 22,
            Self::Space => 28,
            Self::Range => 34,
            Self::Abi => 71,
            Self::Name => 74,
            Self::NoAddress => 89,
            Self::Length => 90,
            Self::Family => 97,
            Self::AddressInUse => 98,
            Self::AddressUnusable => 99,
            Self::Stale => 116,
        }
    }
}

/// Where a mistake is. Records are counted from 0, each kind on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the fields of the call itself.
    Call,
    /// In the image as a whole.
    Image,
    /// In a pool.
    Pool(u32),
    /// In a ghost.
    Ghost(u32),
    /// In a server.
    Server(u32),
    /// In a device.
    Device(u32),
    /// In an override.
    Override(u32),
    /// In a row of a pool's table, counted from 0 in each.
    Row(u32),
    /// In an older function.
    Older(u32),
    /// In what stands: a server that is leaving.
    Leaving,
}

/// The value that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// There is none to show.
    None,
    /// A number.
    Number(u64),
    /// An address.
    Address(Address),
    /// An address and a number of bits of it.
    Prefix(Address, u8),
    /// A text, NUL padded; the end of a long one is replaced by dots.
    Excerpt([u8; 31]),
}

impl Value {
    pub(super) fn excerpt(text: &[u8]) -> Self {
        let mut excerpt = [0; 31];
        for (to, from) in excerpt.iter_mut().zip(text) {
            *to = *from;
        }
        if text.len() > excerpt.len() {
            if let Some(end) = excerpt.last_chunk_mut() {
                *end = *b"...";
            }
        }
        Self::Excerpt(excerpt)
    }
}

/// What a value has to be, as it stands behind "must be".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Said in words.
    Is(&'static str),
    /// One number only.
    Number(u64),
    /// This prefix, which has nothing behind its bits.
    Prefix(Prefix),
    /// One of an enumeration.
    OneOf(&'static [(&'static str, u8)]),
    /// Said in words, and possible in so many seconds; none: after a COMMIT.
    Later(&'static str, Option<u32>),
}

impl Invalid {
    pub(super) fn new(cause: Cause, field: &'static str, value: Value, expected: Expected) -> Self {
        Self {
            cause,
            place: Place::Call,
            name: None,
            field,
            value,
            expected,
        }
    }

    pub(super) fn at(self, place: Place) -> Self {
        Self { place, ..self }
    }

    pub(super) fn named(self, name: Name) -> Self {
        let name = Some(name);
        Self { name, ..self }
    }

    /// The generation that the caller expected is not the one that stands.
    pub fn stale(expected: u64, stands: u64) -> Self {
        let value = Value::Number(expected);
        Self::new(Cause::Stale, "generation", value, Expected::Number(stands))
    }

    /// No pool has this name.
    pub fn no_pool(name: Name) -> Self {
        let value = Value::excerpt(name.as_str().as_bytes());
        let expected = Expected::Is("the name of an existing pool");
        Self::new(Cause::Missing, "pool", value, expected)
    }

    /// No server of the pool has this name.
    pub fn no_server(name: Name) -> Self {
        let value = Value::excerpt(name.as_str().as_bytes());
        let expected = Expected::Is("the name of an existing server of the pool");
        Self::new(Cause::Missing, "server", value, expected)
    }

    /// ARP and ND are to be answered, and no device says where.
    pub fn no_device() -> Self {
        let expected = Expected::Is("off until a device is named (onehopctl device add)");
        Self::new(Cause::NoDevice, "answer", Value::excerpt(b"on"), expected)
    }

    /// The caller's buffer does not hold what it asks for.
    pub fn no_space(len: u32, needed: u32) -> Self {
        let value = Value::Number(len.into());
        let expected = Expected::Number(needed.into());
        Self::new(Cause::Space, "len", value, expected)
    }

    /// A pool has as many functions as it can have. `seconds`: until one is retired.
    pub fn queue_full(pool: Name, seconds: Option<u64>) -> Self {
        let value = Value::excerpt(pool.as_str().as_bytes());
        let expected = later("rid of one of its 8 functions first", seconds);
        Self::new(Cause::Busy, "pool", value, expected)
    }

    /// A pool is to note connections, some of which have begun. `seconds`: until they are over.
    pub fn in_transition(pool: Name, seconds: Option<u64>) -> Self {
        let value = Value::excerpt(pool.as_str().as_bytes());
        let expected = later("out of its transition before it gets method track", seconds);
        Self::new(Cause::Busy, "pool", value, expected)
    }

    /// The id is that of a server which is leaving. `seconds`: until it is gone.
    pub fn leaving(id: u16, server: Name, seconds: Option<u64>) -> Self {
        let value = Value::Number(id.into());
        let expected = later("given to no other server", seconds);
        let invalid = Self::new(Cause::Busy, "id", value, expected);
        invalid.at(Place::Leaving).named(server)
    }

    /// A server that is leaving is to be set otherwise than down.
    pub fn is_leaving(server: Name) -> Self {
        let value = Value::excerpt(server.as_str().as_bytes());
        let expected = Expected::Is("one that is not leaving; only its health can be set, to down");
        Self::new(Cause::Busy, "server", value, expected)
    }

    /// The Linux error number, positive.
    pub fn errno(&self) -> i32 {
        self.cause.errno()
    }
}

fn later(words: &'static str, seconds: Option<u64>) -> Expected {
    let seconds = seconds.map(|seconds| u32::try_from(seconds).unwrap_or(u32::MAX));
    Expected::Later(words, seconds)
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Call => {}
            Place::Image => f.write_str("image: ")?,
            Place::Pool(index) => subject(f, "pool", index, self.name)?,
            Place::Ghost(index) => subject(f, "ghost", index, self.name)?,
            Place::Server(index) => subject(f, "server", index, self.name)?,
            Place::Device(index) => subject(f, "device", index, self.name)?,
            Place::Override(index) => part(f, "override", index, self.name)?,
            Place::Row(index) => part(f, "row", index, self.name)?,
            Place::Older(index) => subject(f, "older function", index, self.name)?,
            Place::Leaving => {
                if let Some(name) = self.name {
                    write!(f, "leaving server \"{name}\": ")?;
                }
            }
        }
        write!(f, "{}{} must be {}", self.field, self.value, self.expected)
    }
}

fn subject(f: &mut fmt::Formatter<'_>, noun: &str, index: u32, name: Option<Name>) -> fmt::Result {
    match name {
        Some(name) => write!(f, "{noun} {index} \"{name}\": "),
        None => write!(f, "{noun} {index}: "),
    }
}

/// A part of a pool that has no name of its own.
fn part(f: &mut fmt::Formatter<'_>, noun: &str, index: u32, pool: Option<Name>) -> fmt::Result {
    match pool {
        Some(pool) => write!(f, "{noun} {index} of pool \"{pool}\": "),
        None => write!(f, "{noun} {index}: "),
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Number(number) => write!(f, " \"{number}\""),
            Self::Address(address) => write!(f, " \"{address}\""),
            Self::Prefix(address, bits) => write!(f, " \"{address}/{bits}\""),
            Self::Excerpt(text) => write!(f, " \"{}\"", unpadded(text).escape_ascii()),
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(words) => f.write_str(words),
            Self::Number(number) => write!(f, "{number}"),
            Self::Prefix(prefix) => write!(f, "{prefix}, with zeros behind its bits"),
            Self::OneOf(names) => {
                for (place, (name, number)) in names.iter().enumerate() {
                    let or = if place > 0 { " or " } else { "" };
                    write!(f, "{or}{number} ({name})")?;
                }
                Ok(())
            }
            Self::Later(words, Some(seconds)) => {
                write!(f, "{words}; retry in {seconds} s, or commit")
            }
            Self::Later(words, None) => write!(f, "{words}; commit, as nothing else ends it"),
        }
    }
}
