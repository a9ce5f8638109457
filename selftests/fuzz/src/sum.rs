// SPDX-License-Identifier: GPL-2.0

//! The Internet checksum (RFC 1071).

/// Of bytes in which its own field is 0, or, with the field, 0 where it is right.
pub fn checksum(bytes: &[u8]) -> u16 {
    let mut sum = 0u64;
    for pair in bytes.chunks(2) {
        sum += u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0));
    }
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    !(sum as u16)
}

/// Of a payload with the pseudo header of either family.
pub fn transport(source: &[u8], destination: &[u8], protocol: u8, payload: &[u8]) -> u16 {
    let length = payload.len() as u32;
    let mut all = [source, destination, &length.to_be_bytes()].concat();
    all.extend([0, 0, 0, protocol]);
    all.extend(payload);
    checksum(&all)
}
