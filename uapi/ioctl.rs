// SPDX-License-Identifier: GPL-2.0
//! The numbers of the calls, as `_IOWR` of `<asm-generic/ioctl.h>` makes them.

use super::{Answer, Apply, Dump, Info, Lookup, Set, Stats, Transition};

const MAGIC: u32 = 0xb1;

/// `ONEHOP_IOC_INFO`.
pub const INFO: u32 = read_write(1, Info::SIZE);
/// `ONEHOP_IOC_APPLY`.
pub const APPLY: u32 = read_write(2, Apply::SIZE);
/// `ONEHOP_IOC_DUMP`.
pub const DUMP: u32 = read_write(3, Dump::SIZE);
/// `ONEHOP_IOC_SERVER`.
pub const SERVER: u32 = read_write(4, Set::SIZE);
/// `ONEHOP_IOC_LOOKUP`.
pub const LOOKUP: u32 = read_write(5, Lookup::SIZE);
/// `ONEHOP_IOC_STATS`.
pub const STATS: u32 = read_write(6, Stats::SIZE);
/// `ONEHOP_IOC_ANSWER`.
pub const ANSWER: u32 = read_write(7, Answer::SIZE);
/// `ONEHOP_IOC_TRANSITION`.
pub const TRANSITION: u32 = read_write(8, Transition::SIZE);

const fn read_write(number: u32, size: usize) -> u32 {
    // A const fn can not call try_from; no structure has 16384 bytes, the limit
    // of the size field.
    3 << 30 | (size as u32) << 16 | MAGIC << 8 | number
}
