// SPDX-License-Identifier: GPL-2.0

//! Wall-clock time.

use kernel::time::{ClockSource, RealTime};

/// Nanoseconds since 1970, as user space reads them from `CLOCK_REALTIME`. Any context.
pub(crate) fn realtime_ns() -> u64 {
    // Never negative by the contract of `ClockSource`.
    RealTime::ktime_get().unsigned_abs()
}
