// SPDX-License-Identifier: GPL-2.0

//! The calling process, in long loops.

use super::bindings;
use kernel::prelude::*;

/// Lets others run between two pieces of a long computation. May sleep.
///
/// # Errors
///
/// `EINTR` if the calling process is being killed: the computation should be given up.
pub(crate) fn pause() -> Result {
    // SAFETY: Called from process context by the callers' contract; needs nothing else.
    unsafe { bindings::onehop_cond_resched() };
    // SAFETY: An FFI call that only looks at `current`.
    if unsafe { bindings::onehop_fatal_signal() } {
        return Err(EINTR);
    }
    Ok(())
}
