// SPDX-License-Identifier: GPL-2.0
//! Free texts of a bounded length: who did it, why, and what was wrong.

use core::fmt;

use super::invalid::{Cause, Expected, Invalid, Value};
use super::limits::{MESSAGE_LEN, NAME_LEN, REASON_LEN};
use super::name::{unpadded, used};

/// A text in `N` bytes: UTF-8, then NULs up to the end, at least one.
///
/// # Invariants
///
/// The bytes in front of the first NUL are UTF-8, fewer than `N`, and only NULs
/// follow them. One that was decoded or made by [`Text::new`] is printable too.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Text<const N: usize>([u8; N]);

/// Who makes a change.
pub type Actor = Text<NAME_LEN>;
/// Why a change is made.
pub type Reason = Text<REASON_LEN>;
/// What was wrong with a request.
pub type Message = Text<MESSAGE_LEN>;

impl<const N: usize> Text<N> {
    /// No text.
    // INVARIANT: nothing in front of the first NUL.
    pub const EMPTY: Self = Self([0; N]);

    /// Makes a text.
    ///
    /// # Errors
    ///
    /// [`Cause::Name`] if it is too long or has a character that can not be printed.
    pub fn new(field: &'static str, text: &str) -> Result<Self, Invalid> {
        let mut bytes = [0; N];
        match bytes.get_mut(..text.len()) {
            Some(head) => head.copy_from_slice(text.as_bytes()),
            None => return Err(refuse::<N>(field, text.as_bytes())),
        }
        if text.as_bytes().contains(&0) {
            return Err(refuse::<N>(field, text.as_bytes()));
        }
        Self::decode(field, bytes)
    }

    pub(super) fn decode(field: &'static str, bytes: [u8; N]) -> Result<Self, Invalid> {
        let (head, tail) = bytes.split_at_checked(used(&bytes)).unwrap_or_default();
        let text = core::str::from_utf8(head);
        let good = text.is_ok_and(|text| text.chars().all(printable))
            && !tail.is_empty()
            && tail.iter().all(|&byte| byte == 0);
        if good {
            // INVARIANT: just tested.
            Ok(Self(bytes))
        } else {
            Err(refuse::<N>(field, unpadded(&bytes)))
        }
    }

    /// The text as it lies in a structure.
    pub fn bytes(&self) -> &[u8; N] {
        &self.0
    }

    /// The text without its padding.
    pub fn as_str(&self) -> &str {
        let head = self.0.get(..used(&self.0)).unwrap_or_default();
        // By the invariant the bytes are UTF-8: the default is never taken.
        core::str::from_utf8(head).unwrap_or_default()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.as_str().is_empty()
    }

    /// What is to be displayed, as far as it fits.
    pub fn clipped(what: impl fmt::Display) -> Self {
        let mut text = Self::EMPTY;
        // The error says that it did not fit, which is what "as far as" allows.
        let _ = fmt::write(&mut text, format_args!("{what}"));
        text
    }
}

impl<const N: usize> fmt::Write for Text<N> {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        // The last NUL stays.
        let room = self
            .0
            .split_last_mut()
            .map_or(&mut [][..], |(_, room)| room);
        let start = used(room);
        let room = room.get_mut(start..).unwrap_or_default();
        let mut end = used(more.as_bytes()).min(room.len());
        while !more.is_char_boundary(end) {
            end = end.saturating_sub(1);
        }
        // INVARIANT: whole characters go in front of the NULs.
        for (to, from) in room.iter_mut().zip(more.bytes().take(end)) {
            *to = from;
        }
        if end == more.len() {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}

impl<const N: usize> Default for Text<N> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<const N: usize> fmt::Display for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl<const N: usize> fmt::Debug for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// Whether a terminal shows the character, where it stands and as what it is:
/// no control character, no line or paragraph break, no change of direction.
fn printable(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn refuse<const N: usize>(field: &'static str, bytes: &[u8]) -> Invalid {
    let expected = match N {
        NAME_LEN => "printable UTF-8 of at most 31 bytes",
        REASON_LEN => "printable UTF-8 of at most 63 bytes",
        _ => "printable UTF-8 of at most 255 bytes",
    };
    Invalid::new(
        Cause::Name,
        field,
        Value::excerpt(bytes),
        Expected::Is(expected),
    )
}
