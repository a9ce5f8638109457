// SPDX-License-Identifier: GPL-2.0

//! The group addresses of mode broadcast.

use onehop_dispatch::addr::Address;
use onehop_dispatch::group::{group, link, Shape};
use proptest::prelude::*;
use std::net::{Ipv4Addr, Ipv6Addr};

fn v4(text: &str) -> Address {
    Address::V4(text.parse::<Ipv4Addr>().unwrap().octets())
}

fn v6(text: &str) -> Address {
    Address::V6(text.parse::<Ipv6Addr>().unwrap().octets())
}

#[test]
fn multicast() {
    let ours = |ghost| link(Shape::Multicast, ghost);
    assert_eq!(ours(v4("192.0.2.80")), [0x03, 0xbf, 192, 0, 2, 80]);
    assert_eq!(ours(v4("10.255.128.1")), [0x03, 0xbf, 10, 255, 128, 1]);
    let ghost = v6("2001:db8:1:2:3:4:5678:9abc");
    assert_eq!(ours(ghost), [0x03, 0xbf, 0x56, 0x78, 0x9a, 0xbc]);
}

#[test]
fn igmp() {
    let ours = |ghost| link(Shape::Igmp, ghost);
    assert_eq!(ours(v4("192.0.2.80")), [0x01, 0, 0x5e, 0x7f, 2, 80]);
    assert_eq!(group(v4("192.0.2.80")), v4("239.255.2.80"));
    let ghost = v6("2001:db8:1:2:3:4:5678:9abc");
    assert_eq!(group(ghost), v6("ff15::5678:9abc"));
    assert_eq!(ours(ghost), [0x33, 0x33, 0x56, 0x78, 0x9a, 0xbc]);
}

proptest! {
    /// The link address is the one under which the stack sends to the group and listens to it.
    #[test]
    fn igmp_is_the_groups_own(four: [u8; 4], six: [u8; 16]) {
        let Address::V4(bytes) = group(Address::V4(four)) else { panic!("another family") };
        prop_assert!(Ipv4Addr::from(bytes).is_multicast());
        let low = u32::from_be_bytes(bytes) & 0x007f_ffff | 0x5e00_0000;
        let expected = [&[0x01, 0x00], &low.to_be_bytes()[..]].concat();
        prop_assert_eq!(&link(Shape::Igmp, Address::V4(four))[..], expected);

        let Address::V6(bytes) = group(Address::V6(six)) else { panic!("another family") };
        prop_assert!(Ipv6Addr::from(bytes).is_multicast());
        let expected = [&[0x33, 0x33], &bytes[12..]].concat();
        prop_assert_eq!(&link(Shape::Igmp, Address::V6(six))[..], expected);
    }

    /// A frame to it is one to a group, and the first bit sent says so.
    #[test]
    fn all_are_groups(four: [u8; 4], six: [u8; 16]) {
        for shape in [Shape::Multicast, Shape::Igmp] {
            for ghost in [Address::V4(four), Address::V6(six)] {
                prop_assert_eq!(link(shape, ghost)[0] & 1, 1);
            }
        }
    }
}
