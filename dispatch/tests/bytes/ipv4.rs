// SPDX-License-Identifier: GPL-2.0

//! What holds of any bytes that are taken for an IPv4 packet: for those that proptest draws, and for
//! those that fuzz/ finds.

#![allow(dead_code, reason = "each test binary uses a part of this")]

use onehop_dispatch::addr::Address;
use onehop_dispatch::client::Client;
use onehop_dispatch::flow::Flow;
use onehop_dispatch::ipv4::{
    client, destination, icmp_error, is_client, Header, CLIENT_BYTES, FLOW_BYTES,
};

/// Whose packet they are: somebody named in them, and nothing is read beyond what is announced.
pub fn survived(bytes: &[u8]) {
    let ghost = bytes.last_chunk().copied().unwrap_or([192, 0, 2, 80]);
    if let Client::Is(Address::V4(address)) = client(bytes, ghost) {
        assert!(is_client(address) && address != ghost);
        assert!(bytes.windows(4).any(|window| window == address));
    }
    let seen = &bytes[..bytes.len().min(CLIENT_BYTES)];
    assert_eq!(client(seen, ghost), client(bytes, ghost));
    if let Ok(header) = Header::parse(bytes) {
        assert_eq!(destination(bytes), Some(header.destination));
    }
    assert_eq!(destination(bytes).is_some(), bytes.len() >= 20);
    let _ = icmp_error(bytes);
}

/// What they are in a connection: none is read beyond what is announced, and less is never another
/// answer.
pub fn flow_survived(bytes: &[u8], length: u32) {
    let Ok(header) = Header::parse(bytes) else {
        return;
    };
    let flow = header.flow(bytes, length);
    let seen = header.flow_bytes();
    assert!(seen <= FLOW_BYTES);
    let seen = &bytes[..seen.clamp(20, bytes.len())];
    assert_eq!(header.flow(seen, length), flow);
    assert!(flow == Flow::Other || matches!(header.protocol, 1 | 6));
    for less in 0..bytes.len() {
        let part = header.flow(&bytes[..less], length);
        assert!(part == flow || part == Flow::Other);
    }
}
