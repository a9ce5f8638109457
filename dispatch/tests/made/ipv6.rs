// SPDX-License-Identifier: GPL-2.0

//! IPv6 packets of which it is known whose they are, as it is known what they were made of.

#![allow(dead_code, reason = "each test binary uses a part of this")]

use onehop_dispatch::addr::Address;
use onehop_dispatch::client::{Client, Malformed, NotOurs};
use onehop_dispatch::ipv6::{client, icmp, is_client, CLIENT_BYTES};
use proptest::prelude::*;

use crate::packet6::*;

const GHOST: [u8; 16] = [0x20; 16];
const ALICE: [u8; 16] = [0x21; 16];
const ROUTER: [u8; 16] = [0x22; 16];

/// A packet to the ghost that quotes another, as messages of ICMPv6 may.
#[derive(Clone, Debug)]
pub struct Made {
    pub chain: Vec<Extension>,
    pub protocol: u8,
    pub kind: u8,
    /// Whom what is quoted went to, and whether the ghost sent it.
    pub to: [u8; 16],
    pub ours: bool,
}

pub fn any_made() -> impl Strategy<Value = Made> {
    let chain = prop::collection::vec(any_extension(), 0..9);
    let protocols = prop::sample::select(vec![TCP, UDP, ESP, ICMP, ICMP, ICMP]);
    let kinds = prop_oneof![Just(1u8), 1u8..=5, 132u8..=138];
    let parts = (chain, protocols, kinds, any::<[u8; 16]>(), any::<bool>());
    parts.prop_map(|(chain, protocol, kind, to, ours)| Made {
        chain,
        protocol,
        kind,
        to,
        ours,
    })
}

impl Made {
    fn bytes(&self) -> Vec<u8> {
        let source = if self.ours { GHOST } else { ROUTER };
        let quoted = from_to(source, self.to, &[], TCP, b"");
        let payload = [&[self.kind, 0, 0, 0, 0, 0, 0, 0], &quoted[..]].concat();
        from_to(ALICE, GHOST, &self.chain, self.protocol, &payload)
    }

    /// Whose it is by its bytes is whose it was made, and where its message is.
    pub fn check(&self) {
        let length = |chain: &[Extension]| -> usize { chain.iter().map(Extension::len).sum() };
        let later = |extension: &Extension| {
            extension.number == FRAGMENT && (extension.rest[1] != 0 || extension.rest[2] >= 8)
        };
        // A later fragment has to be there itself, of all others the whole chain.
        let first_later = self.chain.iter().position(later);
        let end = 40 + first_later.map_or(length(&self.chain), |at| length(&self.chain[..=at]));
        let message = self.protocol == ICMP && first_later.is_none();
        let read = match self.kind {
            1..=4 if message => end + 48,
            _ if message => end + 1,
            _ => end,
        };
        let expected = match self.kind {
            _ if read > CLIENT_BYTES => Client::Malformed,
            133..=137 if message => Client::NotOurs(NotOurs::Neighbour),
            1..=4 if message && !self.ours => Client::NotOurs(NotOurs::ForeignQuote),
            1..=4 if message && !is_client(self.to) => Client::NotOurs(NotOurs::NoClient),
            1..=4 if message => Client::Is(Address::V6(self.to)),
            _ => Client::Is(Address::V6(ALICE)),
        };
        let bytes = self.bytes();
        assert_eq!(client(&bytes, GHOST), expected);
        if end <= CLIENT_BYTES {
            assert_eq!(icmp(&bytes), Ok(message.then_some(end)));
        } else {
            assert_eq!(icmp(&bytes), Err(Malformed));
        }
    }
}
