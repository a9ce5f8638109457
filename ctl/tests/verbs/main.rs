// SPDX-License-Identifier: GPL-2.0
//! Each verb of the tool, run against a kernel in memory.

mod analyze;
mod apply;
mod arguments;
mod calls;
mod changes;
mod check;
mod drain;
mod facts;
mod fake;
mod file;
mod host;
mod identity;
mod lookup;
mod modes;
mod overrides;
mod plan;
mod queue;
mod reports;
mod roundtrip;
mod run;
mod show;
mod tables;
mod transitions;
