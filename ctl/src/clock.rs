// SPDX-License-Identifier: GPL-2.0
//! Times as people and machines read them.

use std::time::{SystemTime, UNIX_EPOCH};

const SECOND: u64 = 1_000_000_000;

/// Nanoseconds since 1970.
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos() as u64)
}

/// A time in RFC 3339, in UTC, with `digits` decimals of a second.
pub(crate) fn rfc3339(time: u64, digits: usize) -> String {
    let (seconds, fraction) = (time / SECOND, time % SECOND);
    let (year, month, day) = date(seconds / 86400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let fraction = match digits {
        0 => String::new(),
        _ => format!(".{}", &format!("{fraction:09}")[..digits.min(9)]),
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// How long ago a time was, in its largest unit.
pub(crate) fn age(time: u64, now: u64) -> String {
    let seconds = now.saturating_sub(time) / SECOND;
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86400),
    }
}

/// How long something will take, in its two largest units.
pub(crate) fn left(seconds: u64) -> String {
    let units = [(86400, "d"), (3600, "h"), (60, "min"), (1, "s")];
    let parts = units.windows(2).find(|pair| seconds >= pair[0].0);
    match parts {
        Some(&[(large, name), (small, below)]) => match seconds % large / small {
            0 => format!("{} {name}", seconds / large),
            rest => format!("{} {name} {rest} {below}", seconds / large),
        },
        _ => format!("{seconds} s"),
    }
}

/// The Gregorian date of a day since 1970. Years are counted from March, so that
/// the leap day is the last one: then a day of the year has its month by a line
/// through the lengths 31, 30, 31, 30, 31 that repeat from March on.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468; // from 0000-03-01 to 1970-01-01
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (era * 400 + year + carry, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        let date = |seconds| {
            rfc3339(seconds * SECOND, 0)
                .split_once('T')
                .unwrap()
                .0
                .to_owned()
        };
        // As `date -u -d @SECONDS +%F` prints them.
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(951_782_400), "2000-02-29");
        assert_eq!(date(1_709_164_800), "2024-02-29");
        assert_eq!(date(1_709_251_200), "2024-03-01");
        assert_eq!(date(4_107_542_400), "2100-03-01");
        assert_eq!(date(1_767_225_599), "2025-12-31");
    }

    #[test]
    fn decimals() {
        assert_eq!(rfc3339(1_234_567_890, 3), "1970-01-01T00:00:01.234Z");
        assert_eq!(rfc3339(SECOND, 0), "1970-01-01T00:00:01Z");
        assert_eq!(rfc3339(1, 9), "1970-01-01T00:00:00.000000001Z");
    }

    #[test]
    fn what_is_left() {
        let left = [0, 59, 60, 61, 3600, 5400, 604_799].map(left);
        let expected = [
            "0 s",
            "59 s",
            "1 min",
            "1 min 1 s",
            "1 h",
            "1 h 30 min",
            "6 d 23 h",
        ];
        assert_eq!(left, expected);
    }

    #[test]
    fn ages() {
        let ages = [59, 60, 3600, 200_000].map(|seconds| age(SECOND, (seconds + 1) * SECOND));
        assert_eq!(ages, ["59 s ago", "1 min ago", "1 h ago", "2 d ago"]);
        assert_eq!(age(SECOND, 0), "0 s ago");
    }
}
