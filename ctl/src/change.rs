// SPDX-License-Identifier: GPL-2.0
//! Making a change, and saying what came of it.

use onehop_uapi::{Author, Condition, Outcome};
use serde::Serialize;

use crate::diff::{diff, Line};
use crate::model::Model;
use crate::state::State;
use crate::{Context, Error};

/// How often an edit is tried while others change the state in between.
const TRIES: u32 = 10;

/// Edits what stands. `edit` may be called again, on a newer state.
pub fn edit(
    context: &mut Context<'_>,
    author: Author,
    edit: impl Fn(&mut Model) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut tries = 1;
    loop {
        let state = State::read(context.kernel)?;
        let old = state.model();
        let mut new = old.clone();
        edit(&mut new)?;
        let condition = Condition {
            dry_run: false,
            expected: Some(state.generation),
        };
        match context.kernel.apply(&new.encode(), condition, author) {
            Err(Error::Stale(_)) if tries < TRIES => tries += 1,
            Err(Error::Stale(_)) => {
                return Err(Error::Refused(format!(
                    "others change the state all the time: given up after {TRIES} tries"
                )))
            }
            Err(error) => return Err(error),
            Ok(outcome) => return report(context, &condition, &outcome, &diff(&old, &new)),
        }
    }
}

#[derive(Serialize)]
struct Report {
    changed: bool,
    generation: u64,
    digest: String,
    moved_ppm: u32,
    diff: Vec<String>,
}

/// Says what a change has done.
pub fn report(
    context: &mut Context<'_>,
    condition: &Condition,
    outcome: &Outcome,
    diff: &[Line],
) -> Result<(), Error> {
    let style = context.style();
    if context.json {
        context.print_json(&Report {
            changed: outcome.changed,
            generation: outcome.generation,
            digest: format!("{:016x}", outcome.digest),
            moved_ppm: outcome.moved,
            diff: diff.iter().map(Line::to_string).collect(),
        })?;
    } else if outcome.changed {
        for line in diff {
            writeln!(
                context.out,
                "{}",
                style.paint(line.tone(), &line.to_string())
            )?;
        }
        let (generation, digest) = (outcome.generation, outcome.digest);
        let moved = percent(outcome.moved);
        writeln!(
            context.out,
            "generation {generation} digest {digest:016x} moved {moved} %"
        )?;
    } else {
        writeln!(context.out, "already so")?;
    }
    if outcome.moved > 0 {
        let verb = match condition.dry_run {
            true => "would move",
            false => "move",
        };
        context.note(&format!(
            "existing connections of moved clients {verb} at once"
        ))?;
    }
    Ok(())
}

/// Parts per million as per cent, without needless zeros.
fn percent(ppm: u32) -> String {
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
