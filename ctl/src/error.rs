// SPDX-License-Identifier: GPL-2.0
//! Why a verb did not do what it was asked to.

use std::fmt;
use std::io;

use onehop_uapi::{Cause, Invalid};

/// One line for the user, and the exit code that goes with it.
#[derive(Debug, PartialEq, Eq)]
pub enum Error {
    /// The request is refused. Exit code 1.
    Refused(String),
    /// The generation has moved on: refused, but worth another try.
    Stale(String),
    /// The module or its device is not there. Exit code 3.
    Absent(String),
    /// Nobody reads the output any more: no reason to go on, nor to complain.
    Closed,
}

impl Error {
    /// Refuses a request.
    pub fn refused(why: impl Into<String>) -> Self {
        Self::Refused(why.into())
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::Refused(_) | Self::Stale(_) => 1,
            Self::Absent(_) => 3,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) | Self::Stale(why) | Self::Absent(why) => f.write_str(why),
            Self::Closed => f.write_str("the output is closed"),
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Refused(error.to_string()),
        }
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        io::Error::from(error).into()
    }
}

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        match invalid.cause {
            Cause::Stale => Self::Stale(invalid.to_string()),
            _ => Self::Refused(invalid.to_string()),
        }
    }
}
