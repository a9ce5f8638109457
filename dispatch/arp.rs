// SPDX-License-Identifier: GPL-2.0

//! ARP for IPv4 on Ethernet (RFC 826), as far as ghosts are concerned.

/// An IPv4 address in network byte order.
type Bytes = [u8; 4];

/// An Ethernet address.
type Link = [u8; 6];

/// Length of a message, in bytes. Ethernet may have padded the frame behind it.
pub const LENGTH: usize = 28;

/// Where in a message the sender's IPv4 address is.
pub const SENDER_OFFSET: usize = 14;

/// What a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Asks for the target's link address.
    Request,
    /// Tells the sender's link address.
    Reply,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it is for.
    pub operation: Operation,
    /// The sender's link address.
    pub sender_link: Link,
    /// The sender's address.
    pub sender: Bytes,
    /// The target's link address; nothing in a request.
    pub target_link: Link,
    /// The target's address.
    pub target: Bytes,
}

impl Message {
    /// Reads a message from the start of `bytes`. None if they are no request or reply about IPv4
    /// on Ethernet.
    ///
    /// Its hardware type may be 6 (IEEE 802) as well as 1: Linux answers both, so a guard that did
    /// not know 6 would have a way around it.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (&[0, 1 | 6, 8, 0, 6, 4, 0, operation], rest) = bytes.split_first_chunk()? else {
            return None;
        };
        let operation = match operation {
            1 => Operation::Request,
            2 => Operation::Reply,
            _ => return None,
        };
        let (&sender_link, rest) = rest.split_first_chunk()?;
        let (&sender, rest) = rest.split_first_chunk()?;
        let (&target_link, rest) = rest.split_first_chunk()?;
        let &target = rest.first_chunk()?;
        Some(Self {
            operation,
            sender_link,
            sender,
            target_link,
            target,
        })
    }

    /// The message's bytes.
    pub const fn encode(&self) -> [u8; LENGTH] {
        let operation = match self.operation {
            Operation::Request => 1,
            Operation::Reply => 2,
        };
        let [l0, l1, l2, l3, l4, l5] = self.sender_link;
        let [s0, s1, s2, s3] = self.sender;
        let [m0, m1, m2, m3, m4, m5] = self.target_link;
        let [t0, t1, t2, t3] = self.target;
        [
            0, 1, 8, 0, 6, 4, 0, operation, l0, l1, l2, l3, l4, l5, s0, s1, s2, s3, m0, m1, m2, m3,
            m4, m5, t0, t1, t2, t3,
        ]
    }

    /// Whether the sender has no address yet: it wants to know whether the target is taken
    /// (RFC 5227).
    pub const fn is_probe(&self) -> bool {
        matches!(self.sender, [0, 0, 0, 0])
    }

    /// Whether the message tells all hosts where its sender is, unasked.
    pub fn is_gratuitous(&self) -> bool {
        self.sender == self.target
    }

    /// The answer to this request: its target is at `link`.
    pub const fn reply(&self, link: Link) -> Self {
        Self {
            operation: Operation::Reply,
            sender_link: link,
            sender: self.target,
            target_link: self.sender_link,
            target: self.sender,
        }
    }

    /// Tells all hosts that `address` is at `link`.
    ///
    /// A request, not a reply: a host that has an entry takes either, but some take only this
    /// (RFC 5227, section 3).
    pub const fn announcement(address: Bytes, link: Link) -> Self {
        Self {
            operation: Operation::Request,
            sender_link: link,
            sender: address,
            target_link: [0; 6],
            target: address,
        }
    }
}
