// SPDX-License-Identifier: GPL-2.0

//! Time.

use kernel::time::{ClockSource, Monotonic, RealTime};

/// Nanoseconds since 1970, as user space reads them from `CLOCK_REALTIME`. Any context.
pub(crate) fn realtime_ns() -> u64 {
    // Never negative by the contract of `ClockSource`.
    RealTime::ktime_get().unsigned_abs()
}

/// Milliseconds since the boot, less those asleep: the clock of work put off. Any context.
pub(crate) fn uptime_ms() -> u64 {
    // Never negative by the contract of `ClockSource`.
    Monotonic::ktime_get().unsigned_abs() / 1_000_000
}
