// SPDX-License-Identifier: GPL-2.0

//! What holds of any bytes that are taken for neighbour discovery, as bytes/ipv4.rs.

use onehop_dispatch::client::Malformed;
use onehop_dispatch::ipv6;
use onehop_dispatch::nd::{resourced, Message};

/// Another source goes into what has a checksum to be mended, and nothing else changes.
pub fn survived(bytes: &[u8], source: [u8; 16]) {
    let mut touched = bytes.to_vec();
    let read = Message::parse(bytes);
    match resourced(&mut touched, source) {
        Ok(()) => {
            let at = ipv6::icmp(&touched).unwrap().unwrap();
            assert_eq!(&touched[8..24], source);
            assert_eq!(&touched[24..at + 2], &bytes[24..at + 2]);
            assert_eq!(&touched[at + 4..], &bytes[at + 4..]);
        }
        Err(Malformed) => {
            assert_eq!(read, None);
            assert_eq!(touched, bytes);
        }
    }
}
