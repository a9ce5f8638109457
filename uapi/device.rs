// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_device`.

use core::fmt;

use super::invalid::{Cause, Expected, Invalid, Value};
use super::limits::DEVICE_LEN;
use super::name::{is_padded, padded, unpadded};
use super::wire::{Reader, Writer};

/// The name of a network device: 1 to 15 visible characters of ASCII, neither `/`
/// nor `:`, and neither `.` nor `..` as a whole.
///
/// The kernel takes bytes beyond ASCII too. They would have to be told to people
/// and machines in some encoding, and nothing names a device so.
///
/// # Invariants
///
/// Permitted characters, at least one, then NULs up to the end, at least one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceName([u8; DEVICE_LEN]);

impl DeviceName {
    /// Makes a name of a text.
    ///
    /// # Errors
    ///
    /// [`Cause::Name`] if no device can have this name.
    pub fn new(text: &str) -> Result<Self, Invalid> {
        let bytes = padded(text).ok_or_else(|| refuse(text.as_bytes()))?;
        Self::decode(bytes)
    }

    fn decode(bytes: [u8; DEVICE_LEN]) -> Result<Self, Invalid> {
        if is_padded(&bytes, permitted) && !matches!(unpadded(&bytes), b"." | b"..") {
            // INVARIANT: just tested.
            Ok(Self(bytes))
        } else {
            Err(refuse(unpadded(&bytes)))
        }
    }

    /// The name as it lies in a structure, and as the kernel keeps it.
    pub fn bytes(&self) -> &[u8; DEVICE_LEN] {
        &self.0
    }

    /// The name without its padding.
    pub fn as_str(&self) -> &str {
        // By the invariant the bytes are ASCII: the default is never taken.
        core::str::from_utf8(unpadded(&self.0)).unwrap_or_default()
    }
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

fn permitted(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'/' | b':')
}

fn refuse(bytes: &[u8]) -> Invalid {
    Invalid::new(
        Cause::Name,
        "name",
        Value::excerpt(bytes),
        Expected::Is("a device name: 1 to 15 visible characters of ASCII, neither / nor :"),
    )
}

/// A device on whose link the ghosts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// Unique in the image.
    pub name: DeviceName,
}

impl Device {
    /// Bytes of the structure.
    pub const SIZE: usize = 24;

    /// Reads a device of an image to be applied.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode(raw: &[u8; Self::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let name = DeviceName::decode(reader.bytes()?)?;
        reader.zero::<4>("ifindex")?;
        reader.zero::<4>("pad")?;
        Ok(Self { name })
    }

    /// Reads a device of a dump, and its index, or 0 if it is not there.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode_dumped(raw: &[u8; Self::SIZE]) -> Result<(DeviceName, u32), Invalid> {
        let mut reader = Reader::new(raw);
        let name = DeviceName::decode(reader.bytes()?)?;
        let ifindex = reader.u32()?;
        reader.zero::<4>("pad")?;
        Ok((name, ifindex))
    }

    /// Writes a device of an image to be applied.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        self.encode_dumped(0)
    }

    /// Writes a device of a dump.
    pub fn encode_dumped(&self, ifindex: u32) -> [u8; Self::SIZE] {
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.bytes(self.name.bytes());
        writer.u32(ifindex);
        raw
    }
}
