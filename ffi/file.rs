// SPDX-License-Identifier: GPL-2.0

//! What an open file was opened with.

use super::bindings;
use kernel::{fs::Kiocb, types::ForeignOwnable};

/// Has the reader asked not to wait (`O_NONBLOCK`)?
pub(crate) fn is_nonblocking<T: ForeignOwnable>(kiocb: &Kiocb<'_, T>) -> bool {
    // SAFETY: A kiocb names an open file while the operation on it lasts.
    let flags = unsafe { (*(*kiocb.as_raw()).ki_filp).f_flags };
    flags & bindings::O_NONBLOCK != 0
}
