// SPDX-License-Identifier: GPL-2.0

//! IPv4 packets of which it is known whose they are, as it is known what they were made of.

#![allow(dead_code, reason = "each test binary uses a part of this")]

use onehop_dispatch::addr::Address;
use onehop_dispatch::client::{Client, NotOurs};
use onehop_dispatch::ipv4::{client, is_client};
use proptest::prelude::*;

use crate::packet4::{Packet, ICMP, MORE, TCP, UDP};

pub const GHOST: [u8; 4] = [192, 0, 2, 80];
pub const ALICE: [u8; 4] = [198, 51, 100, 7];

/// A packet to the ghost that quotes another, as messages of ICMP may.
#[derive(Clone, Debug)]
pub struct Made {
    pub source: [u8; 4],
    pub options: u8,
    pub fragment: u16,
    pub protocol: u8,
    pub kind: u8,
    /// Of what is quoted.
    pub from: [u8; 4],
    pub to: [u8; 4],
    pub inner: u8,
    /// Where the whole is cut off.
    pub cut: usize,
}

pub fn any_made() -> impl Strategy<Value = Made> {
    let someone = || prop_oneof![Just(GHOST), Just(ALICE), any::<[u8; 4]>()];
    let kinds = prop_oneof![0u8..20, any::<u8>()];
    let protocols = prop::sample::select(vec![ICMP, ICMP, ICMP, TCP, UDP]);
    let fragments = prop_oneof![3 => Just(0), 1 => Just(MORE), 1 => 0u16..0x4000];
    let quote = (someone(), someone(), 0u8..=10);
    let cut = prop_oneof![Just(usize::MAX), 20usize..150];
    let parts = (someone(), 0u8..=10, fragments, protocols, kinds, quote, cut);
    parts.prop_map(
        |(source, options, fragment, protocol, kind, (from, to, inner), cut)| Made {
            source,
            options,
            fragment,
            protocol,
            kind,
            from,
            to,
            inner,
            cut,
        },
    )
}

impl Made {
    fn bytes(&self) -> Vec<u8> {
        let quoted = Packet {
            source: self.from,
            destination: self.to,
            options: self.inner,
            fragment: 0,
            protocol: TCP,
            payload: &[0; 8],
        };
        let message = [&[self.kind, 0, 0, 0, 0, 0, 0, 0], &quoted.bytes()[..]].concat();
        let mut bytes = Packet {
            source: self.source,
            destination: GHOST,
            options: self.options,
            fragment: self.fragment,
            protocol: self.protocol,
            payload: &message,
        }
        .bytes();
        bytes.truncate(self.cut);
        bytes
    }

    fn expected(&self) -> Client {
        let header = 20 + 4 * usize::from(self.options);
        let is_message = self.protocol == ICMP && self.fragment & 0x1fff == 0;
        let is_error = is_message && matches!(self.kind, 3 | 4 | 5 | 11 | 12);
        let read = match (is_error, is_message) {
            (true, _) => header + 8 + 20,
            (false, true) => header + 1,
            (false, false) => 20,
        };
        let somebody = |address| match is_client(address) && address != GHOST {
            true => Client::Is(Address::V4(address)),
            false => Client::NotOurs(NotOurs::NoClient),
        };
        match () {
            () if self.source == GHOST => Client::NotOurs(NotOurs::FromGhost),
            () if self.bytes().len() < read => Client::Malformed,
            () if !is_error => somebody(self.source),
            () if self.from != GHOST => Client::NotOurs(NotOurs::ForeignQuote),
            () => somebody(self.to),
        }
    }

    /// Whose it is by its bytes is whose it was made.
    pub fn check(&self) {
        assert_eq!(client(&self.bytes(), GHOST), self.expected());
    }
}
