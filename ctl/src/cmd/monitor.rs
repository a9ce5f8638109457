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

fn text(it: &Line) -> String {
    let mut text = format!("{} {}", it.time, it.generation);
    if let (Some(pool), Some(server)) = (&it.pool, &it.server) {
        text += &format!(" {pool}/{server}");
    }
    text += &format!(" {}", it.what);
    match &it.value {
        Value::Null => {}
        Value::String(value) => text += &format!(" {value}"),
        value => text += &format!(" {value} events: this reader is too slow"),
    }
    if !it.actor.is_empty() {
        text += &format!(" by {}", it.actor);
    }
    if !it.reason.is_empty() {
        text += &format!(": {}", it.reason);
    }
    text
}
