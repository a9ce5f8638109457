// SPDX-License-Identifier: GPL-2.0
//! The limits of the interface, as `onehop.h` names them.

/// `ONEHOP_ABI`: the version of this interface.
pub const ABI: u32 = 4;

/// `ONEHOP_NAME_LEN`: bytes of a name, its last NUL included.
pub const NAME_LEN: usize = 32;
/// `ONEHOP_REASON_LEN`: bytes of a reason, its last NUL included.
pub const REASON_LEN: usize = 64;
/// `ONEHOP_MESSAGE_LEN`: bytes of a message, its last NUL included.
pub const MESSAGE_LEN: usize = 256;
/// `ONEHOP_DEVICE_LEN`: bytes of a device name, its last NUL included.
pub const DEVICE_LEN: usize = 16;

/// `ONEHOP_MAX_POOLS`: pools in a namespace.
pub const MAX_POOLS: u32 = 256;
/// `ONEHOP_MAX_GHOSTS`: ghosts in a namespace.
pub const MAX_GHOSTS: u32 = 256;
/// `ONEHOP_MAX_DEVICES`: devices in a namespace.
pub const MAX_DEVICES: u32 = 16;
/// `ONEHOP_MAX_OVERRIDES`: overrides in a namespace.
pub const MAX_OVERRIDES: u32 = 4096;
/// `ONEHOP_MAX_SERVERS`: servers in a pool; their ids are smaller than this.
pub const MAX_SERVERS: u16 = 1024;
/// `ONEHOP_MAX_WEIGHT`: the largest weight; the smallest is 1.
pub const MAX_WEIGHT: u16 = 1000;
/// `ONEHOP_MIN_ROWS`: the fewest rows of a hashed pool.
pub const MIN_ROWS: u32 = 256;
/// `ONEHOP_MAX_ROWS`: the most rows of a hashed pool.
pub const MAX_ROWS: u32 = 65536;
/// `ONEHOP_MAX_IMAGE`: bytes of an image.
pub const MAX_IMAGE: u32 = 16 << 20;
/// `ONEHOP_NO_SERVER`: stands where a server id would, if there were a server.
pub const NO_SERVER: u16 = 0xffff;
/// `ONEHOP_MAX_FUNCTIONS`: functions of a pool at a time: the newest and those before it.
pub const MAX_FUNCTIONS: usize = 8;
/// `ONEHOP_MAX_SECONDS`: how long a transition may be set to last.
pub const MAX_SECONDS: u32 = 604_800;
/// `ONEHOP_FOREVER`: stands where seconds would, if there were an end.
pub const FOREVER: u32 = u32::MAX;
/// `ONEHOP_RUNNERS_UP`: how many successors of an owner LOOKUP names.
pub const RUNNERS_UP: usize = 4;

/// `ONEHOP_SERVER_START_DOWN`.
pub const SERVER_START_DOWN: u8 = 1;
/// `ONEHOP_SERVER_LEAVING`.
pub const SERVER_LEAVING: u8 = 2;
/// `ONEHOP_DRY_RUN`.
pub const DRY_RUN: u32 = 1;
/// `ONEHOP_EXPECT`.
pub const EXPECT: u32 = 2;
/// `ONEHOP_NOW`.
pub const NOW: u32 = 4;
