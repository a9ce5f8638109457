// SPDX-License-Identifier: GPL-2.0

//! IPv4 packets: whose they are, what in a connection, and their owner.

#![no_main]

#[path = "../../dispatch/tests/bytes/ipv4.rs"]
mod bytes;
mod shared;

use onehop_dispatch::client::Client;
use onehop_dispatch::ipv4::{client, destination};

libfuzzer_sys::fuzz_target!(|raw: &[u8]| {
    bytes::survived(raw);
    bytes::flow_survived(raw, raw.len() as u32);
    let to = destination(raw).unwrap_or_default();
    if let Client::Is(address) = client(raw, to) {
        shared::owned(address);
    }
});
