// SPDX-License-Identifier: GPL-2.0
//! How far the reading has come, for whoever waits at a terminal.

use std::io::Write;
use std::time::{Duration, Instant};

/// How often that is shown, and for how long there is nothing to show.
const EVERY: Duration = Duration::from_millis(200);
/// How wide the bar is.
const WIDTH: u64 = 30;

/// A line on a terminal.
pub struct Progress<'a> {
    terminal: Option<&'a mut dyn Write>,
    /// How many bytes there are, if that is known.
    total: Option<u64>,
    last: Instant,
    shown: bool,
}

impl<'a> Progress<'a> {
    pub fn new(terminal: Option<&'a mut (dyn Write + 'a)>, total: Option<u64>) -> Self {
        Self {
            terminal,
            total,
            last: Instant::now(),
            shown: false,
        }
    }

    /// Shows that so many bytes have been read. Nothing depends on whether it can be shown.
    pub fn show(&mut self, done: u64) {
        if self.last.elapsed() < EVERY {
            return;
        }
        if let Some(terminal) = &mut self.terminal {
            let _ = write!(terminal, "\r{}\x1b[K", bar(done, self.total));
            let _ = terminal.flush();
            self.shown = true;
            self.last = Instant::now();
        }
    }

    /// Leaves the line empty.
    pub fn clear(&mut self) {
        if let Some(terminal) = self.terminal.as_mut().filter(|_| self.shown) {
            let _ = write!(terminal, "\r\x1b[K");
            let _ = terminal.flush();
        }
    }
}

fn bar(done: u64, total: Option<u64>) -> String {
    let read = done >> 20;
    match total.filter(|total| *total > 0) {
        None => format!("{read} MiB"),
        Some(total) => {
            let done = done.min(total);
            let full = usize::try_from(done.saturating_mul(WIDTH) / total).unwrap_or(0);
            let empty = WIDTH as usize - full;
            format!(
                "[{}{}] {:3} %  {read} of {} MiB",
                "#".repeat(full),
                ".".repeat(empty),
                done.saturating_mul(100) / total,
                total >> 20
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars() {
        assert_eq!(bar(3 << 20, None), "3 MiB");
        assert_eq!(bar(0, Some(0)), "0 MiB");
        let half = "[###############...............]  50 %  1 of 2 MiB";
        assert_eq!(bar(1 << 20, Some(2 << 20)), half);
        // A log that grows meanwhile.
        assert!(bar(5 << 20, Some(2 << 20)).contains("] 100 %"));
    }
}
