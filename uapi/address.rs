// SPDX-License-Identifier: GPL-2.0
//! Addresses of both families: a byte that names the family, and 16 bytes.

use core::{fmt, net};

use super::invalid::{Cause, Expected, Invalid, Value};
use super::wire::{Reader, Writer};

/// An address, in network order. IPv4 sorts first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// IPv4.
    V4([u8; 4]),
    /// IPv6.
    V6([u8; 16]),
}

const FAMILIES: &[(&str, u8)] = &[("IPv4", 4), ("IPv6", 6)];

impl Address {
    /// Reads the 16 bytes of an address, whose family has been read. `rest` names
    /// what lies behind an IPv4 address, `unknown` is the mistake of another family.
    pub(super) fn decode(
        family: u8,
        reader: &mut Reader<'_>,
        rest: &'static str,
        unknown: Cause,
    ) -> Result<Self, Invalid> {
        match family {
            4 => {
                let address = reader.bytes()?;
                reader.zero::<12>(rest)?;
                Ok(Self::V4(address))
            }
            6 => Ok(Self::V6(reader.bytes()?)),
            _ => Err(Invalid::new(
                unknown,
                "family",
                Value::Number(family.into()),
                Expected::OneOf(FAMILIES),
            )),
        }
    }

    /// The byte that names the family.
    pub(super) fn family(&self) -> u8 {
        match self {
            Self::V4(_) => 4,
            Self::V6(_) => 6,
        }
    }

    /// Writes the 16 bytes.
    pub(super) fn encode(&self, writer: &mut Writer<'_>) {
        match self {
            Self::V4(address) => {
                writer.bytes(address);
                writer.zero::<12>();
            }
            Self::V6(address) => writer.bytes(address),
        }
    }

    /// Refuses an address that no host of a network can have: of IPv4 0.0.0.0/8,
    /// 127.0.0.0/8 and from 224.0.0.0 on (multicast, reserved, broadcast); of IPv6
    /// ::, ::1, what stands for IPv4 addresses, link-local, which names a host only
    /// together with a device, and multicast.
    pub(super) fn usable(self, field: &'static str) -> Result<(), Invalid> {
        let usable = match self {
            Self::V4([first, ..]) => !matches!(first, 0 | 127 | 224..),
            Self::V6([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 | 1]) => false,
            Self::V6([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ..]) => false,
            Self::V6([0xfe, 0x80..=0xbf, ..] | [0xff, ..]) => false,
            Self::V6(_) => true,
        };
        if usable {
            return Ok(());
        }
        Err(Invalid::new(
            Cause::AddressUnusable,
            field,
            Value::Address(self),
            Expected::Is("an address that a host can have on a network"),
        ))
    }
}

impl From<net::IpAddr> for Address {
    fn from(address: net::IpAddr) -> Self {
        match address {
            net::IpAddr::V4(address) => Self::V4(address.octets()),
            net::IpAddr::V6(address) => Self::V6(address.octets()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::V4(address) => fmt::Display::fmt(&net::Ipv4Addr::from(*address), f),
            Self::V6(address) => fmt::Display::fmt(&net::Ipv6Addr::from(*address), f),
        }
    }
}
