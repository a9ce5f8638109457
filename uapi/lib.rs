// SPDX-License-Identifier: GPL-2.0
//! The control interface of onehop, `onehop.h`, in Rust.
//!
//! Both sides of `/dev/onehop` use this source: the module compiles it in, the
//! tools link it. What one side writes the other can read, and a configuration
//! that `onehopctl` checks offline is checked by the code that the module runs.
//!
//! Every structure is read from and written to a byte array of its exact size;
//! nothing here is `repr(C)`, so there is no padding to leak and no cast. What a
//! decoder returns is valid: a [`Name`] has only the permitted characters, an
//! [`Admin`] is one of the three. Requests and replies are types of their own:
//! the decoder of a request refuses dirty padding and any `[out]` field that is
//! not zero.
//!
//! Only the `core` crate is used: no allocation, no `unsafe`, no panic.

#![cfg_attr(not(MODULE), no_std)]
// The module uses one half of each structure, the tools the other.
#![cfg_attr(MODULE, allow(dead_code, unreachable_pub, unused_imports))]

mod address;
mod answer;
mod apply;
mod change;
pub mod check;
mod counter;
mod device;
mod dump;
mod enums;
mod event;
mod ghost;
mod header;
mod image;
mod info;
mod invalid;
pub mod ioctl;
pub mod limits;
mod lookup;
mod name;
mod older;
mod overrides;
mod pool;
mod prefix;
mod server;
mod set;
mod sort;
mod span;
mod stats;
mod table;
mod text;
mod transition;
mod wire;

pub use self::address::Address;
pub use self::answer::Answer;
pub use self::apply::Apply;
pub use self::change::{Author, Condition, Outcome};
pub use self::counter::Counter;
pub use self::device::{Device, DeviceName};
pub use self::dump::{Dump, Dumped};
pub use self::enums::{Admin, Health, Kind, Method, Mode, Policy, Reach, Rule, Shape, Verdict};
pub use self::event::{Event, What};
pub use self::ghost::Ghost;
pub use self::header::Header;
pub use self::image::{Image, Snapshot};
pub use self::info::Info;
pub use self::invalid::{Cause, Expected, Invalid, Place, Value};
pub use self::lookup::{Found, Lookup};
pub use self::name::Name;
pub use self::older::Older;
pub use self::overrides::Override;
pub use self::pool::Pool;
pub use self::prefix::Prefix;
pub use self::server::{Server, Status};
pub use self::set::{Set, State};
pub use self::sort::sort;
pub use self::span::Span;
pub use self::stats::Stats;
pub use self::table::Table;
pub use self::text::{Actor, Message, Reason, Text};
pub use self::transition::{Transition, Verb};
