// SPDX-License-Identifier: GPL-2.0
//! Who calls this program.

use std::os::unix::process::parent_id;

/// The parent process as an actor, for example `watchd.sh(123)`.
pub fn parent() -> String {
    let pid = parent_id();
    match std::fs::read_to_string(format!("/proc/{pid}/comm")) {
        Ok(name) => format!("{}({pid})", name.trim_end()),
        Err(_) => format!("pid({pid})"),
    }
}
