// SPDX-License-Identifier: GPL-2.0
//! `onehopctl check`

use super::apply::read;
use crate::check::{self, Finding, Module, Peer, Scene, Severity};
use crate::diff::diff;
use crate::state::State;
use crate::style::Tone;
use crate::{Context, Error};

#[derive(clap::Args)]
pub struct Check {
    /// Check by this configuration file, also where the module is not loaded or
    /// has none; - is standard input
    #[arg(long, value_name = "FILE")]
    config: Option<String>,
    /// Digests of other hosts, as their net.onehop.digest has them
    #[arg(long, value_name = "[NAME=]DIGEST", num_args = 1.., value_parser = peer)]
    peer_digest: Vec<Peer>,
}

impl Check {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let loaded = match (context.kernel.info(), &self.config) {
            (Ok(info), _) => Some((info, State::read(context.kernel)?)),
            (Err(Error::Absent(_)), Some(_)) => None,
            (Err(error), _) => return Err(error),
        };
        let state = loaded.as_ref().map(|(_, state)| state);
        let running = state.map(State::model).unwrap_or_default();
        let model = match &self.config {
            Some(file) => read(context, file)?,
            None => running.clone(),
        };
        let module = loaded.as_ref().map(|(info, state)| Module {
            enabled: info.enabled,
            answer: info.answer,
            digest: state.digest,
        });
        let scene = Scene {
            devices: model.devices.iter().map(ToString::to_string).collect(),
            module,
            // A module without a configuration waits for none on a plain server.
            applied: running.pools.is_empty() || diff(&running, &model).is_empty(),
            peers: self.peer_digest,
            ..check::scene(context.system, &model, state)?
        };
        report(context, &check::run(&scene))
    }
}

fn report(context: &mut Context<'_>, findings: &[Finding]) -> Result<(), Error> {
    let problems = findings.iter();
    let problems = problems.filter(|it| it.severity == Severity::Problem);
    let problems = problems.count();
    if context.json {
        context.print_json(&findings)?;
    } else {
        for finding in findings {
            line(context, finding)?;
        }
        if problems == 0 {
            writeln!(context.out, "no problem found")?;
        }
    }
    match problems {
        0 => Ok(()),
        1 => Err(Error::refused("1 problem found")),
        _ => Err(Error::Refused(format!("{problems} problems found"))),
    }
}

fn line(context: &mut Context<'_>, finding: &Finding) -> Result<(), Error> {
    let style = context.style();
    let severity = match finding.severity {
        Severity::Problem => style.paint(Tone::Bad, "problem"),
        Severity::Hint => style.paint(Tone::Careful, "hint"),
    };
    let name = style.paint(Tone::Title, finding.name);
    let Finding {
        subject, text, fix, ..
    } = finding;
    writeln!(context.out, "{severity} {name}: {subject}: {text}; {fix}")?;
    Ok(())
}

/// A digest of another host, with its name or without.
fn peer(text: &str) -> Result<Peer, String> {
    let (name, digest) = text.rsplit_once('=').unwrap_or(("", text));
    let digits = digest.len() == 16 && digest.bytes().all(|it| it.is_ascii_hexdigit());
    match u64::from_str_radix(digest, 16) {
        Ok(value) if digits => Ok(Peer {
            name: match name {
                "" => "another host".into(),
                name => name.into(),
            },
            digest: value,
        }),
        _ => Err(format!(
            "digest \"{digest}\" must be 16 hexadecimal digits, perhaps after NAME="
        )),
    }
}
