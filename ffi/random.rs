// SPDX-License-Identifier: GPL-2.0

//! Random numbers.

use super::bindings;

/// A key that nobody outside this host can guess. Any context.
pub(crate) fn key() -> [u8; 16] {
    let mut key = [0; 16];
    // SAFETY: The bytes are ours.
    unsafe { bindings::get_random_bytes(key.as_mut_ptr().cast(), key.len()) };
    key
}
