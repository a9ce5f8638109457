// SPDX-License-Identifier: GPL-2.0
//! Seeds: 16 bytes, written as 32 hexadecimal digits.

use std::fs::File;
use std::io::{self, Read};

/// What a seed has to be.
pub const EXPECTED: &str = "32 hexadecimal digits";

/// Draws a seed that nobody can guess.
pub fn fresh() -> io::Result<[u8; 16]> {
    let mut seed = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut seed)?;
    Ok(seed)
}

pub fn parse(text: &str) -> Option<[u8; 16]> {
    let all_digits = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u128::from_str_radix(text, 16).ok();
    number.filter(|_| all_digits).map(u128::to_be_bytes)
}

pub fn format(seed: [u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(seed))
}
