// SPDX-License-Identifier: GPL-2.0

//! What a packet says of the connection it belongs to.
//!
//! Nobody looks here while a pool has one function: then addresses are enough. Only in a transition
//! it matters whether a packet opens a connection or continues one. What cannot be told is
//! [`Flow::Other`], never an error: it has an owner all the same.

use super::addr::Address;
use super::siphash::Keyed;

pub(super) const TCP: u8 = 6;

/// How many bytes of a TCP header are read.
pub(super) const SEGMENT_BYTES: usize = 14;

/// How many bytes of a quoted TCP header are read: errors need not quote more than eight.
pub(super) const PORTS_BYTES: usize = 4;

const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const ACK: u8 = 0x10;

/// The ports of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ports {
    /// At the client's end.
    pub client: u16,
    /// At the ghost's.
    pub ghost: u16,
}

/// A TCP segment to a ghost, or the first fragment of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its connection's ports.
    pub ports: Ports,
    /// The sequence number it begins with.
    pub seq: u32,
    /// What it acknowledges, if it [does](Self::acknowledges).
    pub ack: u32,
    /// The sequence number behind it, as TCP counts data, SYN and FIN. Of a first fragment: behind
    /// what is in that.
    pub end: u32,
    flags: u8,
    fragment: bool,
}

impl Segment {
    /// Reads a segment of `length` bytes from the start of its header; the rest need not be there.
    /// None if that is no TCP header.
    #[inline]
    pub(super) fn parse(bytes: &[u8], length: u32, fragment: bool) -> Option<Self> {
        let &[c0, c1, g0, g1, s0, s1, s2, s3, a0, a1, a2, a3, offset, flags] =
            bytes.first_chunk::<SEGMENT_BYTES>()?;
        let header = u32::from(offset >> 4) * 4;
        if header < 20 {
            return None;
        }
        let data = length.checked_sub(header)?;
        let seq = u32::from_be_bytes([s0, s1, s2, s3]);
        let counted = u32::from(flags & SYN != 0) + u32::from(flags & FIN != 0);
        Some(Self {
            ports: Ports {
                client: u16::from_be_bytes([c0, c1]),
                ghost: u16::from_be_bytes([g0, g1]),
            },
            seq,
            ack: u32::from_be_bytes([a0, a1, a2, a3]),
            end: seq.wrapping_add(data).wrapping_add(counted),
            flags,
            fragment,
        })
    }

    /// Whether it asks for a new connection: a SYN, and no ACK, RST or FIN.
    #[inline]
    pub const fn opens(&self) -> bool {
        self.flags & (SYN | ACK | RST | FIN) == SYN
    }

    /// Whether its acknowledgement counts.
    #[inline]
    pub const fn acknowledges(&self) -> bool {
        self.flags & ACK != 0
    }
}

/// What a packet is in its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// TCP with its header.
    Segment(Segment),
    /// TCP, but where the header was is in another fragment.
    LaterFragment,
    /// An ICMP error about a TCP segment of the ghost's.
    Quoted(Ports),
    /// Anything else: another protocol, or bytes that cannot be read.
    Other,
}

impl Flow {
    /// The ports of the connection, where they are known.
    #[inline]
    pub const fn ports(&self) -> Option<Ports> {
        match self {
            Self::Segment(segment) => Some(segment.ports),
            Self::Quoted(ports) => Some(*ports),
            Self::LaterFragment | Self::Other => None,
        }
    }

    /// Whether it is one of several fragments of a TCP segment.
    #[inline]
    pub const fn is_fragment(&self) -> bool {
        match self {
            Self::Segment(segment) => segment.fragment,
            Self::LaterFragment => true,
            Self::Quoted(_) | Self::Other => false,
        }
    }

    /// Whether its connection can be told, and from a packet that is all of a segment.
    #[inline]
    pub const fn is_whole(&self) -> bool {
        self.ports().is_some() && !self.is_fragment()
    }

    /// An error about the segment of the ghost's that `quote` begins with.
    #[inline]
    pub(super) fn quoting(quote: &[u8]) -> Option<Self> {
        let &[g0, g1, c0, c1] = quote.first_chunk::<PORTS_BYTES>()?;
        Some(Self::Quoted(Ports {
            client: u16::from_be_bytes([c0, c1]),
            ghost: u16::from_be_bytes([g0, g1]),
        }))
    }
}

/// A connection's addresses and ports in one number, by which a host remembers it. Never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag(u64);

impl Tag {
    /// The tag as a number.
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// Makes tags under a key of the host's own, so that nobody can choose connections that share one.
#[derive(Clone, Copy, Debug)]
pub struct Fingerprint(Keyed);

impl Fingerprint {
    /// Prepares for a key.
    pub const fn new(key: [u8; 16]) -> Self {
        Self(Keyed::new(key))
    }

    /// The tag of a connection.
    #[inline]
    pub fn tag(&self, ghost: Address, client: Address, ports: Ports) -> Tag {
        let ports = (u32::from(ports.ghost) << 16) | u32::from(ports.client);
        let hash = match (ghost, client) {
            (Address::V4(ghost), Address::V4(client)) => {
                let addresses = [u32::from_le_bytes(ghost), u32::from_le_bytes(client)];
                self.0.words([pair(addresses)], ports)
            }
            _ => {
                let ([a, b], [c, d]) = (wide(ghost), wide(client));
                self.0.words([a, b, c, d], ports)
            }
        };
        Tag(hash.max(1))
    }
}

#[inline]
const fn pair([low, high]: [u32; 2]) -> u64 {
    low as u64 | ((high as u64) << 32)
}

/// An address as two words.
#[inline]
const fn wide(address: Address) -> [u64; 2] {
    match address {
        Address::V4(bytes) => [u32::from_le_bytes(bytes) as u64, 0],
        Address::V6(bytes) => {
            let bits = u128::from_le_bytes(bytes);
            [bits as u64, (bits >> 64) as u64]
        }
    }
}
