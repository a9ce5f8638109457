// SPDX-License-Identifier: GPL-2.0
//! What the servers are given at this moment, and by whom.
//!
//! The module counts packets and bytes by server; who the heavy clients are it does not know.
//! They are sampled from outside, by a packet socket that lets one frame in many through
//! ([`sample`]): a sketch in the module would cost every packet for a question that is asked now
//! and then, and would have to be sized, guarded against floods, and kept in the interface.

pub mod board;
pub mod keys;
pub mod sample;
pub mod screen;
