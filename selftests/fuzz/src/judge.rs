// SPDX-License-Identifier: GPL-2.0

//! Sends frames one after the other and judges each; then what has been counted of all.

use crate::bed::{Bed, Server};
use crate::counters::{self, Counters, Expected};
use crate::kind::Kind;
use crate::mutation;
use crate::output::compare;
use crate::random::Random;
use crate::verdict::Verdict;
use crate::wire::Wire;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Counters of packets that nobody was asked the owner of.
const UNDECIDED: [&str; 3] = ["drop_disabled", "drop_malformed", "drop_not_dispatched"];

/// More than a machine that is busy with other things takes.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct Judge {
    pub bed: Bed,
    pub wire: Wire,
    pub tool: String,
    pub seed: u64,
    /// Before the frames to come.
    pub counters: Counters,
}

/// What became of frames of one kind.
#[derive(Default)]
pub struct Report {
    pub sent: u64,
    /// By the tap.
    pub refused: u64,
    pub doubtful: u64,
    pub rise: Counters,
}

impl Report {
    /// How many came as far as the question whose they are.
    pub fn decided(&self) -> u64 {
        let ends = self
            .rise
            .iter()
            .filter(|(name, _)| counters::is_end(name) && !UNDECIDED.contains(&&name[..]));
        ends.map(|(_, value)| value).sum()
    }

    pub fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.refused += other.refused;
        self.doubtful += other.doubtful;
        for (name, value) in &other.rise {
            *self.rise.entry(name.clone()).or_default() += value;
        }
    }
}

impl Judge {
    /// Waits until the dispatcher knows its peers, which it learns a moment after it has been
    /// configured: until a frame of one is not sent on again.
    ///
    /// # Errors
    ///
    /// It does not learn.
    pub fn await_peers(&mut self) -> Result<(), String> {
        const MISDIRECTED: &str = "drop_misdirected";
        let from_peer = (0..)
            .map(|index| {
                let mut frame = Kind::Tcp4.make(&mut Random::new(0, 0, index));
                frame.bytes[6..12].copy_from_slice(&Server::of(1).mac);
                frame
            })
            .find(|frame| Verdict::of(&self.bed, frame).counter == Some(MISDIRECTED));
        let frame = from_peer.ok_or("no client is a peer's")?;
        let begun = Instant::now();
        while self.counters.get(MISDIRECTED) == Some(&0) {
            if begun.elapsed() > PATIENCE {
                return Err(format!("peers are not known after {PATIENCE:?}"));
            }
            let sent = self.wire.send(&frame).and_then(|_| self.wire.sent());
            sent.map_err(|error| format!("the tap: {error}"))?;
            self.counters = counters::read(&self.tool)?;
        }
        Ok(())
    }

    /// Frames of one kind.
    ///
    /// # Errors
    ///
    /// What is wrong with which, and how to send that alone.
    pub fn run(&mut self, kind: Kind, range: Range<u64>) -> Result<Report, String> {
        match self.counted(kind, range.clone())? {
            (report, Ok(())) => Ok(report),
            (_, Err(wrong)) => Err(self.narrowed(kind, range, wrong)),
        }
    }

    /// A frame that is counted wrong: a range that has one is halved until only that is left, as
    /// the module remembers none of those before.
    fn narrowed(&mut self, kind: Kind, mut range: Range<u64>, mut wrong: String) -> String {
        while range.end - range.start > 1 {
            let middle = range.start + (range.end - range.start) / 2;
            let halves = [range.start..middle, middle..range.end];
            let mut found = None;
            for half in halves {
                match self.counted(kind, half.clone()) {
                    Ok((_, Ok(()))) => {}
                    Ok((_, Err(wrong))) => {
                        found = Some((half, wrong));
                        break;
                    }
                    Err(other) => return other,
                }
            }
            let Some((half, why)) = found else {
                return format!("{wrong}, with all of {}:{range:?}", kind.name());
            };
            (range, wrong) = (half, why);
        }
        self.named(kind, range.start, &wrong)
    }

    fn named(&self, kind: Kind, index: u64, wrong: &str) -> String {
        let frame = mutation::frame(self.seed, kind, index);
        format!(
            "{wrong}\nframe: {frame}\nexpected: {}\nalone: --seed {} --only {}:{index}",
            Verdict::of(&self.bed, &frame),
            self.seed,
            kind.name()
        )
    }

    /// And what is wrong with the counters.
    #[allow(
        clippy::type_complexity,
        reason = "what ends the run, and what is looked into"
    )]
    fn counted(
        &mut self,
        kind: Kind,
        range: Range<u64>,
    ) -> Result<(Report, Result<(), String>), String> {
        let mut expected = Expected::default();
        let mut report = Report::default();
        for index in range {
            let frame = mutation::frame(self.seed, kind, index);
            let verdict = Verdict::of(&self.bed, &frame);
            let is_taken = self.wire.send(&frame);
            let sent = self.wire.sent();
            let (is_taken, sent) = is_taken
                .and_then(|is_taken| Ok((is_taken, sent?)))
                .map_err(|error| self.named(kind, index, &format!("the tap: {error}")))?;
            report.sent += 1;
            if !is_taken {
                report.refused += 1;
                continue;
            }
            expected.count(&verdict);
            compare(&frame, &verdict, &sent).map_err(|wrong| self.named(kind, index, &wrong))?;
        }
        report.doubtful = expected.doubtful;
        let counters = counters::read(&self.tool)?;
        report.rise = counters::rise(&self.counters, &counters);
        self.counters = counters;
        let verdict = expected.compare(&report.rise);
        Ok((report, verdict))
    }
}
