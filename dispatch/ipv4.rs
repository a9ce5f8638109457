// SPDX-License-Identifier: GPL-2.0

//! IPv4 packets: from bytes to the client they belong to.
//!
//! The bytes come from the wire and may be anything. Nothing is read beyond what is given, and
//! nothing is believed but the addresses: checksums are for the server that owns the packet. Only
//! [`sound_length`] tests one, where the stack has not looked yet.

use super::{
    addr::Address,
    client::{Client, Malformed, NotOurs},
    flow::{Flow, Segment, PORTS_BYTES, SEGMENT_BYTES, TCP},
};

/// An IPv4 address in network byte order.
type Bytes = [u8; 4];

const ICMP: u8 = 1;
const ICMP_HEADER: usize = 8;

/// How many bytes from the start of a packet [`client`] may look at: a header with all options, an
/// ICMP header, and a quoted header without its options.
pub const CLIENT_BYTES: usize = 60 + ICMP_HEADER + 20;

/// How many [`Header::flow`] may look at: a header and an ICMP header as before, a quoted header
/// with all options, and the ports behind it.
pub const FLOW_BYTES: usize = 60 + ICMP_HEADER + 60 + PORTS_BYTES;

/// What onehop reads of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Source address.
    pub source: Bytes,
    /// Destination address.
    pub destination: Bytes,
    /// Number of the next protocol.
    pub protocol: u8,
    /// Time to live.
    pub ttl: u8,
    /// Whether routers must not fragment.
    pub dont_fragment: bool,
    /// Whether more fragments follow.
    pub more_fragments: bool,
    /// Where in the datagram this fragment begins, in units of 8 bytes.
    pub fragment_offset: u16,
    /// Length of the header with its options, in bytes: 20 to 60.
    pub header_len: u8,
}

/// The destination of a packet that begins with a header, if `bytes` reach as far: nothing else is
/// tested.
#[inline]
pub fn destination(bytes: &[u8]) -> Option<Bytes> {
    let &[.., d0, d1, d2, d3] = bytes.first_chunk::<20>()?;
    Some([d0, d1, d2, d3])
}

/// The length in bytes of a packet that begins with `bytes`, by its own word for it. None without a
/// header that the stack of the kernel takes as it is, with a checksum that is right; nor of one with
/// options, whose checksum takes longer to tell; nor where the word is 0, see [`Header::parse`].
#[inline(always)]
pub fn sound_length(bytes: &[u8]) -> Option<u32> {
    let header: &[u8; 20] = bytes.first_chunk()?;
    let &[0x45, _, l0, l1, ..] = header else {
        return None;
    };
    let (mut sum, mut rest) = (0, &header[..]);
    while let Some((word, behind)) = rest.split_first_chunk() {
        sum += u64::from(u32::from_ne_bytes(*word));
        rest = behind;
    }
    // A sum of 16-bit words in ones' complement is all ones in whichever order their bytes are, and
    // in words twice as long; that is, a multiple of all ones, as 0 it cannot be.
    let length = u16::from_be_bytes([l0, l1]);
    (sum % 0xffff == 0 && length >= 20).then_some(length.into())
}

impl Header {
    /// Reads a header from the start of `bytes`. Its options need not be there.
    ///
    /// A total length of 0 passes: so do packets come that receive offload has put together beyond
    /// 64 KiB.
    ///
    /// # Errors
    ///
    /// Fewer than 20 bytes, another version than 4, or a header or total length below what the
    /// header takes.
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let &[v, _, l0, l1, _, _, f0, f1, ttl, protocol, _, _, s0, s1, s2, s3, d0, d1, d2, d3] =
            bytes.first_chunk().ok_or(Malformed)?;
        let header_len = (v & 0x0f) * 4;
        let total = u16::from_be_bytes([l0, l1]);
        if v >> 4 != 4 || header_len < 20 || (total != 0 && total < u16::from(header_len)) {
            return Err(Malformed);
        }
        let fragment = u16::from_be_bytes([f0, f1]);
        Ok(Self {
            source: [s0, s1, s2, s3],
            destination: [d0, d1, d2, d3],
            protocol,
            ttl,
            dont_fragment: fragment & 0x4000 != 0,
            more_fragments: fragment & 0x2000 != 0,
            fragment_offset: fragment & 0x1fff,
            header_len,
        })
    }

    /// Whether [`client`](Self::client) reads beyond this header, up to [`CLIENT_BYTES`].
    #[inline]
    pub const fn needs_more(&self) -> bool {
        self.protocol == ICMP && self.fragment_offset == 0
    }

    /// Whose packet to `ghost` this is: the one decision every hook and `onehopctl` share.
    /// `packet` begins with this header.
    ///
    /// An ICMP error to the ghost belongs to the client the quoted packet went to, as its outer
    /// source is whichever router noticed. Anything else belongs to its source. So does a later
    /// fragment of an ICMP message, whose type is not in it: errors are too short to be fragmented.
    pub fn client(&self, packet: &[u8], ghost: Bytes) -> Client {
        let client = if self.needs_more() && self.source != ghost {
            match self.icmp_client(packet, ghost) {
                Ok(client) if is_client(client) => Ok(client),
                Ok(_) => Err(NotOurs::NoClient),
                Err(other) => return other,
            }
        } else {
            self.sender(ghost)
        };
        client.map_or_else(Client::NotOurs, |client| Client::Is(Address::V4(client)))
    }

    /// The same of a packet that is known not to [need more](Self::needs_more): short enough to be
    /// inlined in the hooks, and without a type that is either family's.
    ///
    /// # Errors
    ///
    /// Why it is nobody's.
    #[inline(always)]
    pub fn sender(&self, ghost: Bytes) -> Result<Bytes, NotOurs> {
        if self.source == ghost {
            Err(NotOurs::FromGhost)
        } else if !is_client(self.source) {
            Err(NotOurs::NoClient)
        } else {
            Ok(self.source)
        }
    }

    /// [`client`](Self::client) for ICMP.
    fn icmp_client(&self, packet: &[u8], ghost: Bytes) -> Result<Bytes, Client> {
        let message = packet.get(usize::from(self.header_len)..);
        match message.map_or(Err(Malformed), icmp_error) {
            Ok(Some(quote)) if quote.source != ghost => Err(Client::NotOurs(NotOurs::ForeignQuote)),
            Ok(Some(quote)) if quote.destination == ghost => {
                Err(Client::NotOurs(NotOurs::NoClient))
            }
            Ok(Some(quote)) => Ok(quote.destination),
            Ok(None) => Ok(self.source),
            Err(Malformed) => Err(Client::Malformed),
        }
    }

    /// Where the TCP header is, if there is one to be.
    pub fn tcp_offset(&self) -> Option<usize> {
        (self.protocol == TCP).then_some(self.header_len.into())
    }

    /// How many bytes of this packet [`flow`](Self::flow) may look at.
    #[inline]
    pub fn flow_bytes(&self) -> usize {
        match self.protocol {
            TCP if self.fragment_offset == 0 => usize::from(self.header_len) + SEGMENT_BYTES,
            ICMP if self.fragment_offset == 0 => FLOW_BYTES,
            _ => 0,
        }
    }

    /// What the packet is in its connection. `packet` begins with this header; `length` is that of
    /// the whole packet, however much of it is there.
    #[inline]
    pub fn flow(&self, packet: &[u8], length: u32) -> Flow {
        match (self.protocol, self.fragment_offset) {
            (TCP, 0) => self
                .segment(packet, length)
                .map_or(Flow::Other, Flow::Segment),
            (TCP, _) => Flow::LaterFragment,
            (ICMP, 0) => self.quoted(packet).unwrap_or(Flow::Other),
            _ => Flow::Other,
        }
    }

    #[inline]
    fn segment(&self, packet: &[u8], length: u32) -> Option<Segment> {
        // Short frames are filled up, and the stack has not cut that off everywhere.
        let &[_, _, l0, l1] = packet.first_chunk()?;
        let length = match u16::from_be_bytes([l0, l1]) {
            0 => length,
            total => length.min(total.into()),
        };
        let header = self.header_len;
        let bytes = packet.get(usize::from(header)..)?;
        Segment::parse(
            bytes,
            length.checked_sub(header.into())?,
            self.more_fragments,
        )
    }

    #[cold]
    fn quoted(&self, packet: &[u8]) -> Option<Flow> {
        let message = packet.get(usize::from(self.header_len)..)?;
        let quoted = icmp_error(message).ok()??;
        if quoted.protocol != TCP || quoted.fragment_offset != 0 {
            return None;
        }
        let behind = ICMP_HEADER + usize::from(quoted.header_len);
        Flow::quoting(message.get(behind..)?)
    }
}

/// The header quoted by an ICMP message, `message` being its bytes from the ICMP header on; none if
/// the message is no error.
///
/// Errors are all five types that carry a quote: destination unreachable, source quench, redirect,
/// time exceeded, parameter problem. Quench is obsolete and redirects are mostly refused, but
/// whether to heed one is for the host whose packet it is about; sent anywhere else it can only
/// mislead.
///
/// The quoted addresses are enough. A quoted fragment has no ports and a short quote no transport
/// header at all; the owner's stack drops what it cannot use.
///
/// # Errors
///
/// The message is an error, but quotes no IPv4 header.
pub fn icmp_error(message: &[u8]) -> Result<Option<Header>, Malformed> {
    let &kind = message.first().ok_or(Malformed)?;
    if !matches!(kind, 3 | 4 | 5 | 11 | 12) {
        return Ok(None);
    }
    Header::parse(message.get(ICMP_HEADER..).ok_or(Malformed)?).map(Some)
}

/// Whose packet to `ghost` this is, from its bytes alone.
#[inline]
pub fn client(packet: &[u8], ghost: Bytes) -> Client {
    match Header::parse(packet) {
        Ok(header) => header.client(packet, ghost),
        Err(Malformed) => Client::Malformed,
    }
}

/// Whether an address can be a client's.
///
/// Not 0.0.0.0/8 (a host that has no address yet), not loopback 127.0.0.0/8, not multicast
/// 224.0.0.0/4, not the limited broadcast 255.255.255.255: no reply could reach them. Not
/// link-local 169.254.0.0/16: it means another host on each link, and must not be sent on (RFC 3927,
/// section 7). The rest of 240.0.0.0/4 is unicast to Linux, so it is to us.
#[inline]
pub const fn is_client(address: Bytes) -> bool {
    // As one number: matched byte by byte it is taken apart, on the fast path.
    let bits = u32::from_be_bytes(address);
    !matches!(bits >> 24, 0 | 127 | 224..=239) && bits >> 16 != 0xa9fe && bits != u32::MAX
}
