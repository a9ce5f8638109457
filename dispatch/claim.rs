// SPDX-License-Identifier: GPL-2.0

//! Whether a server's own socket says that a segment is its.
//!
//! Where the module runs on the servers nobody has to remember connections: the kernel does. In a
//! transition a server keeps a segment of an older connection if it has a claim to it, and all
//! others are silent where they would have sent a reset.

use super::flow::Segment;

/// How far before the end of a connection a segment may end and still be of it: what a client sends
/// once more, because the last acknowledgement was lost.
const AGAIN: u32 = 1 << 17;

/// What a server has of exactly a segment's addresses and ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Socket {
    /// Nothing.
    None,
    /// A connection.
    Full,
    /// One that began with data in its SYN, and waits for the client's word as a request does. It may
    /// have sent data already.
    Opening {
        /// The first sequence number that is not acknowledged, behind its SYN.
        una: u32,
        /// The sequence number behind all that it has sent.
        next: u32,
    },
    /// A connection that it has agreed to, and waits for the client's word.
    Request {
        /// The sequence number of its SYN.
        isn: u32,
    },
    /// What is left of a connection that both have ended.
    TimeWait {
        /// The sequence number behind the client's FIN.
        rcv_nxt: u32,
    },
}

impl Socket {
    /// Whether a segment, which does not open a connection, is the socket's.
    ///
    /// Two servers may have agreed to one SYN; which of them the client has heard is in its
    /// acknowledgement. A client may use its port again, for a connection to another server, while
    /// the first waits: what that connection sends begins behind the end of the old one (RFC 6191),
    /// or, from another host behind the same address, anywhere.
    #[inline]
    pub const fn claims(&self, segment: &Segment) -> bool {
        match *self {
            Self::None => false,
            Self::Full => true,
            Self::Opening { una, next } => {
                segment.acknowledges() && segment.ack.wrapping_sub(una) <= next.wrapping_sub(una)
            }
            Self::Request { isn } => segment.acknowledges() && segment.ack == isn.wrapping_add(1),
            Self::TimeWait { rcv_nxt } => rcv_nxt.wrapping_sub(segment.end) <= AGAIN,
        }
    }

    /// Whether an ICMP error about a segment with these addresses and ports is the socket's. Errors
    /// tell neither end's progress, so any socket will do; the stack looks closer.
    #[inline]
    pub const fn claims_quoted(&self) -> bool {
        !matches!(self, Self::None)
    }
}
