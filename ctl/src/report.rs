// SPDX-License-Identifier: GPL-2.0
//! Saying what a change has done, or would do.

use onehop_uapi::{Condition, Name, Outcome, Span};
use serde::Serialize;

use crate::diff::Line;
use crate::forecast::Forecast;
use crate::pick::quoted;
use crate::{clock, Context, Error};

/// What becomes of existing connections of clients that move.
#[derive(Clone, Copy)]
pub enum Fate {
    /// They move too, at once.
    Move,
    /// They stay where they began, for so long.
    Stay(Span),
}

impl Fate {
    pub fn of(condition: &Condition) -> Self {
        match condition.now {
            true => Self::Move,
            false => Self::Stay(condition.span),
        }
    }
}

/// When they move after all.
enum End {
    AtOnce,
    At(u64),
    Commit,
    /// When the setting says, which cannot be read.
    Setting,
}

const SETTING: &str = "net.onehop.transition_seconds";
const SETTING_FILE: &str = "/proc/sys/net/onehop/transition_seconds";

/// A change that was made, or that would be.
pub struct Done {
    pub dry_run: bool,
    pub outcome: Outcome,
    /// That of the outcome, where it can be known.
    pub digest: Option<u64>,
    pub fate: Fate,
    /// Servers that are made down: theirs end in any case.
    pub downed: Vec<Name>,
    pub diff: Vec<Line>,
    pub forecast: Option<Forecast>,
}

#[derive(Serialize)]
struct Report {
    changed: bool,
    generation: u64,
    digest: Option<String>,
    moved_ppm: u32,
    connections: Option<&'static str>,
    until: Option<String>,
    diff: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pools: Option<Forecast>,
}

impl Done {
    pub fn new(outcome: Outcome, fate: Fate) -> Self {
        Self {
            dry_run: false,
            digest: Some(outcome.digest),
            outcome,
            fate,
            downed: Vec::new(),
            diff: Vec::new(),
            forecast: None,
        }
    }

    pub fn report(self, context: &mut Context<'_>) -> Result<(), Error> {
        let end = match self.outcome.moved {
            0 => None,
            _ => Some(self.end(context)),
        };
        let note = end.as_ref().map(|end| self.note(end));
        if context.json {
            self.json(context, end)?;
        } else {
            self.text(context)?;
        }
        match note {
            Some(note) => context.note(&note),
            None => Ok(()),
        }
    }

    fn end(&self, context: &mut Context<'_>) -> End {
        let seconds = match self.fate {
            Fate::Move => return End::AtOnce,
            Fate::Stay(Span::Forever) => return End::Commit,
            Fate::Stay(Span::Seconds(seconds)) => Some(u64::from(seconds)),
            Fate::Stay(Span::Default) => {
                let setting = context.system.file(SETTING_FILE);
                setting.and_then(|text| text.trim().parse::<u64>().ok())
            }
        };
        match seconds {
            Some(0) => End::AtOnce,
            Some(seconds) => End::At(context.now + seconds * 1_000_000_000),
            None => End::Setting,
        }
    }

    fn note(&self, end: &End) -> String {
        let would = if self.dry_run { "would " } else { "" };
        let what = match end {
            End::AtOnce => "move at once".into(),
            End::At(time) => format!("stay where they began until {}", clock::rfc3339(*time, 0)),
            End::Commit => "stay where they began until onehopctl commit".into(),
            End::Setting => format!("stay where they began for {SETTING}"),
        };
        let but = match (end, self.downed.is_empty()) {
            (End::AtOnce, _) | (_, true) => String::new(),
            (_, false) => format!("; those of {} end", quoted(&self.downed)),
        };
        format!("existing connections of moved clients {would}{what}{but}")
    }

    fn json(self, context: &mut Context<'_>, end: Option<End>) -> Result<(), Error> {
        let outcome = &self.outcome;
        context.print_json(&Report {
            changed: outcome.changed,
            generation: outcome.generation,
            digest: self.digest.map(|digest| format!("{digest:016x}")),
            moved_ppm: outcome.moved,
            connections: end.as_ref().map(|end| match end {
                End::AtOnce => "move",
                End::At(_) | End::Commit | End::Setting => "stay",
            }),
            until: end.and_then(|end| match end {
                End::At(time) => Some(clock::rfc3339(time, 0)),
                End::AtOnce | End::Commit | End::Setting => None,
            }),
            diff: self.diff.iter().map(Line::to_string).collect(),
            pools: self.forecast,
        })
    }

    fn text(self, context: &mut Context<'_>) -> Result<(), Error> {
        let style = context.style();
        if !self.outcome.changed {
            writeln!(context.out, "already so")?;
            return Ok(());
        }
        for line in &self.diff {
            let text = style.paint(line.tone(), &line.to_string());
            writeln!(context.out, "{text}")?;
        }
        let generation = self.outcome.generation;
        let moved = percent(self.outcome.moved);
        let digest = self.digest.map(|it| format!(" digest {it:016x}"));
        let digest = digest.unwrap_or_default();
        writeln!(
            context.out,
            "generation {generation}{digest} moved {moved} %"
        )?;
        self.forecast.map_or(Ok(()), |it| it.print(context))
    }
}

/// Parts per million as per cent, without needless zeros.
pub fn percent(ppm: u32) -> String {
    let percent = format!("{}.{:04}", ppm / 10_000, ppm % 10_000);
    percent.trim_end_matches('0').trim_end_matches('.').into()
}

#[cfg(test)]
mod tests {
    #[test]
    fn percent() {
        let percents = [0, 1, 12_500, 125_000, 250_000, 1_000_000].map(super::percent);
        assert_eq!(percents, ["0", "0.0001", "1.25", "12.5", "25", "100"]);
    }
}
