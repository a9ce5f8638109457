// SPDX-License-Identifier: GPL-2.0

//! Numbers that are the same wherever the seed is.

/// SplitMix64: any seed is as good as any other, also one that differs by 1, so that each frame has
/// its own and can be made again without those before it.
pub struct Random(u64);

impl Random {
    /// The numbers of one frame.
    pub fn new(seed: u64, stream: u64, index: u64) -> Self {
        let mut random = Self(seed);
        random.0 ^= random.next() ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03);
        random.0 ^= random.next() ^ index.wrapping_mul(0x8cb9_2ba7_2f3d_8dd7);
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// From `first` to `last`, both of them among them.
    pub fn within(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn byte(&mut self) -> u8 {
        self.next() as u8
    }

    pub fn word(&mut self) -> u16 {
        self.next() as u16
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.byte()).collect()
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}
