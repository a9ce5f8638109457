// SPDX-License-Identifier: GPL-2.0

//! SipHash: 1-3 for decisions, 2-4 for digests.
//!
//! Decisions need a keyed hash, or anyone could choose addresses that share a row and bury one
//! server. 1-3 is what the Rust and Python hash tables use against the same attacker; nobody sees
//! its output here, only which server answers. Digests are compared by eye between machines and
//! their key is public, so they take the variant with the margin; they are not a defence against
//! someone who may write the configuration.
//!
//! Words are little-endian on every machine, as the algorithm wants.

/// The four words of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    v0: u64,
    v1: u64,
    v2: u64,
    v3: u64,
}

impl State {
    #[inline]
    const fn new(k0: u64, k1: u64) -> Self {
        Self {
            v0: k0 ^ 0x736f_6d65_7073_6575,
            v1: k1 ^ 0x646f_7261_6e64_6f6d,
            v2: k0 ^ 0x6c79_6765_6e65_7261,
            v3: k1 ^ 0x7465_6462_7974_6573,
        }
    }

    #[inline(always)]
    fn round(&mut self) {
        self.v0 = self.v0.wrapping_add(self.v1);
        self.v2 = self.v2.wrapping_add(self.v3);
        self.v1 = self.v1.rotate_left(13) ^ self.v0;
        self.v3 = self.v3.rotate_left(16) ^ self.v2;
        self.v0 = self.v0.rotate_left(32).wrapping_add(self.v3);
        self.v2 = self.v2.wrapping_add(self.v1);
        self.v1 = self.v1.rotate_left(17) ^ self.v2;
        self.v3 = self.v3.rotate_left(21) ^ self.v0;
        self.v2 = self.v2.rotate_left(32);
    }

    #[inline(always)]
    fn absorb<const ROUNDS: usize>(&mut self, word: u64) {
        self.v3 ^= word;
        for _ in 0..ROUNDS {
            self.round();
        }
        self.v0 ^= word;
    }

    #[inline(always)]
    fn finish<const ROUNDS: usize>(mut self) -> u64 {
        self.v2 ^= 0xff;
        for _ in 0..ROUNDS {
            self.round();
        }
        self.v0 ^ self.v1 ^ self.v2 ^ self.v3
    }
}

/// SipHash-1-3 under a pool's seed, ready for the three kinds of message the law hashes; or under a
/// host's own key, for flows.
///
/// The lengths of a law's messages differ (4, 6 and 16 bytes) and SipHash takes in the length, so
/// no two kinds can have a message in common. The two short ones are a single word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keyed(State);

impl Keyed {
    /// Prepares the state for a seed.
    pub const fn new(seed: [u8; 16]) -> Self {
        let (k0, k1) = halves(seed);
        Self(State::new(k0, k1))
    }

    /// The seed this was made from.
    pub fn seed(&self) -> [u8; 16] {
        let zero = State::new(0, 0);
        let k0 = u128::from(self.0.v0 ^ zero.v0);
        let k1 = u128::from(self.0.v1 ^ zero.v1);
        ((k1 << 64) | k0).to_le_bytes()
    }

    /// The hash of an IPv4 key's 4 bytes.
    #[inline(always)]
    pub fn v4(&self, key: [u8; 4]) -> u64 {
        self.short(4, u32::from_le_bytes(key).into())
    }

    /// The hash of an IPv6 key's 16 bytes.
    #[inline(always)]
    pub fn v6(&self, key: [u8; 16]) -> u64 {
        let (low, high) = halves(key);
        let mut state = self.0;
        state.absorb::<1>(low);
        state.absorb::<1>(high);
        state.absorb::<1>(16 << 56);
        state.finish::<3>()
    }

    /// The hash of a row (4 bytes) and a server id (2 bytes), both big-endian.
    #[inline]
    pub fn pair(&self, row: u32, id: u16) -> u64 {
        let low = u64::from(row.swap_bytes());
        self.short(6, low | (u64::from(id.swap_bytes()) << 32))
    }

    /// The hash of whole words and the 4 bytes behind them, all little-endian.
    #[inline]
    pub fn words<const N: usize>(&self, words: [u64; N], rest: u32) -> u64 {
        let mut state = self.0;
        for word in words {
            state.absorb::<1>(word);
        }
        let length = (N as u64 * 8).wrapping_add(4);
        state.absorb::<1>(u64::from(rest) | (length << 56));
        state.finish::<3>()
    }

    #[inline(always)]
    fn short(&self, length: u64, bytes: u64) -> u64 {
        let mut state = self.0;
        state.absorb::<1>(bytes | (length << 56));
        state.finish::<3>()
    }
}

/// SipHash-2-4 over bytes that come bit by bit.
#[derive(Clone, Copy, Debug)]
pub struct Hasher {
    state: State,
    // The bytes since the last whole word, the first of them lowest.
    tail: u64,
    length: u64,
}

impl Hasher {
    /// Starts under a 16-byte key.
    pub const fn new(key: [u8; 16]) -> Self {
        let (k0, k1) = halves(key);
        Self {
            state: State::new(k0, k1),
            tail: 0,
            length: 0,
        }
    }

    /// Takes in more bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.tail |= u64::from(byte) << (self.length % 8 * 8);
            self.length = self.length.wrapping_add(1);
            if self.length % 8 == 0 {
                self.state.absorb::<2>(self.tail);
                self.tail = 0;
            }
        }
    }

    /// The hash of everything taken in.
    pub fn finish(mut self) -> u64 {
        self.state.absorb::<2>(self.tail | (self.length << 56));
        self.state.finish::<4>()
    }
}

/// Two little-endian words.
#[inline(always)]
const fn halves(bytes: [u8; 16]) -> (u64, u64) {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = bytes;
    (
        u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        u64::from_le_bytes([i, j, k, l, m, n, o, p]),
    )
}
