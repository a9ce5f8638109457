// SPDX-License-Identifier: GPL-2.0

//! ARP: bytes to messages and back, and the messages we send.

#[path = "bytes/arp.rs"]
mod bytes;

use bytes::survived;
use onehop_dispatch::arp::{Message, Operation, LENGTH, SENDER_OFFSET};
use proptest::prelude::*;

const GHOST: [u8; 4] = [192, 0, 2, 80];
const HOST: [u8; 4] = [192, 0, 2, 7];
const OURS: [u8; 6] = [0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee];
const THEIRS: [u8; 6] = [0x02, 1, 2, 3, 4, 5];

/// HOST asks for GHOST.
const REQUEST: [u8; LENGTH] = [
    0, 1, 8, 0, 6, 4, 0, 1, 0x02, 1, 2, 3, 4, 5, 192, 0, 2, 7, 0, 0, 0, 0, 0, 0, 192, 0, 2, 80,
];

fn request() -> Message {
    Message {
        operation: Operation::Request,
        sender_link: THEIRS,
        sender: HOST,
        target_link: [0; 6],
        target: GHOST,
    }
}

#[test]
fn a_request_is_read() {
    assert_eq!(Message::parse(&REQUEST), Some(request()));
    let padded = [&REQUEST[..], &[0xff; 18]].concat();
    assert_eq!(Message::parse(&padded), Some(request()));
    assert_eq!(request().encode(), REQUEST);
    assert_eq!(REQUEST[SENDER_OFFSET..SENDER_OFFSET + 4], HOST);
    for length in 0..LENGTH {
        assert_eq!(Message::parse(&REQUEST[..length]), None, "{length}");
    }
}

/// Each byte that says what the rest means, with each value.
#[test]
fn other_messages_are_not() {
    for at in 0..8 {
        for value in 0..=255 {
            let mut bytes = REQUEST;
            bytes[at] = value;
            let expected = match (at, value) {
                (1, 6) => Some(request()),
                (7, 2) => Some(Message {
                    operation: Operation::Reply,
                    ..request()
                }),
                _ if bytes == REQUEST => Some(request()),
                _ => None,
            };
            assert_eq!(Message::parse(&bytes), expected, "byte {at}: {value}");
        }
    }
}

#[test]
fn a_reply() {
    let expected = Message {
        operation: Operation::Reply,
        sender_link: OURS,
        sender: GHOST,
        target_link: THEIRS,
        target: HOST,
    };
    assert_eq!(request().reply(OURS), expected);
    assert!(!expected.is_gratuitous() && !expected.is_probe());
}

#[test]
fn an_announcement() {
    let announcement = Message::announcement(GHOST, OURS);
    assert!(announcement.is_gratuitous() && !announcement.is_probe());
    assert_eq!(
        announcement.encode(),
        [
            0, 1, 8, 0, 6, 4, 0, 1, 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 192, 0, 2, 80, 0, 0, 0, 0,
            0, 0, 192, 0, 2, 80,
        ]
    );
}

#[test]
fn a_probe() {
    let from = |sender| Message {
        sender,
        ..request()
    };
    assert!(from([0; 4]).is_probe());
    for sender in [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], HOST] {
        assert!(!from(sender).is_probe(), "{sender:?}");
    }
    assert!(!request().is_gratuitous());
}

proptest! {
    #[test]
    fn bytes_and_back(
        bytes in prop::collection::vec(any::<u8>(), 0..60), looks_right: bool, reply: bool
    ) {
        let mut bytes = bytes;
        if looks_right && bytes.len() >= 8 {
            bytes[..8].copy_from_slice(&[0, 1, 8, 0, 6, 4, 0, 1 + u8::from(reply)]);
        }
        survived(&bytes);
    }
}
