// SPDX-License-Identifier: GPL-2.0

//! Images: bytes as they come, and a valid one in which some are replaced.

#![no_main]

#[path = "../../uapi/tests/image/mod.rs"]
mod image;
#[path = "../../uapi/tests/sample/mod.rs"]
mod sample;

libfuzzer_sys::fuzz_target!(|raw: &[u8]| {
    image::survived(raw);
    // Where, 16 bits; and what.
    let mut whole = sample::sample().encode();
    for change in raw.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]]));
        let at = at % whole.len();
        whole[at] = change[2];
    }
    image::survived(&whole);
});
