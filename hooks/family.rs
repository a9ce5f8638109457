// SPDX-License-Identifier: GPL-2.0

//! What the hooks do in their own way for each address family: twins, in one table.

use super::nd;
use crate::{
    dispatch::{
        addr::Address,
        client::{Client, NotOurs},
        flow::Flow,
        ipv4, ipv6,
        server::ServerId,
    },
    ffi::{
        hook::Place,
        ip::{self, V4, V6},
        skb::{Skb, Verdict},
    },
    state::{config::Config, hop::Hop, pool::Pool, table::Start, Namespace},
};

/// An address family, from bytes to hop.
pub(super) trait Family: ip::Family {
    /// What is read of an IP header.
    type Header: Copy;

    /// How much of a packet [`Self::client`] may look at, bytes.
    const CLIENT_BYTES: usize;

    fn parse(bytes: &[u8]) -> Option<Self::Header>;

    fn source(header: &Self::Header) -> Self::Address;

    fn destination(header: &Self::Header) -> Self::Address;

    /// TTL or hop limit.
    fn lives(header: &Self::Header) -> u8;

    /// Whether a router may cut the packet.
    fn may_be_cut(header: &Self::Header) -> bool;

    /// How long a packet is by its own word, if the stack takes its header as it is; of those with
    /// options it is not told.
    fn sound_length(bytes: &[u8]) -> Option<u32>;

    /// Whether [`Self::client`] looks beyond the header.
    fn needs_more(header: &Self::Header) -> bool;

    fn client(header: &Self::Header, packet: &[u8], ghost: Self::Address) -> Client;

    /// The client of a packet for a ghost where [`Self::client`] does not look beyond the header.
    fn sender(header: &Self::Header) -> Result<Self::Address, NotOurs>;

    /// How much of a packet [`Self::flow`] may look at, bytes.
    fn flow_bytes(header: &Self::Header) -> usize;

    /// What a packet of `length` bytes is in its connection.
    fn flow(header: &Self::Header, packet: &[u8], length: u32) -> Flow;

    /// Where the TCP header is, unless extension headers are before it.
    fn tcp_offset(header: &Self::Header) -> Option<usize>;

    /// An address of either family.
    fn any(address: Self::Address) -> Address;

    /// An address of this family, if it is one.
    fn this(address: Address) -> Option<Self::Address>;

    /// Asked of each packet in the namespace, so that most are done with it: whether it may be for a
    /// ghost or about one, and then where to look for that. `bytes` is looked at and not believed.
    fn glance(config: &Config, bytes: &[u8]) -> Option<Start>;

    /// Looks closer: the header, and the pool of the ghost that the packet is for.
    ///
    /// Which of them comes first, the twins do differently: the other way round costs IPv4 14
    /// instructions a packet, and IPv6 12 (`bench/compare`).
    fn read<'c>(
        config: &'c Config,
        start: Start,
        bytes: &[u8],
    ) -> Option<(Self::Header, Option<&'c Pool>)>;

    /// A glance and, if that is not all, a closer look.
    #[inline(always)]
    fn find<'c>(config: &'c Config, bytes: &[u8]) -> Option<(Self::Header, Option<&'c Pool>)> {
        Self::read(config, Self::glance(config, bytes)?, bytes)
    }

    fn hop(pool: &Pool, id: ServerId) -> Option<&Hop<Self::Address>>;

    fn has_server(pool: &Pool, address: Self::Address) -> bool;

    /// Whether a packet is for a ghost, or of a kind that can be about one.
    fn may_concern_ghosts(config: &Config, header: &Self::Header) -> bool;

    /// Deals with a received packet that is about a ghost without being a client's: neighbour
    /// discovery. Gives all others back.
    fn guard_in(
        namespace: &Namespace,
        place: Place<'_>,
        config: &Config,
        header: &Self::Header,
        skb: Skb<Self>,
    ) -> Result<Verdict, Skb<Self>>
    where
        Self: Sized;

    /// The same for a packet of this host's own.
    fn guard_out(
        namespace: &Namespace,
        place: Place<'_>,
        config: &Config,
        header: &Self::Header,
        skb: Skb<Self>,
    ) -> Result<Verdict, Skb<Self>>
    where
        Self: Sized;
}

impl Family for V4 {
    type Header = ipv4::Header;

    const CLIENT_BYTES: usize = ipv4::CLIENT_BYTES;

    #[inline]
    fn parse(bytes: &[u8]) -> Option<ipv4::Header> {
        ipv4::Header::parse(bytes).ok()
    }

    #[inline]
    fn source(header: &ipv4::Header) -> [u8; 4] {
        header.source
    }

    #[inline]
    fn destination(header: &ipv4::Header) -> [u8; 4] {
        header.destination
    }

    #[inline]
    fn lives(header: &ipv4::Header) -> u8 {
        header.ttl
    }

    #[inline]
    fn may_be_cut(header: &ipv4::Header) -> bool {
        !header.dont_fragment
    }

    #[inline(always)]
    fn sound_length(bytes: &[u8]) -> Option<u32> {
        ipv4::sound_length(bytes)
    }

    #[inline]
    fn needs_more(header: &ipv4::Header) -> bool {
        header.needs_more()
    }

    fn client(header: &ipv4::Header, packet: &[u8], ghost: [u8; 4]) -> Client {
        header.client(packet, ghost)
    }

    #[inline(always)]
    fn sender(header: &ipv4::Header) -> Result<[u8; 4], NotOurs> {
        header.sender(header.destination)
    }

    #[inline]
    fn flow_bytes(header: &ipv4::Header) -> usize {
        header.flow_bytes()
    }

    #[inline]
    fn flow(header: &ipv4::Header, packet: &[u8], length: u32) -> Flow {
        header.flow(packet, length)
    }

    fn tcp_offset(header: &ipv4::Header) -> Option<usize> {
        header.tcp_offset()
    }

    #[inline]
    fn any(address: [u8; 4]) -> Address {
        Address::V4(address)
    }

    #[inline]
    fn this(address: Address) -> Option<[u8; 4]> {
        match address {
            Address::V4(address) => Some(address),
            Address::V6(_) => None,
        }
    }

    #[inline]
    fn glance(config: &Config, bytes: &[u8]) -> Option<Start> {
        let ghosts = config.ghosts4();
        let start = ghosts.start(ipv4::destination(bytes)?);
        (!ghosts.is_free(start)).then_some(start)
    }

    #[inline]
    fn read<'c>(
        config: &'c Config,
        start: Start,
        bytes: &[u8],
    ) -> Option<(ipv4::Header, Option<&'c Pool>)> {
        let pool = config.pool_of_ghost4_from(start, ipv4::destination(bytes)?);
        Some((Self::parse(bytes)?, pool))
    }

    #[inline]
    fn hop(pool: &Pool, id: ServerId) -> Option<&Hop<[u8; 4]>> {
        pool.hop4(id)
    }

    fn has_server(pool: &Pool, address: [u8; 4]) -> bool {
        pool.has_server4(address)
    }

    fn may_concern_ghosts(config: &Config, header: &ipv4::Header) -> bool {
        config.pool_of_ghost4(header.destination).is_some()
    }

    // ARP has hooks of its own.

    #[inline]
    fn guard_in(
        _namespace: &Namespace,
        _place: Place<'_>,
        _config: &Config,
        _header: &ipv4::Header,
        skb: Skb<Self>,
    ) -> Result<Verdict, Skb<Self>> {
        Err(skb)
    }

    #[inline]
    fn guard_out(
        _namespace: &Namespace,
        _place: Place<'_>,
        _config: &Config,
        _header: &ipv4::Header,
        skb: Skb<Self>,
    ) -> Result<Verdict, Skb<Self>> {
        Err(skb)
    }
}

impl Family for V6 {
    type Header = ipv6::Header;

    const CLIENT_BYTES: usize = ipv6::CLIENT_BYTES;

    #[inline]
    fn parse(bytes: &[u8]) -> Option<ipv6::Header> {
        ipv6::Header::parse(bytes).ok()
    }

    #[inline]
    fn source(header: &ipv6::Header) -> [u8; 16] {
        header.source
    }

    #[inline]
    fn destination(header: &ipv6::Header) -> [u8; 16] {
        header.destination
    }

    #[inline]
    fn lives(header: &ipv6::Header) -> u8 {
        header.hop_limit
    }

    /// Only its sender may (RFC 8200, section 4.5).
    #[inline]
    fn may_be_cut(_header: &ipv6::Header) -> bool {
        false
    }

    #[inline(always)]
    fn sound_length(bytes: &[u8]) -> Option<u32> {
        ipv6::sound_length(bytes)
    }

    #[inline]
    fn needs_more(header: &ipv6::Header) -> bool {
        header.needs_more()
    }

    fn client(header: &ipv6::Header, packet: &[u8], ghost: [u8; 16]) -> Client {
        header.client(packet, ghost)
    }

    #[inline(always)]
    fn sender(header: &ipv6::Header) -> Result<[u8; 16], NotOurs> {
        header.sender(header.destination)
    }

    #[inline]
    fn flow_bytes(header: &ipv6::Header) -> usize {
        header.flow_bytes()
    }

    #[inline]
    fn flow(header: &ipv6::Header, packet: &[u8], length: u32) -> Flow {
        header.flow(packet, length)
    }

    fn tcp_offset(header: &ipv6::Header) -> Option<usize> {
        header.tcp_offset()
    }

    #[inline]
    fn any(address: [u8; 16]) -> Address {
        Address::V6(address)
    }

    #[inline]
    fn this(address: Address) -> Option<[u8; 16]> {
        match address {
            Address::V6(address) => Some(address),
            Address::V4(_) => None,
        }
    }

    #[inline]
    fn glance(config: &Config, bytes: &[u8]) -> Option<Start> {
        let ghosts = config.ghosts6();
        let start = ghosts.start(ipv6::destination(bytes)?);
        (!ghosts.is_free(start) || ipv6::may_be_icmp(bytes)).then_some(start)
    }

    #[inline]
    fn read<'c>(
        config: &'c Config,
        start: Start,
        bytes: &[u8],
    ) -> Option<(ipv6::Header, Option<&'c Pool>)> {
        let header = Self::parse(bytes)?;
        Some((
            header,
            config.pool_of_ghost6_from(start, header.destination),
        ))
    }

    #[inline]
    fn hop(pool: &Pool, id: ServerId) -> Option<&Hop<[u8; 16]>> {
        pool.hop6(id)
    }

    fn has_server(pool: &Pool, address: [u8; 16]) -> bool {
        pool.has_server6(address)
    }

    fn may_concern_ghosts(config: &Config, header: &ipv6::Header) -> bool {
        header.needs_more() || config.pool_of_ghost6(header.destination).is_some()
    }

    #[inline]
    fn guard_in(
        namespace: &Namespace,
        place: Place<'_>,
        config: &Config,
        header: &ipv6::Header,
        skb: Skb<Self>,
    ) -> Result<Verdict, Skb<Self>> {
        if header.needs_more() {
            nd::guard_in(namespace, place, config, skb)
        } else {
            Err(skb)
        }
    }

    #[inline]
    fn guard_out(
        namespace: &Namespace,
        place: Place<'_>,
        config: &Config,
        header: &ipv6::Header,
        skb: Skb<Self>,
    ) -> Result<Verdict, Skb<Self>> {
        if header.needs_more() {
            nd::guard_out(namespace, place, config, skb)
        } else {
            Err(skb)
        }
    }
}
