// SPDX-License-Identifier: GPL-2.0
//! `onehopctl monitor`

use onehop_uapi::{Event, What};
use serde::Serialize;
use serde_json::Value;

use crate::{clock, Context, Error};

#[derive(clap::Args)]
pub struct Monitor {
    /// Stop after so many events
    #[arg(long)]
    count: Option<u64>,
}

#[derive(Serialize)]
struct Line {
    time: String,
    generation: u64,
    #[serde(rename = "type")]
    what: &'static str,
    value: Value,
    pool: Option<String>,
    server: Option<String>,
    actor: String,
    reason: String,
}

impl Monitor {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let mut left = self.count.unwrap_or(u64::MAX);
        while left > 0 {
            let event = context.kernel.event()?;
            if context.json {
                context.print_json(&Line::new(&event))?;
            } else {
                writeln!(context.out, "{}", text(&Line::new(&event)))?;
            }
            // Whoever reads this from a pipe wants it now.
            context.out.flush()?;
            left -= 1;
        }
        Ok(())
    }
}

impl Line {
    fn new(event: &Event) -> Self {
        let (what, value) = match event.what {
            What::Applied => ("applied", Value::Null),
            What::Admin(admin) => ("admin", admin.name().into()),
            What::Health(health) => ("health", health.name().into()),
            What::Reach(reach) => ("reach", reach.name().into()),
            What::Answer(true) => ("answer", "on".into()),
            What::Answer(false) => ("answer", "off".into()),
            What::Lost(count) => ("lost", count.into()),
            What::Begun(functions) => ("begun", functions.into()),
            What::Ending(flows) => ("ending", flows.into()),
            What::Retired(functions) => ("retired", functions.into()),
            What::TrackFull(flows) => ("track_full", flows.into()),
            What::Drained => ("drained", Value::Null),
        };
        Self {
            time: clock::rfc3339(event.time, 3),
            generation: event.generation,
            what,
            value,
            pool: event.pool.map(|name| name.to_string()),
            server: event.server.map(|name| name.to_string()),
            actor: event.author.actor.to_string(),
            reason: event.author.reason.to_string(),
        }
    }
}

/// What a number counts.
fn unit(what: &str) -> &'static str {
    match what {
        "begun" | "retired" => "functions now",
        "ending" => "connections left",
        "track_full" => "connections noted: more go to the oldest owner",
        _ => "events: this reader is too slow",
    }
}

fn text(it: &Line) -> String {
    let mut text = format!("{} {}", it.time, it.generation);
    match (&it.pool, &it.server) {
        (Some(pool), Some(server)) => text += &format!(" {pool}/{server}"),
        (Some(pool), None) => text += &format!(" {pool}"),
        (None, _) => {}
    }
    text += &format!(" {}", it.what);
    match &it.value {
        Value::Null => {}
        Value::String(value) => text += &format!(" {value}"),
        value => text += &format!(" {value} {}", unit(it.what)),
    }
    if !it.actor.is_empty() {
        text += &format!(" by {}", it.actor);
    }
    if !it.reason.is_empty() {
        text += &format!(": {}", it.reason);
    }
    text
}
