// SPDX-License-Identifier: GPL-2.0
//! Devices, and the shapes that need them.

mod sample;

use onehop_uapi::*;
use sample::{check, device, sample};

const EEXIST: i32 = 17;
const ENODEV: i32 = 19;
const EINVAL: i32 = 22;
const EBADMSG: i32 = 74;

const POOL: usize = Header::SIZE;
const DEVICE: usize = POOL + 2 * Pool::SIZE + 3 * Ghost::SIZE + 5 * Server::SIZE;

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Invalid>, errno: i32, sentence: &str) {
    let invalid = result.unwrap_err();
    assert_eq!((invalid.errno(), &*invalid.to_string()), (errno, sentence));
}

/// Overwrites bytes at an offset into the sample's image.
#[track_caller]
fn patched(offset: usize, bytes: &[u8], errno: i32, sentence: &str) {
    let mut raw = sample().encode();
    raw[offset..][..bytes.len()].copy_from_slice(bytes);
    refused(check(&raw), errno, sentence);
}

#[test]
fn shapes() {
    let at = "pool 0 \"web\": shape";
    let without = format!("{at} \"1\" must be 0 without mode broadcast");
    for (mode, method) in [(1, 1), (3, 0)] {
        patched(
            POOL + 32,
            &[mode, 2, 1, 32, 64, 1, method],
            EINVAL,
            &without,
        );
    }
    for shape in [0, 4] {
        let shapes = "must be 1 (broadcast) or 2 (multicast) or 3 (igmp)";
        let sentence = format!("{at} \"{shape}\" {shapes}");
        patched(POOL + 32, &[2, 2, 1, 32, 64, shape, 0], EINVAL, &sentence);
    }
    for shape in Shape::ALL {
        let mut sample = sample();
        sample.pools[0].mode = Mode::Broadcast;
        sample.pools[0].shape = Some(*shape);
        sample.pools[0].method = None;
        assert_eq!(check(&sample.encode()), Ok(()));
        sample.devices.clear();
        let checked = check(&sample.encode());
        if *shape == Shape::Broadcast {
            assert_eq!(checked, Ok(()));
        } else {
            let sentence = format!("{at} \"{shape}\" must be broadcast until a device is named");
            refused(checked, ENODEV, &sentence);
        }
    }
}

#[test]
fn devices() {
    let names = "must be a device name: 1 to 15 visible characters of ASCII, neither / nor :";
    for (name, shown) in [
        (&b"e/0\0"[..], "e/0"),
        (b"e:0\0", "e:0"),
        (b"e 0\0", "e 0"),
        (b".\0\0\0", "."),
        (b"..\0\0", ".."),
        (b"e\xc3\xa4\0", "e\\xc3\\xa4"),
        (b"\0\0\0\0", ""),
        (b"e\0h0", "e\\x00h0"),
        (b"sixteen-letters!", "sixteen-letters!"),
    ] {
        let sentence = format!("device 0: name \"{shown}\" {names}");
        patched(DEVICE, name, EBADMSG, &sentence);
    }
    for (offset, field) in [(16, "ifindex"), (20, "pad")] {
        let sentence = format!("device 1: {field} \"3\" must be zero in every byte");
        patched(DEVICE + Device::SIZE + offset, &[3], EINVAL, &sentence);
    }
    let twice = "device 1: name \"eth0\" must be unique";
    let mut sample = sample();
    sample.devices[1] = device("eth0");
    refused(check(&sample.encode()), EEXIST, twice);
    let long = format!("name \"sixteen-letters!\" {names}");
    refused(DeviceName::new("sixteen-letters!"), EBADMSG, &long);
    let nul = format!("name \"e\\x00h\" {names}");
    refused(DeviceName::new("e\0h"), EBADMSG, &nul);
    assert_eq!(
        DeviceName::new("br-lan.100@if%d").unwrap().as_str(),
        "br-lan.100@if%d"
    );
}
