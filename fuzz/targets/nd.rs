// SPDX-License-Identifier: GPL-2.0

//! Neighbour discovery: packets, and another source put into them.

#![no_main]

#[path = "../../dispatch/tests/bytes/nd.rs"]
mod bytes;

libfuzzer_sys::fuzz_target!(|raw: &[u8]| {
    let source = raw.last_chunk().copied().unwrap_or_default();
    bytes::survived(raw, source);
});
