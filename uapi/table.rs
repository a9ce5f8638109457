// SPDX-License-Identifier: GPL-2.0
//! The table of a pool of kind `table`: the owner of each row, two bytes a row.

use super::limits::NO_SERVER;

/// A table, as it lies in an image.
#[derive(Clone, Copy)]
pub struct Table<'a>(&'a [u8]);

impl<'a> Table<'a> {
    /// Bytes of a row.
    pub const ROW: usize = 2;

    pub(super) fn new(rows: &'a [u8]) -> Self {
        Self(rows)
    }

    /// The owners by row in order, as ids; `ONEHOP_NO_SERVER` where there is none.
    pub fn owners(&self) -> impl ExactSizeIterator<Item = u16> + 'a {
        let rows = self.0.chunks_exact(Self::ROW);
        rows.map(|row| {
            row.first_chunk()
                .map_or(NO_SERVER, |row| u16::from_ne_bytes(*row))
        })
    }

    /// Writes one row.
    pub fn encode(owner: u16) -> [u8; 2] {
        owner.to_ne_bytes()
    }
}
