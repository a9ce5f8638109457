// SPDX-License-Identifier: GPL-2.0

//! Why a call fails: an errno for the program, a sentence for its user.

use crate::uapi::Invalid;
use core::fmt;
use kernel::prelude::*;

/// Why a call fails.
pub(super) enum Refusal {
    /// The caller asks for something that cannot be.
    Invalid(Invalid),
    /// The system cannot do it now.
    System(Error),
}

impl Refusal {
    pub(super) fn error(&self) -> Error {
        match self {
            Self::Invalid(invalid) => Error::from_errno(-invalid.errno()),
            Self::System(error) => *error,
        }
    }
}

impl From<Invalid> for Refusal {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

impl<E: Into<Error>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::System(error.into())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(invalid) => invalid.fmt(f),
            Self::System(error) if *error == ENOMEM => {
                f.write_str("no memory; the old state stands")
            }
            Self::System(error) if *error == EINTR => {
                f.write_str("interrupted before the change was made; the old state stands")
            }
            Self::System(error) if *error == EBUSY => {
                f.write_str("routes change too fast to be read; the old state stands: try again")
            }
            Self::System(error) if *error == EFAULT => {
                f.write_str("image is not in memory that the caller may use")
            }
            Self::System(error) => write!(f, "error {}; the old state stands", -error.to_errno()),
        }
    }
}
