// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_server`.

use super::address::Address;
use super::change::Author;
use super::enums::{Admin, Health, Reach};
use super::invalid::{Cause, Expected, Invalid, Value};
use super::limits::{MAX_SERVERS, MAX_WEIGHT, NAME_LEN, SERVER_LEAVING, SERVER_START_DOWN};
use super::name::Name;
use super::wire::{Reader, Writer};

/// A server, as the operator wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    /// Unique in its pool.
    pub name: Name,
    /// Index of the pool in the image.
    pub pool: u32,
    /// Unique in its pool.
    pub id: u16,
    /// Its part of the clients, relative to the other servers.
    pub weight: u16,
    /// What the operator wants of it.
    pub admin: Admin,
    /// Whether it begins with health down when it is new or re-addressed.
    pub start_down: bool,
    /// Primary IPv4 address, in network order; unique in its pool.
    pub address: Option<[u8; 4]>,
    /// Primary IPv6 address, likewise. A server has one of the two at least.
    pub address6: Option<[u8; 16]>,
}

/// What the module knows of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Whether it is wanted no more, and serves connections of older functions only.
    pub leaving: bool,
    /// What the watchdog has seen of it.
    pub health: Health,
    /// How the module reaches its IPv4 address, if it has one.
    pub reach: Option<Reach>,
    /// How the module reaches its IPv6 address, if it has one.
    pub reach6: Option<Reach>,
    /// The device that leads to its IPv4 address, or 0.
    pub ifindex: u32,
    /// The device that leads to its IPv6 address, or 0.
    pub ifindex6: u32,
    /// Seconds until a timed drain ends its connections; 0: there is none.
    pub drain_left: u32,
    /// Last change of admin or health, ns since 1970; 0: never.
    pub changed_at: u64,
    /// Packets handed over or kept.
    pub packets: u64,
    /// Their bytes, IP length.
    pub bytes: u64,
    /// Who made the last change, and why.
    pub author: Author,
}

/// What makes a server differ from others, read without any check. Zero: no address.
#[derive(Clone, Copy, Default)]
pub(super) struct Keys {
    pub(super) name: [u8; NAME_LEN],
    pub(super) pool: u32,
    pub(super) id: u16,
    pub(super) address: [u8; 4],
    pub(super) address6: [u8; 16],
}

impl Keys {
    pub(super) fn read(raw: &[u8; Server::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let name = reader.bytes()?;
        let pool = reader.u32()?;
        let id = reader.u16()?;
        reader.skip::<6>()?;
        Ok(Self {
            name,
            pool,
            id,
            address: reader.bytes()?,
            address6: reader.bytes()?,
        })
    }
}

impl Server {
    /// Bytes of the structure.
    pub const SIZE: usize = 200;

    /// Reads a server of an image to be applied.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode(raw: &[u8; Self::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let name = Name::decode("name", reader.bytes()?)?;
        let rest = |reader: &mut Reader<'_>| {
            let (mut server, _) = Self::wanted(name, reader, 0)?;
            reader.zero::<1>("health")?;
            reader.zero::<1>("pad")?;
            server.addresses(reader)?;
            reader.zero::<1>("reach")?;
            reader.zero::<1>("reach6")?;
            reader.zero::<2>("pad2")?;
            reader.zero::<4>("ifindex")?;
            reader.zero::<4>("ifindex6")?;
            reader.zero::<4>("drain_left")?;
            reader.zero::<8>("changed_at")?;
            reader.zero::<8>("packets")?;
            reader.zero::<8>("bytes")?;
            reader.zero::<32>("actor")?;
            reader.zero::<64>("reason")?;
            Ok(server)
        };
        rest(&mut reader).map_err(|invalid: Invalid| invalid.named(name))
    }

    /// Reads a server of a dump.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode_dumped(raw: &[u8; Self::SIZE]) -> Result<(Self, Status), Invalid> {
        let mut reader = Reader::new(raw);
        let name = Name::decode("name", reader.bytes()?)?;
        let rest = |reader: &mut Reader<'_>| {
            let (mut server, leaving) = Self::wanted(name, reader, SERVER_LEAVING)?;
            let health = Health::decode(reader.u8()?)?;
            reader.zero::<1>("pad")?;
            server.addresses(reader)?;
            let reach = reached(reader)?;
            let reach6 = reached(reader)?;
            reader.zero::<2>("pad2")?;
            let ifindex = reader.u32()?;
            let ifindex6 = reader.u32()?;
            let drain_left = reader.u32()?;
            let status = Status {
                leaving,
                health,
                reach,
                reach6,
                ifindex,
                ifindex6,
                drain_left,
                changed_at: reader.u64()?,
                packets: reader.u64()?,
                bytes: reader.u64()?,
                author: Author::decode(reader)?,
            };
            Ok((server, status))
        };
        rest(&mut reader).map_err(|invalid: Invalid| invalid.named(name))
    }

    /// Writes a server of an image to be applied.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        self.put(0, 0, &mut writer);
        raw
    }

    /// Writes a server of a dump.
    pub fn encode_dumped(&self, status: &Status) -> [u8; Self::SIZE] {
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        let leaving = if status.leaving { SERVER_LEAVING } else { 0 };
        self.put(leaving, status.health.number(), &mut writer);
        writer.u8(status.reach.map_or(0, Reach::number));
        writer.u8(status.reach6.map_or(0, Reach::number));
        writer.zero::<2>();
        writer.u32(status.ifindex);
        writer.u32(status.ifindex6);
        writer.u32(status.drain_left);
        writer.u64(status.changed_at);
        writer.u64(status.packets);
        writer.u64(status.bytes);
        status.author.encode(&mut writer);
        raw
    }

    /// Reads what lies between the name and the health, and whether the server is
    /// leaving, which `more`, the flags beside those of a request, may have. The
    /// addresses follow later.
    fn wanted(name: Name, reader: &mut Reader<'_>, more: u8) -> Result<(Self, bool), Invalid> {
        let pool = reader.u32()?;
        let id = reader.u16()?;
        if id >= MAX_SERVERS {
            return Err(Invalid::new(
                Cause::Range,
                "id",
                Value::Number(id.into()),
                Expected::Is("from 0 to 1023"),
            ));
        }
        let weight = reader.u16()?;
        if !(1..=MAX_WEIGHT).contains(&weight) {
            return Err(Invalid::new(
                Cause::Range,
                "weight",
                Value::Number(weight.into()),
                Expected::Is("from 1 to 1000"),
            ));
        }
        let admin = Admin::decode(reader.u8()?)?;
        let flags = reader.u8()?;
        if flags & !(SERVER_START_DOWN | more) != 0 {
            return Err(Invalid::new(
                Cause::Flag,
                "flags",
                Value::Number(flags.into()),
                Expected::Is("0 or 1 (start-down)"),
            ));
        }
        let server = Self {
            name,
            pool,
            id,
            weight,
            admin,
            start_down: flags & SERVER_START_DOWN != 0,
            address: None,
            address6: None,
        };
        Ok((server, flags & SERVER_LEAVING != 0))
    }

    fn addresses(&mut self, reader: &mut Reader<'_>) -> Result<(), Invalid> {
        self.address = Some(reader.bytes()?).filter(|address| *address != [0; 4]);
        self.address6 = Some(reader.bytes()?).filter(|address| *address != [0; 16]);
        if let Some(address) = self.address {
            Address::V4(address).usable("address")?;
        }
        if let Some(address) = self.address6 {
            Address::V6(address).usable("address6")?;
        }
        if self.address.is_none() && self.address6.is_none() {
            let expected = Expected::Is("given");
            let field = "address or address6";
            return Err(Invalid::new(Cause::NoAddress, field, Value::None, expected));
        }
        Ok(())
    }

    /// Writes what lies in front of the reach. `flags` come on top of its own.
    fn put(&self, flags: u8, health: u8, writer: &mut Writer<'_>) {
        writer.bytes(self.name.bytes());
        writer.u32(self.pool);
        writer.u16(self.id);
        writer.u16(self.weight);
        writer.u8(self.admin.number());
        let start_down = if self.start_down {
            SERVER_START_DOWN
        } else {
            0
        };
        writer.u8(start_down | flags);
        writer.u8(health);
        writer.zero::<1>();
        writer.bytes(&self.address.unwrap_or_default());
        writer.bytes(&self.address6.unwrap_or_default());
    }
}

/// Reads the reach of an address, if there is one.
fn reached(reader: &mut Reader<'_>) -> Result<Option<Reach>, Invalid> {
    match reader.u8()? {
        0 => Ok(None),
        number => Reach::decode(number).map(Some),
    }
}
