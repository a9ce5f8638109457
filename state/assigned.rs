// SPDX-License-Identifier: GPL-2.0

//! What of a dispatch function is laid down client by client or row by row, not computed.

use crate::dispatch::{
    function::Explicit,
    overrides::{flatten, most_ranges, Override, Range},
};
use kernel::{alloc::KVVec, prelude::*, sync::Arc};

/// Immutable, and shared by the functions of a pool that differ in their servers only.
pub(crate) struct Assigned {
    /// Kind table: the owner of each row, [`crate::dispatch::hash::NONE`] where the ranking decides.
    /// Else empty.
    pub(crate) table: KVVec<u16>,
    /// By prefix.
    pub(crate) overrides: KVVec<Override>,
    /// The same for a binary search.
    ranges: KVVec<Range>,
}

impl Assigned {
    /// Of a table, and of overrides by ascending prefix.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new(table: KVVec<u16>, overrides: KVVec<Override>) -> Result<Arc<Self>> {
        let number = most_ranges(overrides.len());
        let mut ranges = KVVec::with_capacity(number, GFP_KERNEL_ACCOUNT)?;
        flatten(&overrides, |range| ranges.push(range, GFP_KERNEL_ACCOUNT))?;
        let assigned = Self {
            table,
            overrides,
            ranges,
        };
        Ok(Arc::new(assigned, GFP_KERNEL_ACCOUNT)?)
    }

    /// Any context.
    #[inline(always)]
    pub(crate) fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    /// As the law names its reasons.
    pub(crate) fn explicit(&self) -> Explicit<'_> {
        Explicit {
            table: &self.table,
            overrides: &self.overrides,
        }
    }

    /// Whether it is made of these.
    pub(crate) fn is(&self, table: &[u16], overrides: &[Override]) -> bool {
        *self.table == *table && *self.overrides == *overrides
    }
}
