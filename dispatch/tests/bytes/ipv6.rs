// SPDX-License-Identifier: GPL-2.0

//! What holds of any bytes that are taken for an IPv6 packet, as bytes/ipv4.rs.

#![allow(dead_code, reason = "each test binary uses a part of this")]

use onehop_dispatch::addr::Address;
use onehop_dispatch::client::Client;
use onehop_dispatch::flow::Flow;
use onehop_dispatch::ipv6::{
    client, destination, icmp, icmp_error, is_client, may_be_icmp, Header, CLIENT_BYTES, FLOW_BYTES,
};

/// Whose packet they are: somebody named in them, and nothing is read beyond what is announced.
pub fn survived(bytes: &[u8]) {
    let ghost = bytes.last_chunk().copied().unwrap_or([0x20; 16]);
    if let Client::Is(Address::V6(address)) = client(bytes, ghost) {
        assert!(is_client(address) && address != ghost);
        assert!(bytes.windows(16).any(|window| window == address));
    }
    let seen = &bytes[..bytes.len().min(CLIENT_BYTES)];
    assert_eq!(client(seen, ghost), client(bytes, ghost));
    assert_eq!(icmp(seen), icmp(bytes));
    if let Ok(Some(at)) = icmp(bytes) {
        assert!((40..=seen.len()).contains(&at));
    }
    if let Ok(header) = Header::parse(bytes) {
        assert_eq!(destination(bytes), Some(header.destination));
        assert_eq!(may_be_icmp(bytes), header.needs_more());
    }
    assert_eq!(destination(bytes).is_some(), bytes.len() >= 40);
    let _ = icmp_error(bytes);
}

/// What they are in a connection: less is never another answer.
pub fn flow_survived(bytes: &[u8], length: u32) {
    let Ok(header) = Header::parse(bytes) else {
        return;
    };
    assert!(header.flow_bytes() <= FLOW_BYTES);
    let flow = header.flow(bytes, length);
    for less in 40..bytes.len() {
        let part = header.flow(&bytes[..less], length);
        assert!(part == flow || part == Flow::Other);
    }
}
