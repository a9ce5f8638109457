// SPDX-License-Identifier: GPL-2.0

//! What happens to a cluster, at random.

use onehop_dispatch::server::State;
use proptest::prelude::*;

use super::common::STATES;
use super::world::Mode;

/// Ids that a pool may have.
pub const IDS: u32 = 6;

#[derive(Clone, Debug)]
pub enum Step {
    Wait(u64),
    Open {
        client: u8,
        port: u16,
    },
    Talk {
        which: usize,
        ends: bool,
    },
    Reuse(usize),
    Spoof(usize),
    Error(usize),
    Fragments(usize),
    Datagram(u8),
    Overflow {
        id: u32,
        on: bool,
    },
    Set {
        id: u32,
        state: State,
        span: Span,
    },
    Weigh {
        id: u32,
        weight: u32,
        span: Span,
    },
    Join {
        id: u32,
        span: Span,
    },
    Leave {
        id: u32,
        span: Span,
    },
    Reseed {
        seed: u8,
        span: Span,
    },
    Resize {
        rows: u32,
        span: Span,
    },
    Rekind {
        hash: bool,
        span: Span,
    },
    /// Explicit owners, one of three lists of them.
    Table {
        which: usize,
        span: Span,
    },
    /// The server of a client's network, or none any more.
    Override {
        client: u8,
        bits: u32,
        id: Option<u32>,
        span: Span,
    },
    Prefix {
        bits: u32,
        span: Span,
    },
    Abort(Span),
    Commit,
}

pub type Span = Option<u64>;

fn any_span() -> impl Strategy<Value = Span> {
    prop_oneof![
        6 => Just(Some(300_000)),
        1 => Just(None),
        1 => (1_000u64..30_000).prop_map(Some),
    ]
}

fn any_change() -> impl Strategy<Value = Step> {
    let id = 0..IDS;
    let state = prop::sample::select(&STATES[..]);
    let weight = prop::sample::select(vec![1u32, 2, 10]);
    prop_oneof![
        10 => (id.clone(), state, any_span()).prop_map(|(id, state, span)| Step::Set { id, state, span }),
        3 => (id.clone(), weight, any_span()).prop_map(|(id, weight, span)| Step::Weigh { id, weight, span }),
        3 => (id.clone(), any_span()).prop_map(|(id, span)| Step::Join { id, span }),
        2 => (id, any_span()).prop_map(|(id, span)| Step::Leave { id, span }),
        1 => (0u8..3, any_span()).prop_map(|(seed, span)| Step::Reseed { seed, span }),
        1 => (prop::sample::select(vec![256u32, 512]), any_span()).prop_map(|(rows, span)| Step::Resize { rows, span }),
        1 => (any::<bool>(), any_span()).prop_map(|(hash, span)| Step::Rekind { hash, span }),
        1 => (0usize..3, any_span()).prop_map(|(which, span)| Step::Table { which, span }),
        3 => (0u8..16, 27u32..=32, prop::option::of(0..IDS), any_span()).prop_map(|(client, bits, id, span)| Step::Override { client, bits, id, span }),
        1 => (prop::sample::select(vec![32u32, 31, 29]), any_span()).prop_map(|(bits, span)| Step::Prefix { bits, span }),
        2 => any_span().prop_map(Step::Abort),
        1 => Just(Step::Commit),
    ]
}

pub fn any_step() -> impl Strategy<Value = Step> {
    let which = any::<usize>();
    prop_oneof![
        8 => prop_oneof![0u64..20, 0u64..2_500, 4_000u64..6_000, 20_000u64..320_000].prop_map(Step::Wait),
        10 => any_change(),
        12 => (0u8..16, 0u16..3).prop_map(|(client, port)| Step::Open { client, port }),
        24 => (which, prop::bool::weighted(0.1)).prop_map(|(which, ends)| Step::Talk { which, ends }),
        3 => which.prop_map(Step::Reuse),
        3 => which.prop_map(Step::Spoof),
        3 => which.prop_map(Step::Error),
        2 => which.prop_map(Step::Fragments),
        2 => (0u8..16).prop_map(Step::Datagram),
        1 => (0..IDS, any::<bool>()).prop_map(|(id, on)| Step::Overflow { id, on }),
    ]
}

pub fn modes() -> impl Strategy<Value = Mode> {
    prop::sample::select(vec![
        Mode::Broadcast,
        Mode::Peer,
        Mode::Chance(1),
        Mode::Chance(2),
        Mode::Track,
    ])
}
