// SPDX-License-Identifier: GPL-2.0
//! The configuration file, `onehop.conf(5)`.

mod explicit;
mod nearest;
mod node;
mod read;
mod save;

pub use read::parse;
pub use save::save;
