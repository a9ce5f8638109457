// SPDX-License-Identifier: GPL-2.0

//! What holds of any bytes that are taken for ARP, as bytes/ipv4.rs.

use onehop_dispatch::arp::{Message, LENGTH};

/// Those of IPv4 on Ethernet are read whole, and all others not at all.
pub fn survived(bytes: &[u8]) {
    match Message::parse(bytes) {
        // The one thing that is not kept: hardware type 6 counts as 1.
        Some(message) => {
            let mut expected = bytes[..LENGTH].to_vec();
            expected[1] = 1;
            assert_eq!(&message.encode()[..], expected);
        }
        None => {
            let known = |hardware, operation| [0, hardware, 8, 0, 6, 4, 0, operation];
            let all = [known(1, 1), known(1, 2), known(6, 1), known(6, 2)];
            let is_known = bytes.first_chunk().is_some_and(|head| all.contains(head));
            assert!(!is_known || bytes.len() < LENGTH);
        }
    }
}
