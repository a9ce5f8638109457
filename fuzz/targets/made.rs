// SPDX-License-Identifier: GPL-2.0

//! Packets of which it is known whose they are.

#![no_main]

#[path = "../../dispatch/tests/packet4/mod.rs"]
mod packet4;
#[path = "../../dispatch/tests/packet6/mod.rs"]
mod packet6;

#[path = "../../dispatch/tests/made/ipv4.rs"]
mod ipv4;
#[path = "../../dispatch/tests/made/ipv6.rs"]
mod ipv6;

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use packet6::{authentication, extension, fragment, Extension, DESTINATION, HOP_BY_HOP, ROUTING};

libfuzzer_sys::fuzz_target!(|raw: &[u8]| {
    let mut raw = Unstructured::new(raw);
    if let Ok(made) = four(&mut raw) {
        made.check();
    }
    if let Ok(made) = six(&mut raw) {
        made.check();
    }
});

fn four(raw: &mut Unstructured<'_>) -> Result<ipv4::Made> {
    let someone = |raw: &mut Unstructured<'_>| -> Result<[u8; 4]> {
        Ok(match raw.arbitrary::<u8>()? {
            0..=99 => ipv4::GHOST,
            100..=199 => ipv4::ALICE,
            _ => raw.arbitrary()?,
        })
    };
    Ok(ipv4::Made {
        source: someone(raw)?,
        from: someone(raw)?,
        to: someone(raw)?,
        options: raw.int_in_range(0..=10)?,
        fragment: raw.int_in_range(0..=0x3fff)?,
        protocol: *raw.choose(&[packet4::ICMP, packet4::TCP, packet4::UDP])?,
        kind: raw.arbitrary()?,
        inner: raw.int_in_range(0..=10)?,
        cut: raw.int_in_range(20..=150)?,
    })
}

fn six(raw: &mut Unstructured<'_>) -> Result<ipv6::Made> {
    let chain: Result<Vec<Extension>> = (0..raw.int_in_range(0..=8)?)
        .map(|_| {
            Ok(match raw.int_in_range(0..=4)? {
                0 => fragment(raw.int_in_range(0..=0x1fff)?, raw.arbitrary()?),
                1 => authentication(raw.int_in_range(2..=66)? * 4),
                number => {
                    let number = [HOP_BY_HOP, ROUTING, DESTINATION][number - 2];
                    extension(number, raw.int_in_range(1..=24)? * 8)
                }
            })
        })
        .collect();
    Ok(ipv6::Made {
        chain: chain?,
        protocol: *raw.choose(&[packet6::ICMP, packet6::TCP, packet6::UDP, packet6::ESP])?,
        kind: raw.arbitrary()?,
        to: raw.arbitrary()?,
        ours: raw.arbitrary()?,
    })
}
