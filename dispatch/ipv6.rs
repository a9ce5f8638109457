// SPDX-License-Identifier: GPL-2.0

//! IPv6 packets: from bytes to the client they belong to. The twin of [`super::ipv4`].
//!
//! The bytes come from the wire and may be anything. Nothing is read beyond what is given, and
//! nothing is believed but the addresses: checksums are for the server that owns the packet.

use super::{
    addr::Address,
    client::{Client, Malformed, NotOurs},
    flow::{Flow, Segment, SEGMENT_BYTES, TCP},
};

/// An IPv6 address in network byte order.
type Bytes = [u8; 16];

const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const DESTINATION: u8 = 60;
pub(super) const ICMP: u8 = 58;

/// Length of the fixed header.
pub(super) const HEADER: usize = 40;
const ICMP_HEADER: usize = 8;

/// What extension headers may take, in bytes. Nobody needs as many, and whoever sent more would
/// have us copy and walk through every packet.
const EXTENSIONS: usize = 512;

/// How many bytes from the start of a packet [`client`] may look at: a header, its extension
/// headers, an ICMPv6 header, and a quoted header without its extension headers.
pub const CLIENT_BYTES: usize = HEADER + EXTENSIONS + ICMP_HEADER + HEADER;

/// How many [`Header::flow`] may look at: as many, and a TCP header behind all of them. A quote has
/// room enough in that for extension headers of its own.
pub const FLOW_BYTES: usize = CLIENT_BYTES + SEGMENT_BYTES;

/// What onehop reads of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Source address.
    pub source: Bytes,
    /// Destination address.
    pub destination: Bytes,
    /// Number of the header that follows: an extension header or the next protocol.
    pub next_header: u8,
    /// Hop limit.
    pub hop_limit: u8,
}

/// The destination of a packet that begins with a header, if `bytes` reach as far: nothing else is
/// tested.
#[inline]
pub fn destination(bytes: &[u8]) -> Option<Bytes> {
    let (_, destination) = bytes.first_chunk::<HEADER>()?.split_last_chunk()?;
    Some(*destination)
}

/// Likewise, whether it may be a message of ICMPv6.
#[inline]
pub fn may_be_icmp(bytes: &[u8]) -> bool {
    bytes.get(6).is_some_and(|&next| needs_more(next))
}

/// The length in bytes of a packet that begins with `bytes`, by its own word for it. None without a
/// header of this version, nor where the word is 0, see [`Header::parse`].
#[inline(always)]
pub fn sound_length(bytes: &[u8]) -> Option<u32> {
    let &[v, _, _, _, l0, l1, ..] = bytes.first_chunk::<HEADER>()?;
    let payload = u16::from_be_bytes([l0, l1]);
    (v >> 4 == 6 && payload != 0).then_some(u32::from(payload) + HEADER as u32)
}

#[inline]
const fn needs_more(next_header: u8) -> bool {
    next_header == ICMP || is_extension(next_header)
}

impl Header {
    /// Reads a header from the start of `bytes`.
    ///
    /// Any payload length passes: it is 0 for packets that receive offload has put together beyond
    /// 64 KiB.
    ///
    /// # Errors
    ///
    /// Fewer than 40 bytes, or another version than 6.
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let (&[v, _, _, _, _, _, next_header, hop_limit], rest) =
            bytes.split_first_chunk().ok_or(Malformed)?;
        let (&source, rest) = rest.split_first_chunk().ok_or(Malformed)?;
        let &destination = rest.first_chunk().ok_or(Malformed)?;
        if v >> 4 != 6 {
            return Err(Malformed);
        }
        Ok(Self {
            source,
            destination,
            next_header,
            hop_limit,
        })
    }

    /// Whether [`client`](Self::client) reads beyond this header, up to [`CLIENT_BYTES`].
    #[inline]
    pub const fn needs_more(&self) -> bool {
        needs_more(self.next_header)
    }

    /// Whose packet to `ghost` this is: the one decision every hook and `onehopctl` share.
    /// `packet` begins with this header.
    ///
    /// An ICMPv6 error to the ghost belongs to the client the quoted packet went to, as its outer
    /// source is whichever router noticed. Anything else belongs to its source. So does a later
    /// fragment, whatever it is one of: errors are too short to be fragmented. Routing headers
    /// change nothing, neither here nor in a quote: the fixed header's addresses count both ways.
    ///
    /// Unlike in IPv4 the outer source of an error must be one that a client can have: routers
    /// must not send on what comes from a link-local address (RFC 4291, section 2.5.6), and one
    /// that has any other address puts that there (RFC 6724, section 5, rule 2).
    pub fn client(&self, packet: &[u8], ghost: Bytes) -> Client {
        let mut quoted = None;
        if self.needs_more() && self.source != ghost {
            match quoted_client(packet, ghost) {
                Ok(client) => quoted = client,
                Err(other) => return other,
            }
        }
        match self.sender(ghost) {
            Ok(sender) => Client::Is(Address::V6(quoted.unwrap_or(sender))),
            Err(why) => Client::NotOurs(why),
        }
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

    /// Where the TCP header is, if there is one to be and it is not behind extension headers.
    pub fn tcp_offset(&self) -> Option<usize> {
        (self.next_header == TCP).then_some(HEADER)
    }

    /// How many bytes of this packet [`flow`](Self::flow) may look at.
    #[inline]
    pub const fn flow_bytes(&self) -> usize {
        match self.next_header {
            TCP => HEADER + SEGMENT_BYTES,
            _ if self.needs_more() => FLOW_BYTES,
            _ => 0,
        }
    }

    /// What the packet is in its connection. `packet` begins with this header; `length` is that of
    /// the whole packet, however much of it is there.
    #[inline]
    pub fn flow(&self, packet: &[u8], length: u32) -> Flow {
        if self.next_header != TCP && !self.needs_more() {
            return Flow::Other;
        }
        let seen = packet.get(..FLOW_BYTES).unwrap_or(packet);
        let Ok(payload) = Payload::find(seen) else {
            return Flow::Other;
        };
        match payload.part {
            // What else follows is in the first one. It is not said here that it is not TCP.
            Part::Later if payload.protocol == TCP || is_extension(payload.protocol) => {
                Flow::LaterFragment
            }
            Part::Later => Flow::Other,
            _ if payload.protocol == TCP => {
                let before = seen.len().saturating_sub(payload.bytes.len());
                payload
                    .segment(whole(packet, length), before)
                    .map_or(Flow::Other, Flow::Segment)
            }
            _ if payload.protocol == ICMP => quoted_flow(payload.bytes).unwrap_or(Flow::Other),
            _ => Flow::Other,
        }
    }
}

/// A packet's length: its own word for it, where it is less. Short frames are filled up, and the
/// stack has not cut that off everywhere.
#[inline]
fn whole(packet: &[u8], length: u32) -> u32 {
    match packet.first_chunk() {
        Some(&[_, _, _, _, l0, l1]) if [l0, l1] != [0, 0] => {
            length.min(u32::from(u16::from_be_bytes([l0, l1])) + HEADER as u32)
        }
        _ => length,
    }
}

/// What the error in an ICMPv6 message is about.
#[cold]
fn quoted_flow(message: &[u8]) -> Option<Flow> {
    icmp_error(message).ok()??;
    let payload = Payload::find(message.get(ICMP_HEADER..)?).ok()?;
    match (payload.protocol, payload.part) {
        (TCP, Part::Whole | Part::First) => Flow::quoting(payload.bytes),
        _ => None,
    }
}

/// Whom `ghost` sent the packet that this one is an error about; none if it is no error.
///
/// # Errors
///
/// What the packet is instead, if it is not to be dispatched.
fn quoted_client(packet: &[u8], ghost: Bytes) -> Result<Option<Bytes>, Client> {
    let Some(message) = icmp_message(packet)? else {
        return Ok(None);
    };
    // Router and neighbour solicitations and advertisements, and redirects.
    if let Some(133..=137) = message.first() {
        return Err(Client::NotOurs(NotOurs::Neighbour));
    }
    let Some(quoted) = icmp_error(message)? else {
        return Ok(None);
    };
    if quoted.source != ghost {
        return Err(Client::NotOurs(NotOurs::ForeignQuote));
    }
    if quoted.destination == ghost || !is_client(quoted.destination) {
        return Err(Client::NotOurs(NotOurs::NoClient));
    }
    Ok(Some(quoted.destination))
}

/// The header quoted by an ICMPv6 message, `message` being its bytes from the ICMPv6 header on; none
/// if the message is no error.
///
/// Errors are all four types that RFC 4443 gives a quote: destination unreachable, packet too big,
/// time exceeded, parameter problem. The quoted addresses are enough; extension headers or a
/// fragment in the quote need no reading, and the owner's stack drops what it cannot use.
///
/// # Errors
///
/// The message is empty, or an error that quotes no IPv6 header.
pub fn icmp_error(message: &[u8]) -> Result<Option<Header>, Malformed> {
    let &kind = message.first().ok_or(Malformed)?;
    if !matches!(kind, 1..=4) {
        return Ok(None);
    }
    Header::parse(message.get(ICMP_HEADER..).ok_or(Malformed)?).map(Some)
}

/// Where in a packet, which is whole or at least [`CLIENT_BYTES`] long, the ICMPv6 header begins
/// behind the extension headers. None if the packet is of another protocol, or a later fragment.
///
/// # Errors
///
/// No IPv6 header, or extension headers that do not end within the packet or [`CLIENT_BYTES`].
pub fn icmp(packet: &[u8]) -> Result<Option<usize>, Malformed> {
    let message = icmp_message(packet)?;
    Ok(message.map(|message| seen(packet).len().saturating_sub(message.len())))
}

/// What may be looked at. That no more is there to the rest of this file makes the decision the
/// same whether a hook has pulled more of the packet or not.
fn seen(packet: &[u8]) -> &[u8] {
    packet.get(..CLIENT_BYTES).unwrap_or(packet)
}

/// What is seen of a packet from its ICMPv6 header on, as [`icmp`].
fn icmp_message(packet: &[u8]) -> Result<Option<&[u8]>, Malformed> {
    let payload = Payload::find(seen(packet))?;
    let is_message = payload.protocol == ICMP && payload.part != Part::Later;
    Ok(is_message.then_some(payload.bytes))
}

/// Which part of a datagram a packet is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    /// The fragment that it begins with.
    First,
    /// Another.
    Later,
}

/// What is behind the extension headers.
struct Payload<'a> {
    /// In a later fragment this may be the number of one more extension header.
    protocol: u8,
    part: Part,
    bytes: &'a [u8],
}

impl<'a> Payload<'a> {
    /// Walks through the headers of what is seen of a packet.
    #[inline]
    fn find(seen: &'a [u8]) -> Result<Self, Malformed> {
        let mut protocol = Header::parse(seen)?.next_header;
        let mut part = Part::Whole;
        let mut bytes = seen.get(HEADER..).ok_or(Malformed)?;
        while is_extension(protocol) && part != Part::Later {
            // None is shorter than 8 bytes, so that the walk comes to an end.
            let &[following, length, f0, f1, _, _, _, _] = bytes.first_chunk().ok_or(Malformed)?;
            let taken = match protocol {
                FRAGMENT => {
                    part = match u16::from_be_bytes([f0, f1]) & 0xfff9 {
                        0 => part,
                        1 => Part::First,
                        _ => Part::Later,
                    };
                    8
                }
                AUTHENTICATION => (usize::from(length) + 2) * 4,
                _ => (usize::from(length) + 1) * 8,
            };
            bytes = bytes.get(taken..).ok_or(Malformed)?;
            protocol = following;
        }
        Ok(Self {
            protocol,
            part,
            bytes,
        })
    }

    /// The segment that it is, `before` bytes into a packet of `length`.
    #[inline]
    fn segment(&self, length: u32, before: usize) -> Option<Segment> {
        let rest = length.checked_sub(u32::try_from(before).ok()?)?;
        Segment::parse(self.bytes, rest, self.part == Part::First)
    }
}

/// Whether another header follows this one, in the clear: not so behind ESP or "no next header".
#[inline]
const fn is_extension(next_header: u8) -> bool {
    matches!(
        next_header,
        HOP_BY_HOP | ROUTING | FRAGMENT | AUTHENTICATION | DESTINATION
    )
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
/// Not :: (a host that has no address yet), not loopback ::1, not multicast ff00::/8, not
/// ::ffff:0:0/96, which stands for IPv4 inside a host: no reply could reach them. Not link-local
/// fe80::/10: it means another host on each link, and must not be sent on (RFC 4291, section
/// 2.5.6).
#[inline]
pub const fn is_client(address: Bytes) -> bool {
    // As one number: byte by byte this is five times the code, on the fast path.
    let bits = u128::from_be_bytes(address);
    bits > 1 && bits >> 120 != 0xff && bits >> 118 != 0xfe80 >> 6 && bits >> 32 != 0xffff
}
