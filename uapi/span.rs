// SPDX-License-Identifier: GPL-2.0
//! How long a transition lasts, as the field `seconds` says it.

use super::invalid::{Cause, Expected, Invalid, Value};
use super::limits::{FOREVER, MAX_SECONDS};

/// How long connections stay where they began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Span {
    /// As `net.onehop.transition_seconds` says.
    #[default]
    Default,
    /// So many seconds: 1 to `ONEHOP_MAX_SECONDS`.
    Seconds(u32),
    /// Until a COMMIT.
    Forever,
}

impl Span {
    pub(super) fn decode(number: u32) -> Result<Self, Invalid> {
        match number {
            0 => Ok(Self::Default),
            1..=MAX_SECONDS => Ok(Self::Seconds(number)),
            FOREVER => Ok(Self::Forever),
            _ => Err(Invalid::new(
                Cause::Range,
                "seconds",
                Value::Number(number.into()),
                Expected::Is("from 0 (default) to 604800, or 4294967295 (until commit)"),
            )),
        }
    }

    /// The number on the wire.
    pub(super) fn number(self) -> u32 {
        match self {
            Self::Default => 0,
            Self::Seconds(seconds) => seconds,
            Self::Forever => FOREVER,
        }
    }
}
