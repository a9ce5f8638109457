// SPDX-License-Identifier: GPL-2.0

//! `/proc/sys/net/onehop/`. A new file is a line here; see Documentation/sysctl.md.

use crate::{
    ffi::sysctl::{File, Kind, Line, Table},
    state::Namespace,
    uapi::limits,
};
use core::fmt::Write;
use kernel::{prelude::*, sync::Arc};

static MAX_SECONDS: u32 = limits::MAX_SECONDS;

/// 32 MiB of records.
static MAX_TRACKED: u32 = 1 << 20;

const FILES: &[File<Namespace>] = &[
    File {
        name: c"enabled",
        kind: Kind::Number {
            field: |namespace| &namespace.enabled,
            max: 1,
        },
    },
    File {
        name: c"log_level",
        kind: Kind::Number {
            field: |namespace| &namespace.log_level,
            max: 1,
        },
    },
    File {
        name: c"transition_seconds",
        kind: Kind::Count {
            field: |namespace| &namespace.transition_seconds,
            max: &MAX_SECONDS,
        },
    },
    File {
        name: c"max_tracked_flows",
        kind: Kind::Count {
            field: |namespace| &namespace.max_tracked_flows,
            max: &MAX_TRACKED,
        },
    },
    File {
        name: c"generation",
        kind: Kind::Text(generation),
    },
    File {
        name: c"digest",
        kind: Kind::Text(digest),
    },
];

/// # Errors
///
/// `ENOMEM`.
pub(super) fn register(namespace: &Arc<Namespace>) -> Result<Table<Namespace>> {
    Table::new(namespace.net(), c"net/onehop", FILES, namespace.clone())
}

// A line holds 31 characters, more than these numbers have.

fn generation(namespace: &Namespace, line: &mut Line) {
    let _ = write!(line, "{}", namespace.generation());
}

fn digest(namespace: &Namespace, line: &mut Line) {
    let _ = write!(line, "{:016x}", namespace.digest());
}
