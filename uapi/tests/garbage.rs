// SPDX-License-Identifier: GPL-2.0
//! Decoders take any bytes without a panic, and what they accept is what the
//! encoder writes.

mod image;
mod sample;

use image::survived;
use onehop_uapi::*;
use proptest::prelude::*;
use sample::sample;

/// Bytes like those of a valid structure: mostly zero, small numbers, letters.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![8 => Just(0u8), 3 => 0u8..8, 2 => b'a'..b'e', 1 => any::<u8>()]
}

fn raw<const N: usize>() -> impl Strategy<Value = [u8; N]> {
    proptest::collection::vec(byte(), N).prop_map(|bytes| bytes.try_into().unwrap())
}

/// An image whose lengths may be right, of records that hardly are.
fn any_image() -> impl Strategy<Value = Vec<u8>> {
    let numbers = (0u32..3, 0u32..3, 0u32..4, 0u32..3, 0u32..3, 0usize..3);
    let more = (0u32..3, prop_oneof![Just(0u32), Just(256), 0u32..600]);
    (numbers, more).prop_flat_map(|(numbers, (overrides, rows))| {
        let (pools, ghosts, servers, devices, older, short) = numbers;
        let header = Header {
            pools,
            ghosts,
            servers,
            devices,
            older,
            overrides,
            rows,
        };
        let len = header.image_len() - Header::SIZE;
        proptest::collection::vec(byte(), len.saturating_sub(short))
            .prop_map(move |records| [&header.encode()[..], &records].concat())
    })
}

proptest! {
    #[test]
    fn structures(
        apply in raw::<{ Apply::SIZE }>(),
        set in raw::<{ Set::SIZE }>(),
        dump in raw::<{ Dump::SIZE }>(),
        lookup in raw::<{ Lookup::SIZE }>(),
        stats in raw::<{ Stats::SIZE }>(),
        info in raw::<{ Info::SIZE }>(),
        event in raw::<{ Event::SIZE }>(),
        pool in raw::<{ Pool::SIZE }>(),
        ghost in raw::<{ Ghost::SIZE }>(),
        server in raw::<{ Server::SIZE }>(),
        device in raw::<{ Device::SIZE }>(),
        answer in raw::<{ Answer::SIZE }>(),
        transition in raw::<{ Transition::SIZE }>(),
        older in raw::<{ Older::SIZE }>(),
        override_ in raw::<{ Override::SIZE }>(),
    ) {
        if let Ok(request) = Apply::decode(&apply) {
            prop_assert_eq!(request.encode(), apply);
        }
        if let Ok(request) = Set::decode(&set) {
            prop_assert_eq!(request.encode(), set);
        }
        if let Ok(request) = Dump::decode(&dump) {
            prop_assert_eq!(request.encode(), dump);
        }
        if let Ok(request) = Lookup::decode(&lookup) {
            prop_assert_eq!(request.encode(), lookup);
        }
        if let Ok(request) = Stats::decode(&stats) {
            prop_assert_eq!(request.encode(), stats);
        }
        if let Ok(pool_) = Pool::decode(&pool) {
            prop_assert_eq!(pool_.encode(), pool);
        }
        if let Ok(ghost_) = Ghost::decode(&ghost) {
            prop_assert_eq!(ghost_.encode(), ghost);
        }
        if let Ok(server_) = Server::decode(&server) {
            prop_assert_eq!(server_.encode(), server);
        }
        if let Ok(entry) = Override::decode(&override_) {
            prop_assert_eq!(entry.encode(), override_);
        }
        if let Ok(device_) = Device::decode(&device) {
            prop_assert_eq!(device_.encode(), device);
        }
        if let Ok((name, ifindex)) = Device::decode_dumped(&device) {
            prop_assert_eq!(Device { name }.encode_dumped(ifindex), device);
        }
        if let Ok((server_, status)) = Server::decode_dumped(&server) {
            prop_assert_eq!(server_.encode_dumped(&status), server);
        }
        if let Ok(request) = Answer::decode(&answer) {
            prop_assert_eq!(request.encode(), answer);
        }
        if let Ok(request) = Transition::decode(&transition) {
            prop_assert_eq!(request.encode(), transition);
        }
        if let Ok(older_) = Older::decode_dumped(&older) {
            prop_assert_eq!(older_.encode(), older);
        }
        if let Ok((pool_, digest, tracked)) = Pool::decode_dumped(&pool) {
            prop_assert_eq!(pool_.encode_dumped(digest, tracked), pool);
        }
        let _ = (Info::check(&info), Info::decode(&info), Event::decode(&event));
        let _ = (Apply::outcome(&apply), Set::outcome(&set), Dump::dumped(&dump));
        let _ = (Lookup::found(&lookup), Apply::message(&apply));
        let _ = (Transition::outcome(&transition), Answer::changed(&answer));
    }

    #[test]
    fn images(raw in any_image()) {
        survived(&raw);
    }

    /// One that is valid, but for a few bytes.
    #[test]
    fn damaged(changes in proptest::collection::vec((any::<proptest::sample::Index>(), byte()), 0..4)) {
        let mut raw = sample().encode();
        for (at, byte) in changes {
            let at = at.index(raw.len());
            raw[at] = byte;
        }
        survived(&raw);
    }

    #[test]
    fn any_bytes_as_image(raw in proptest::collection::vec(any::<u8>(), 0..64)) {
        prop_assert!(Image::new(&raw).is_err());
    }

    #[test]
    fn texts(text in ".{0,70}") {
        if let Ok(name) = Name::new("name", &text) {
            prop_assert_eq!(name.as_str(), &text);
        }
        if let Ok(device) = DeviceName::new(&text) {
            prop_assert_eq!(device.as_str(), &text);
        }
        if let Ok(reason) = Reason::new("reason", &text) {
            prop_assert_eq!(reason.as_str(), &text);
        }
        let clipped = Actor::clipped(&text);
        prop_assert!(text.starts_with(clipped.as_str()));
        prop_assert!(clipped.as_str().len() < 32);
        let fits = text.len() < 32 && !text.contains('\0');
        prop_assert_eq!(fits, clipped.as_str() == text);
    }
}
