// SPDX-License-Identifier: GPL-2.0

//! What a dispatcher remembers, with method `track`, of a connection that began in a transition.
//!
//! It hears the client's half only, and whoever knows addresses and ports can send a SYN in the
//! client's name. So a record speaks for those segments only that are where its connection is, and
//! of one set of addresses and ports there may be several: [`Record::since`] tells between those
//! that [follow](Record::follows).

use super::server::ServerId;

/// How far from its SYN the first segment may be that is seen: data of a fast open, or the initial
/// window while the handshake's last segment is lost.
const INITIAL: u32 = 1 << 17;

/// `progress` and nearness count in units of 4 KiB: all that there is room for, and more than enough.
const UNIT: u32 = 12;
const UNITS: u32 = 1 << (32 - UNIT);

/// How far from the record later segments may be, in units: 64 MiB, beyond any window in use.
const NEAR: u32 = 1 << (26 - UNIT);

const PRESENT: u64 = 1 << 63;
const CONFIRMED: u64 = 1 << 62;

/// The server that a connection began with, and how far its client has come.
///
/// One word, so that a table of them can be written without locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The server.
    pub server: ServerId,
    isn: u32,
    // The greatest sequence number seen, in units; none before anything but the SYN is.
    progress: Option<u32>,
}

impl Record {
    /// The record of a connection that begins with a SYN of this sequence number.
    pub const fn new(server: ServerId, isn: u32) -> Self {
        Self {
            server,
            isn,
            progress: None,
        }
    }

    /// The record as a word. Never 0.
    #[inline]
    pub fn to_bits(self) -> u64 {
        let progress = match self.progress {
            Some(units) => CONFIRMED | (u64::from(units) << 32),
            None => 0,
        };
        PRESENT | (u64::from(self.server.get()) << 52) | progress | u64::from(self.isn)
    }

    /// The record of a word; none of 0.
    #[inline]
    pub const fn from_bits(bits: u64) -> Option<Self> {
        if bits & PRESENT == 0 {
            return None;
        }
        match ServerId::from_row((bits >> 52) as u16 & ServerId::MAX) {
            Some(server) => Some(Self {
                server,
                isn: bits as u32,
                progress: if bits & CONFIRMED == 0 {
                    None
                } else {
                    Some((bits >> 32) as u32 & (UNITS - 1))
                },
            }),
            None => None,
        }
    }

    /// Whether a SYN of this sequence number is the one it began with, sent again.
    #[inline]
    pub const fn began_with(&self, isn: u32) -> bool {
        self.isn == isn
    }

    /// The record after a segment, if the segment is near enough to be of its connection.
    #[inline]
    pub fn follows(&self, seq: u32) -> Option<Self> {
        let now = seq >> UNIT;
        let progress = match self.progress {
            None if self.since(seq) <= INITIAL => now,
            None => return None,
            Some(before) => {
                let ahead = now.wrapping_sub(before) & (UNITS - 1);
                let behind = before.wrapping_sub(now) & (UNITS - 1);
                match (ahead <= NEAR, behind <= NEAR) {
                    (true, _) => now,
                    // Sent again: where the connection is does not change.
                    (false, true) => before,
                    (false, false) => return None,
                }
            }
        };
        Some(Self {
            progress: Some(progress),
            ..*self
        })
    }

    /// How far a segment is behind the connection's beginning. Of several records that it
    /// [follows](Self::follows) it belongs to the one of which this is least: a client that uses
    /// its ports again begins a little further on (RFC 6191).
    #[inline]
    pub const fn since(&self, seq: u32) -> u32 {
        seq.wrapping_sub(self.isn)
    }
}
