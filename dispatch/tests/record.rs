// SPDX-License-Identifier: GPL-2.0

//! What a dispatcher's records follow.

mod common;

use common::id;
use onehop_dispatch::record::Record;
use onehop_dispatch::server::ServerId;
use proptest::prelude::*;

const FIRST: u32 = 1 << 17;
const NEAR: u32 = 1 << 26;
const UNIT: u32 = 1 << 12;

fn any_id() -> impl Strategy<Value = ServerId> {
    (0..=1023u32).prop_map(id)
}

/// A record that has seen these, in this order.
fn seen(isn: u32, seqs: &[u32]) -> Record {
    let begin = Record::new(id(5), isn);
    let follow = |record: Record, seq: &u32| record.follows(*seq).unwrap();
    seqs.iter().fold(begin, follow)
}

#[test]
fn a_new_one_follows_what_is_near_its_syn() {
    for isn in [0, 77, 0x8000_0000, u32::MAX - 3] {
        let record = seen(isn, &[]);
        for ahead in [0, 1, 1461, FIRST] {
            assert!(record.follows(isn.wrapping_add(ahead)).is_some(), "{ahead}");
        }
        for far in [FIRST + 1, NEAR, 1 << 31, u32::MAX] {
            assert!(record.follows(isn.wrapping_add(far)).is_none(), "{far}");
        }
    }
}

/// Both ways, to the unit.
#[test]
fn a_confirmed_one_follows_what_is_near_its_progress() {
    for isn in [0, 77 * UNIT, 0x8000_0000, u32::MAX - UNIT + 1] {
        let record = seen(isn, &[isn.wrapping_add(1)]);
        for near in [0, 1, FIRST + 1, NEAR, NEAR + UNIT - 1] {
            assert!(record.follows(isn.wrapping_add(near)).is_some(), "{near}");
        }
        for near in [1, UNIT, NEAR] {
            assert!(record.follows(isn.wrapping_sub(near)).is_some(), "{near}");
        }
        for far in [NEAR + UNIT, 1 << 31] {
            assert!(record.follows(isn.wrapping_add(far)).is_none(), "{far}");
        }
        for far in [NEAR + 1, 1 << 30] {
            assert!(record.follows(isn.wrapping_sub(far)).is_none(), "{far}");
        }
    }
}

/// What is sent again does not take the record back, away from what is sent next.
#[test]
fn progress_is_forward() {
    let record = seen(0, &[1, NEAR, 2 * NEAR, NEAR]);
    assert!(record.follows(3 * NEAR).is_some());
    assert!(record.follows(NEAR - 1).is_none());
}

/// Through all sequence numbers, twice.
#[test]
fn a_long_connection_stays() {
    let mut record = seen(12_345, &[12_346]);
    let mut seq: u32 = 12_346;
    for _ in 0..200 {
        seq = seq.wrapping_add(NEAR - UNIT);
        record = record.follows(seq).unwrap();
        assert_eq!(record.server, id(5));
        assert!(record.began_with(12_345));
    }
}

/// RFC 6191: ports used again, 64 KiB further on.
#[test]
fn the_later_beginning_counts() {
    let old = seen(1000, &[1001, 500_000]);
    let new = Record::new(id(6), 500_000 + 65_537);
    for (seq, expected) in [
        (500_000, id(5)),
        (565_536, id(5)),
        (565_537, id(6)),
        (565_538, id(6)),
        (600_000, id(6)),
    ] {
        let records = [old, new].into_iter();
        let near = records.filter(|record| record.follows(seq).is_some());
        let best = near.min_by_key(|record| record.since(seq)).unwrap();
        assert_eq!(best.server, expected, "{seq}");
    }
}

#[test]
fn a_syn_is_known_again() {
    for record in [seen(9, &[]), seen(9, &[10]), seen(9, &[10, NEAR])] {
        assert!(record.began_with(9));
        assert!(!record.began_with(10) && !record.began_with(8));
    }
}

#[test]
fn nothing_is_no_record() {
    assert_eq!(Record::from_bits(0), None);
    assert_eq!(Record::from_bits(u64::MAX >> 1), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 20_000 }))]

    #[test]
    fn a_word_holds_all_of_it(server in any_id(), isn: u32, steps in prop::collection::vec(0..NEAR, 0..4)) {
        let mut record = Record::new(server, isn);
        let mut seq = isn.wrapping_add(1);
        for step in steps {
            record = record.follows(seq).unwrap();
            seq = seq.wrapping_add(step);
        }
        prop_assert_ne!(record.to_bits(), 0);
        prop_assert_eq!(Record::from_bits(record.to_bits()), Some(record));
        prop_assert_eq!((record.server, record.since(isn)), (server, 0));
    }

    /// Whatever is in a table: a record at most, and no harm.
    #[test]
    fn any_word_is_survived(bits: u64, seq: u32) {
        if let Some(record) = Record::from_bits(bits) {
            prop_assert_eq!(Record::from_bits(record.to_bits()), Some(record));
            if let Some(next) = record.follows(seq) {
                prop_assert_eq!(next.server, record.server);
                prop_assert!(next.follows(seq).is_some());
            }
        }
    }

    /// Who knows addresses and ports, but not where the connection is, steals it at one in 2^15.
    #[test]
    fn a_forged_syn_does_not_follow(isn: u32, seq: u32) {
        let followed = Record::new(id(1), isn).follows(seq).is_some();
        prop_assert_eq!(followed, seq.wrapping_sub(isn) <= FIRST);
    }
}
