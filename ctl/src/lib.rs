// SPDX-License-Identifier: GPL-2.0
//! `onehopctl` controls onehop, through `/dev/onehop`.
//!
//! A library, so that tests can run each verb against a kernel of their own.
//! The kernel is behind one trait, [`Kernel`]; [`Device`] is the real one and
//! the only place with `unsafe` code.

pub mod analyze;
pub mod caller;
mod change;
mod check;
pub mod clock;
mod cmd;
pub mod config;
mod context;
mod diff;
mod door;
mod error;
mod forecast;
mod how;
mod kernel;
mod model;
pub mod offline;
mod pick;
mod replay;
mod report;
mod router;
mod seed;
mod state;
mod style;
mod system;
mod table;
mod top;
mod value;

pub use cmd::run;
pub use context::Context;
pub use door::Device;
pub use error::Error;
pub use kernel::Kernel;
pub use system::{Ran, System, ThisHost};
