// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_pool`.

use super::enums::{Kind, Method, Mode, Policy, Shape};
use super::invalid::{Cause, Expected, Invalid, Value};
use super::limits::{MAX_ROWS, MIN_ROWS};
use super::name::Name;
use super::wire::{Reader, Writer};

/// A pool, as the operator wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool {
    /// Unique in the image.
    pub name: Name,
    /// How packets come to the servers.
    pub mode: Mode,
    /// How frames come to all servers: with mode broadcast, and only there.
    pub shape: Option<Shape>,
    /// How connections are told that began before a change: with mode router, and only there.
    pub method: Option<Method>,
    /// The rule that names the owner.
    pub kind: Kind,
    /// What happens when no server lives.
    pub policy: Policy,
    /// Bits of an IPv4 client address that count.
    pub prefix4: u8,
    /// Bits of an IPv6 client address that count.
    pub prefix6: u8,
    /// Rows of the hash; 0 for kind `mod`.
    pub rows: u32,
    /// Key of the hash; zero for kind `mod`.
    pub seed: [u8; 16],
}

impl Pool {
    /// Bytes of the structure.
    pub const SIZE: usize = 72;

    /// Do servers send packets on to each other?
    #[inline]
    pub fn has_peers(&self) -> bool {
        self.mode == Mode::Peer || self.method == Some(Method::Chance)
    }

    /// Reads a pool of an image to be applied.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode(raw: &[u8; Self::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let tracked = |reader: &mut Reader<'_>| reader.zero::<4>("tracked");
        let (pool, ()) = Self::fields(&mut reader, tracked)?;
        reader
            .zero::<8>("digest")
            .map_err(|invalid| invalid.named(pool.name))?;
        Ok(pool)
    }

    /// Reads a pool of a dump, the digest of its newest function and the number of
    /// connections that are noted.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode_dumped(raw: &[u8; Self::SIZE]) -> Result<(Self, u64, u32), Invalid> {
        let mut reader = Reader::new(raw);
        let (pool, tracked) = Self::fields(&mut reader, Reader::u32)?;
        Ok((pool, reader.u64()?, tracked))
    }

    /// How long its table is, read without any check; 0 without kind `table`.
    pub(super) fn table_rows(raw: &[u8; Self::SIZE]) -> Result<u32, Invalid> {
        let mut reader = Reader::new(raw);
        reader.skip::<33>()?;
        let kind = reader.u8()?;
        reader.skip::<6>()?;
        let rows = reader.u32()?;
        Ok(if kind == Kind::Table.number() {
            rows
        } else {
            0
        })
    }

    /// Writes a pool of an image to be applied.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        self.encode_dumped(0, 0)
    }

    /// Writes a pool of a dump.
    pub fn encode_dumped(&self, digest: u64, tracked: u32) -> [u8; Self::SIZE] {
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.bytes(self.name.bytes());
        writer.u8(self.mode.number());
        writer.u8(self.kind.number());
        writer.u8(self.policy.number());
        writer.u8(self.prefix4);
        writer.u8(self.prefix6);
        writer.u8(self.shape.map_or(0, Shape::number));
        writer.u8(self.method.map_or(0, Method::number));
        writer.zero::<1>();
        writer.u32(self.rows);
        writer.u32(tracked);
        writer.bytes(&self.seed);
        writer.u64(digest);
        raw
    }

    /// Reads what lies in front of the digest. `tracked` reads the one `[out]` field there.
    fn fields<'a, T>(
        reader: &mut Reader<'a>,
        tracked: fn(&mut Reader<'a>) -> Result<T, Invalid>,
    ) -> Result<(Self, T), Invalid> {
        let name = Name::decode("name", reader.bytes()?)?;
        Self::rest(name, reader, tracked).map_err(|invalid| invalid.named(name))
    }

    fn rest<'a, T>(
        name: Name,
        reader: &mut Reader<'a>,
        tracked: fn(&mut Reader<'a>) -> Result<T, Invalid>,
    ) -> Result<(Self, T), Invalid> {
        let mode = Mode::decode(reader.u8()?)?;
        let kind = Kind::decode(reader.u8()?)?;
        let policy = Policy::decode(reader.u8()?)?;
        let prefix4 = reader.u8()?;
        let prefix6 = reader.u8()?;
        let shape = shape(mode, reader.u8()?)?;
        let method = method(mode, reader.u8()?)?;
        reader.zero::<1>("pad")?;
        let rows = reader.u32()?;
        let tracked = tracked(reader)?;
        let seed = reader.bytes()?;
        let pool = Self {
            name,
            mode,
            shape,
            method,
            kind,
            policy,
            prefix4,
            prefix6,
            rows,
            seed,
        };
        pool.ranges()?;
        Ok((pool, tracked))
    }

    fn ranges(&self) -> Result<(), Invalid> {
        let refuse = |field, value, words| {
            let value = Value::Number(value);
            Err(Invalid::new(
                Cause::Range,
                field,
                value,
                Expected::Is(words),
            ))
        };
        if (self.mode, self.policy) == (Mode::Broadcast, Policy::Reject) {
            // Every server would answer.
            return refuse(
                "policy",
                self.policy.number().into(),
                "1 (drop) with mode broadcast",
            );
        }
        if !(1..=32).contains(&self.prefix4) {
            return refuse("prefix4", self.prefix4.into(), "from 1 to 32");
        }
        if !(1..=128).contains(&self.prefix6) {
            return refuse("prefix6", self.prefix6.into(), "from 1 to 128");
        }
        match self.kind {
            Kind::Hash | Kind::Table => {
                if !(MIN_ROWS..=MAX_ROWS).contains(&self.rows) || !self.rows.is_power_of_two() {
                    let words = if self.kind == Kind::Hash {
                        "a power of two from 256 to 65536 with kind hash"
                    } else {
                        "a power of two from 256 to 65536 with kind table"
                    };
                    return refuse("rows", self.rows.into(), words);
                }
            }
            Kind::Mod => {
                if self.rows != 0 {
                    return refuse("rows", self.rows.into(), "0 with kind mod");
                }
                if let Some(&byte) = self.seed.iter().find(|&&byte| byte != 0) {
                    let value = Value::Number(byte.into());
                    let expected = Expected::Is("zero in every byte with kind mod");
                    return Err(Invalid::new(Cause::Padding, "seed", value, expected));
                }
            }
        }
        Ok(())
    }
}

fn shape(mode: Mode, number: u8) -> Result<Option<Shape>, Invalid> {
    match (mode, number) {
        (Mode::Broadcast, _) => Shape::decode(number).map(Some),
        (_, 0) => Ok(None),
        _ => Err(foreign("shape", number, "0 without mode broadcast")),
    }
}

fn method(mode: Mode, number: u8) -> Result<Option<Method>, Invalid> {
    match (mode, number) {
        (Mode::Router, _) => Method::decode(number).map(Some),
        (_, 0) => Ok(None),
        _ => Err(foreign("method", number, "0 without mode router")),
    }
}

/// A field that the mode has no use for.
fn foreign(field: &'static str, number: u8, words: &'static str) -> Invalid {
    let value = Value::Number(number.into());
    Invalid::new(Cause::Enumeration, field, value, Expected::Is(words))
}
