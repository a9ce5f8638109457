// SPDX-License-Identifier: GPL-2.0
//! analyze, on logs, without the module.

mod figures;
mod logs;
mod run;
