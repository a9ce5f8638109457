// SPDX-License-Identifier: GPL-2.0
//! Each verb of the tool, run against a kernel in memory.

mod apply;
mod changes;
mod fake;
mod file;
mod identity;
mod lookup;
mod reports;
mod run;
mod show;
