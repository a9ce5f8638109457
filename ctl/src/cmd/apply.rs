// SPDX-License-Identifier: GPL-2.0
//! `onehopctl apply`

use std::fs;
use std::io::Read;

use onehop_uapi::{Condition, Outcome};

use crate::how::{Terms, TermsArgs};
use crate::model::Model;
use crate::offline::{self, Dispatch};
use crate::state::State;
use crate::{change, config, Context, Error};

#[derive(clap::Args)]
pub struct Apply {
    /// A file in the form of onehop.conf(5); - is standard input
    file: String,
    /// Say what would change, and change nothing; works without the module too
    #[arg(long)]
    dry_run: bool,
    /// Only if this generation still stands
    #[arg(long, value_name = "GENERATION")]
    expect: Option<u64>,
    #[command(flatten)]
    terms: TermsArgs,
}

impl Apply {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let model = read(context, &self.file)?;
        let terms = self.terms.terms(context);
        let condition = Condition {
            dry_run: self.dry_run || context.plan,
            expected: self.expect,
            ..terms.condition
        };
        let done = match State::read(context.kernel) {
            Ok(state) => change::apply(context, Terms { condition, ..terms }, &state, &model)?,
            Err(Error::Absent(why)) if condition.dry_run => {
                context.note(&format!("{why}; compared with an empty state"))?;
                let outcome = first(&model)?;
                change::foretold(context, condition, outcome, &State::default(), &model)?
            }
            Err(error) => return Err(error),
        };
        done.report(context)
    }
}

/// Reads a configuration from a file, or from standard input.
pub fn read(context: &mut Context<'_>, file: &str) -> Result<Model, Error> {
    let (name, text) = text(context, file)?;
    config::parse(&name, &text)
}

/// Bytes, of the longest text that is read. An image has at most 16 MiB, most of it rows of 2
/// bytes, which in text are names of at most 15: with less, all that the kernel takes can be said.
const LONGEST: u64 = 256 << 20;

/// Reads a file, or standard input, and says what to call it. Who leads it to something without an
/// end, such as a device, does not fill the memory of the machine.
pub fn text(context: &mut Context<'_>, file: &str) -> Result<(String, String), Error> {
    let mut bytes = Vec::new();
    let (name, result) = match file {
        "-" => (
            "<stdin>",
            context.input.take(LONGEST + 1).read_to_end(&mut bytes),
        ),
        file => {
            let read = |file: fs::File| file.take(LONGEST + 1).read_to_end(&mut bytes);
            (file, fs::File::open(file).and_then(read))
        }
    };
    let length = result.map_err(|error| Error::Refused(format!("{name}: {error}")))?;
    if length as u64 > LONGEST {
        return Err(Error::Refused(format!(
            "{name}: longer than {} MiB: give a configuration in the form of onehop.conf(5)",
            LONGEST >> 20
        )));
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| Error::Refused(format!("{name}: must be UTF-8: {error}")))?;
    Ok((name.into(), text))
}

/// What applying a model as the first one would give.
fn first(model: &Model) -> Result<Outcome, Error> {
    let mut digests = Vec::new();
    for group in model.pools.values() {
        digests.push(Dispatch::of(group, offline::first_health)?.digest());
    }
    Ok(Outcome {
        generation: 0,
        digest: offline::digest(model, &digests)?,
        changed: *model != Model::default(),
        moved: 0,
    })
}
