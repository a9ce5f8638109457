// SPDX-License-Identifier: GPL-2.0

//! The dispatch law: which server owns a client.
//!
//! The owner of a packet is a pure function of the client's address and the configuration. This
//! folder is that function, from the packet's bytes on; what holds while one function takes the
//! place of another; and the bytes of ARP and ND messages, which bring packets here in the first
//! place. Two builds share it: kbuild takes it in as a module
//! of onehop.ko, cargo as a crate for `onehopctl` and the tests, so that `onehopctl lookup` cannot
//! disagree with the datapath. It therefore names the `core` crate only, reaches siblings through
//! `super`, allocates nothing and has no reachable panic.
//!
//! `Documentation/dispatch.md` is the specification; where the two disagree, this code is wrong.

// kbuild sets no_std itself, and there this file is not a crate root.
#![cfg_attr(not(MODULE), no_std)]
#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![warn(
    clippy::cast_lossless,
    clippy::expect_used,
    clippy::float_arithmetic,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

pub mod addr;
pub mod arp;
pub mod bitmap;
pub mod chain;
pub mod claim;
pub mod client;
pub mod course;
pub mod digest;
pub mod flow;
pub mod function;
pub mod group;
pub mod hash;
pub mod ipv4;
pub mod ipv6;
pub mod log2;
pub mod modulo;
pub mod nd;
pub mod overrides;
pub mod prefix;
pub mod record;
pub mod refusal;
pub mod revision;
pub mod server;
pub mod siphash;
pub mod sketch;
pub mod transition;
