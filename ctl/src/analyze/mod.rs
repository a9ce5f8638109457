// SPDX-License-Identifier: GPL-2.0
//! What an access log says of a pool: how even the kinds are, who is heavy, which table would have
//! been even, and what that is worth later.
//!
//! One pass, in constant memory: loads by row and time ([`slices`]), from which the loads of all
//! functions with rows follow; counters of the heaviest ([`sketch`]).

mod client;
mod column;
pub(crate) mod compare;
pub mod fit;
mod garbage;
mod heavy;
mod holdout;
mod json;
pub mod line;
mod lines;
pub mod load;
pub(crate) mod log;
mod progress;
pub(crate) mod report;
mod seeds;
mod seen;
pub(crate) mod sketch;
mod slices;
pub(crate) mod subject;
pub(crate) mod svg;
pub(crate) mod tally;
mod text;
