// SPDX-License-Identifier: GPL-2.0

//! The module's own counters, and what they ought to have risen by.

use crate::verdict::{Verdict, GUARDED};
use std::collections::BTreeMap;
use std::process::{Command, Stdio};

/// By name.
pub type Counters = BTreeMap<String, u64>;

/// What the module has counted so far, by the tool.
///
/// # Errors
///
/// The tool cannot be run, or says something else.
pub fn read(tool: &str) -> Result<Counters, String> {
    let run = Command::new(tool)
        .arg("stats")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("'{tool}': {error}"))?;
    let text = String::from_utf8_lossy(&run.stdout);
    let counters: Counters = text
        .lines()
        .filter_map(|line| {
            let (name, value) = line.split_once(char::is_whitespace)?;
            Some((name.to_string(), value.trim().parse().ok()?))
        })
        .collect();
    if counters.contains_key("seen") {
        Ok(counters)
    } else {
        let said = String::from_utf8_lossy(&run.stderr);
        Err(format!(
            "'{tool} stats': expected counters, got '{text}{said}'"
        ))
    }
}

/// By how much they rose.
pub fn rise(from: &Counters, to: &Counters) -> Counters {
    let before = |name| from.get(name).copied().unwrap_or(0);
    let rises = to.iter().map(|(name, value)| {
        let rise = value.saturating_sub(before(name));
        (name.clone(), rise)
    });
    rises.collect()
}

/// Whether a counter is one of those that a packet for a ghost ends in.
pub fn is_end(name: &str) -> bool {
    name == "handed" || name == "local" || name.starts_with("drop_")
}

/// What they ought to have risen by.
#[derive(Default)]
pub struct Expected {
    certain: BTreeMap<&'static str, u64>,
    pub doubtful: u64,
}

impl Expected {
    pub fn count(&mut self, verdict: &Verdict) {
        if verdict.is_doubtful {
            self.doubtful += 1;
        } else if let Some(counter) = verdict.counter {
            *self.certain.entry(counter).or_default() += 1;
        }
    }

    /// What is wrong with a rise.
    pub fn compare(&self, rise: &Counters) -> Result<(), String> {
        let seen = rise.get("seen").copied().unwrap_or(0);
        let ends: u64 = rise
            .iter()
            .filter(|(name, _)| is_end(name))
            .map(|(_, value)| value)
            .sum();
        if seen != ends {
            return Err(format!("seen {seen}, accounted for {ends}"));
        }
        for (name, &value) in rise {
            let certain = self.certain.get(&name[..]).copied().unwrap_or(0);
            // The guard is for what this host's stack says of itself, too.
            let most = match &name[..] {
                GUARDED => u64::MAX,
                _ => certain + self.doubtful,
            };
            if (is_end(name) || name == GUARDED) && !(certain..=most).contains(&value) {
                return Err(format!(
                    "{name} {value} where {certain} were expected, and at most {} more",
                    self.doubtful
                ));
            }
        }
        Ok(())
    }
}
