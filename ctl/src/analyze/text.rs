// SPDX-License-Identifier: GPL-2.0
//! An analysis for people.

use super::heavy::Heavy;
use super::holdout::Holdout;
use super::report::Report;
use crate::style::{table, Cell, Style, Tone};
use crate::{Context, Error};

/// How many characters the longest bar has.
const BAR: u32 = 12;

impl Report {
    pub fn print(&self, context: &mut Context<'_>) -> Result<(), Error> {
        let style = context.style();
        let mut lines = self.facts();
        lines.push(String::new());
        lines.extend(table(style, &self.loads()));
        lines.push(String::new());
        if let Some(moved) = self.moved_ppm {
            lines.push(format!(
                "to apply the fitted table moves {} of the {}",
                percent(moved),
                self.by
            ));
        }
        if self.floor > 1.0 {
            lines.push(format!(
                "the heaviest client alone keeps max/mean at {:.2} or more, whatever the table",
                self.floor
            ));
        }
        match &self.holdout {
            Some(holdout) => lines.extend(holdout.lines(style, self.by)),
            None => lines.push(
                "fitted is judged by what it was fitted to; --holdout tells what it does for later \
                 requests"
                    .into(),
            ),
        }
        for (heavy, what) in [
            (&self.heavy_clients, "client"),
            (&self.heavy_prefixes, "prefix"),
        ] {
            if !heavy.is_empty() {
                lines.push(String::new());
                lines.extend(table(style, &rows(heavy, what)));
            }
        }
        for line in lines {
            writeln!(context.out, "{line}")?;
        }
        Ok(())
    }

    fn facts(&self) -> Vec<String> {
        let about = if self.clients_exact { "" } else { "about " };
        let mut facts = format!(
            "{} requests of {about}{} clients",
            self.requests, self.clients
        );
        if self.by != "requests" {
            facts += &format!(", {} {}", self.load, self.by);
        }
        let mut lines = vec![format!(
            "{facts}, {} servers, kind {}",
            self.servers.len(),
            self.kind
        )];
        if let Some(garbage) = self.left_out.text() {
            lines.push(format!("left out: lines {garbage}"));
        }
        if self.not_dispatched > 0 {
            lines.push(format!(
                "left out: {} requests of addresses that are not dispatched, such as loopback",
                self.not_dispatched
            ));
        }
        lines
    }

    fn loads(&self) -> Vec<Vec<Cell>> {
        let shares = self.servers.iter().flat_map(|it| it.ppm.values());
        let most = shares.copied().max().unwrap_or(0).max(1);
        let head = |text: &str| Cell::left(text).tone(Tone::Title);
        let mut first = vec![head("server"), Cell::right("weight").tone(Tone::Title)];
        for column in &self.kinds {
            first.extend([Cell::right(column.kind).tone(Tone::Title), head("")]);
        }
        let mut rows = vec![first];
        for it in &self.servers {
            let mut row = vec![Cell::left(&*it.server), Cell::right(it.weight)];
            for column in &self.kinds {
                let ppm = it.ppm.get(column.kind).copied().unwrap_or(0);
                row.extend([Cell::right(percent(ppm)), Cell::left(bar(ppm, most))]);
            }
            rows.push(row);
        }
        let summary = |name: &str, of: fn(&super::load::Balance) -> f64| {
            let mut row = vec![head(name), Cell::left("")];
            for column in &self.kinds {
                let ratio = Cell::right(format!("{:.2}", of(&column.balance)));
                row.extend([ratio.tone(Tone::Title), Cell::left("")]);
            }
            row
        };
        rows.push(summary("max/mean", |balance| balance.max_mean));
        rows.push(summary("min/mean", |balance| balance.min_mean));
        rows
    }
}

impl Holdout {
    fn lines(&self, style: Style, by: &str) -> Vec<String> {
        let head = |text: &str| Cell::right(text).tone(Tone::Title);
        let seeds = self.kinds.iter().find_map(|it| it.seeds.as_ref());
        let seeds = seeds.map_or(0, |it| it.seeds);
        let mut rows = vec![vec![
            Cell::left("max/mean").tone(Tone::Title),
            head("in sample"),
            head("held out"),
            head(&format!("with {seeds} other seeds")),
        ]];
        rows.extend(self.kinds.iter().map(|it| {
            let seeds = it.seeds.as_ref().map_or(String::new(), |it| {
                format!("{:.2} ({:.2} to {:.2})", it.mean, it.least, it.most)
            });
            vec![
                Cell::left(it.kind),
                Cell::right(format!("{:.2}", it.in_sample)),
                Cell::right(format!("{:.2}", it.held_out)),
                Cell::right(seeds),
            ]
        }));
        let mut lines = vec![
            String::new(),
            format!(
                "fitted to the first {} requests, judged by the {} after them",
                self.fitted_requests, self.judged_requests
            ),
            format!(
                "{} of the later {by} are of clients that were there before",
                percent(self.known_ppm)
            ),
        ];
        lines.extend(table(style, &rows));
        lines
    }
}

fn rows(heavy: &[Heavy], what: &str) -> Vec<Vec<Cell>> {
    let head = ["share", "at", "override add", "max/mean"];
    let mut first = vec![Cell::left(format!("heavy {what}")).tone(Tone::Title)];
    first.extend(head.map(|text| Cell::left(text).tone(Tone::Title)));
    let mut rows = vec![first];
    for it in heavy {
        let share = match it.most_ppm - it.ppm {
            0 => percent(it.ppm),
            _ => format!("{} to {}", percent(it.ppm), percent(it.most_ppm)),
        };
        let at = match &it.servers[..] {
            [one] => one.clone(),
            more => format!("{} servers", more.len()),
        };
        let to = match &it.r#override {
            Some(to) => Cell::left(format!("{} {to}", it.prefix)),
            None => Cell::left("none helps"),
        };
        rows.push(vec![
            Cell::left(&*it.prefix),
            Cell::left(share),
            Cell::left(at),
            to,
            Cell::left(format!("{:.2}", it.max_mean)),
        ]);
    }
    rows
}

/// Two digits behind the point: more would be noise.
fn percent(ppm: u32) -> String {
    format!("{:.2} %", f64::from(ppm) / 1e4)
}

/// A bar of eighths.
fn bar(ppm: u32, most: u32) -> String {
    let eighths = u64::from(ppm) * u64::from(BAR) * 8 / u64::from(most);
    let eighths = usize::try_from(eighths).unwrap_or(0);
    let mut bar = "█".repeat(eighths / 8);
    bar.extend(['▏', '▎', '▍', '▌', '▋', '▊', '▉'].get((eighths % 8).wrapping_sub(1)));
    bar
}

#[cfg(test)]
mod tests {
    #[test]
    fn bars() {
        let bars = [0, 1, 95, 100].map(|ppm| super::bar(ppm, 100));
        assert_eq!(bars, ["", "", "███████████▍", "████████████"]);
    }
}
