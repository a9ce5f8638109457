// SPDX-License-Identifier: GPL-2.0

//! What a server's sockets have a claim to.

mod segment;

use onehop_dispatch::claim::Socket;
use proptest::prelude::*;
use segment::{segment, ACK, FIN, RST, SYN};

#[test]
fn nothing_claims_nothing_and_a_connection_everything() {
    for flags in 0..=255 {
        let any = segment(7, 9, flags, 3);
        assert!(!Socket::None.claims(&any), "{flags:#x}");
        assert!(Socket::Full.claims(&any), "{flags:#x}");
    }
}

/// Which of two servers that have agreed to one SYN the client has heard.
#[test]
fn a_request_claims_what_acknowledges_it() {
    for isn in [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
        let request = Socket::Request { isn };
        let heard = isn.wrapping_add(1);
        for flags in [ACK, ACK | RST, ACK | FIN, ACK | SYN] {
            assert!(request.claims(&segment(7, heard, flags, 0)), "{isn}");
            for other in [isn, isn.wrapping_add(2), !heard] {
                assert!(!request.claims(&segment(7, other, flags, 0)), "{isn}");
            }
        }
        for flags in [0, RST, FIN, SYN] {
            assert!(!request.claims(&segment(7, heard, flags, 0)), "{isn}");
        }
    }
}

/// Two servers may have taken the data of one SYN: the client has heard one of them.
#[test]
fn one_that_opens_with_data_claims_what_acknowledges_it() {
    for una in [1, 0x7fff_ffff, 0xffff_fff0] {
        let next = 100u32.wrapping_add(una);
        let opening = Socket::Opening { una, next };
        for ahead in [0, 1, 99, 100] {
            let ack = una.wrapping_add(ahead);
            assert!(opening.claims(&segment(7, ack, ACK, 5)), "{una} {ahead}");
            assert!(!opening.claims(&segment(7, ack, RST, 0)), "{una} {ahead}");
        }
        for other in [una.wrapping_sub(1), next.wrapping_add(1), una ^ 0x4000_0000] {
            assert!(!opening.claims(&segment(7, other, ACK, 5)), "{una} {other}");
        }
        assert!(opening.claims_quoted());
    }
}

/// What is sent again of the old connection, and nothing of one that begins behind it.
#[test]
fn an_ended_connection_claims_what_is_before_its_end() {
    for end in [0u32, 5, 0x8000_0000, u32::MAX] {
        let waits = Socket::TimeWait { rcv_nxt: end };
        let claims = |seq: u32, flags, data| waits.claims(&segment(seq, 1, flags, data));
        assert!(claims(end.wrapping_sub(1), ACK | FIN, 0), "the FIN");
        assert!(claims(end.wrapping_sub(11), ACK | FIN, 10), "data and FIN");
        assert!(claims(end.wrapping_sub(11), ACK, 10), "data before the FIN");
        assert!(claims(end, ACK, 0), "the acknowledgement of ours");
        assert!(claims(end.wrapping_sub(1 << 17), ACK, 0), "a window before");
        assert!(!claims(end.wrapping_sub((1 << 17) + 1), ACK, 0));
        assert!(!claims(end, ACK | FIN, 0), "one more");
        for further in [1, 65_537, 1 << 20, 1 << 31] {
            let seq = end.wrapping_add(further);
            assert!(
                !claims(seq, ACK | FIN, 0) && !claims(seq, ACK, 1),
                "{further}"
            );
        }
    }
}

#[test]
fn any_socket_claims_an_error() {
    assert!(!Socket::None.claims_quoted());
    for socket in [
        Socket::Full,
        Socket::Request { isn: 1 },
        Socket::TimeWait { rcv_nxt: 1 },
    ] {
        assert!(socket.claims_quoted());
    }
}

proptest! {
    /// At most one of the servers that answered a SYN claims what the client says next.
    #[test]
    fn two_requests_are_told_apart(isns: (u32, u32), seq: u32, ack: u32, flags: u8) {
        let said = segment(seq, ack, flags, 0);
        let claims = |isn| Socket::Request { isn }.claims(&said);
        prop_assert!(isns.0 == isns.1 || !(claims(isns.0) && claims(isns.1)));
    }
}
