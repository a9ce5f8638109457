// SPDX-License-Identifier: GPL-2.0
//! Names of pools and servers.

use core::fmt;

use super::invalid::{Cause, Expected, Invalid, Value};
use super::limits::NAME_LEN;

/// A name: 1 to 31 characters of `A-Z a-z 0-9 . _ -`.
///
/// Few characters, so that a name needs no quoting in a shell, a file name, a
/// log line or a tab-separated column.
///
/// # Invariants
///
/// Permitted characters, at least one, then NULs up to the end, at least one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name([u8; NAME_LEN]);

const EXPECTED: Expected = Expected::Is("1 to 31 characters of A-Z a-z 0-9 . _ -");

impl Name {
    /// Makes a name of a text.
    ///
    /// # Errors
    ///
    /// [`Cause::Name`] if the text is empty, too long or has another character.
    pub fn new(field: &'static str, text: &str) -> Result<Self, Invalid> {
        let bytes = padded(text).ok_or_else(|| refuse(field, text.as_bytes()))?;
        Self::decode(field, bytes)
    }

    pub(super) fn decode(field: &'static str, bytes: [u8; NAME_LEN]) -> Result<Self, Invalid> {
        if is_padded(&bytes, permitted) {
            // INVARIANT: just tested.
            Ok(Self(bytes))
        } else {
            Err(refuse(field, unpadded(&bytes)))
        }
    }

    /// Like [`Name::decode`], where a name may also be absent: all zero.
    pub(super) fn decode_optional(
        field: &'static str,
        bytes: [u8; NAME_LEN],
    ) -> Result<Option<Self>, Invalid> {
        if bytes == [0; NAME_LEN] {
            Ok(None)
        } else {
            Self::decode(field, bytes).map(Some)
        }
    }

    /// The name as it lies in a structure.
    pub fn bytes(&self) -> &[u8; NAME_LEN] {
        &self.0
    }

    /// The name without its padding.
    pub fn as_str(&self) -> &str {
        // By the invariant the bytes are ASCII: the default is never taken.
        core::str::from_utf8(unpadded(&self.0)).unwrap_or_default()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

fn permitted(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
}

/// A text with NULs up to the end, at least one; none if it is too long or has one itself.
pub(super) fn padded<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let head = bytes.get_mut(..text.len())?;
    head.copy_from_slice(text.as_bytes());
    (!text.as_bytes().contains(&0)).then_some(bytes)
}

/// Whether bytes are permitted ones, at least one, then NULs up to the end, at least one.
pub(super) fn is_padded(bytes: &[u8], permitted: fn(u8) -> bool) -> bool {
    let (head, tail) = bytes.split_at_checked(used(bytes)).unwrap_or_default();
    !head.is_empty()
        && head.iter().all(|&byte| permitted(byte))
        && !tail.is_empty()
        && tail.iter().all(|&byte| byte == 0)
}

/// The number of bytes in front of the first NUL.
pub(super) fn used(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(bytes.len())
}

/// The bytes without the NULs at their end.
pub(super) fn unpadded(bytes: &[u8]) -> &[u8] {
    let end = bytes
        .iter()
        .rposition(|&byte| byte != 0)
        .map_or(0, |last| last.saturating_add(1));
    bytes.get(..end).unwrap_or_default()
}

fn refuse(field: &'static str, bytes: &[u8]) -> Invalid {
    Invalid::new(Cause::Name, field, Value::excerpt(bytes), EXPECTED)
}
