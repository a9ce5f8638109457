// SPDX-License-Identifier: GPL-2.0

//! ARP messages.

#![no_main]

#[path = "../../dispatch/tests/bytes/arp.rs"]
mod bytes;

libfuzzer_sys::fuzz_target!(|raw: &[u8]| bytes::survived(raw));
