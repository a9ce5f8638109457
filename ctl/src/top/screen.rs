// SPDX-License-Identifier: GPL-2.0
//! The board on a terminal.

use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Cell, Paragraph, Row, Table, TableState};
use ratatui::Frame;

use super::board::{heads, tone, PoolRates};
use super::keys::{verb, Choice, HELP};
use super::sample::Heavy;
use crate::style::Tone;

/// All that is shown.
pub struct Screen<'a> {
    pub pools: &'a [PoolRates],
    pub heavy: &'a [Heavy],
    pub choice: &'a Choice,
    /// What the last change came to.
    pub said: &'a str,
}

impl Screen<'_> {
    /// Draws it.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        let servers: usize = self.pools.iter().map(|pool| pool.servers.len()).sum();
        let notes: Vec<_> = self.pools.iter().filter_map(note).collect();
        let heights = [
            Constraint::Max(servers as u16 + 1),
            Constraint::Length(notes.len() as u16 + 1),
            Constraint::Min(0),
            Constraint::Length(1),
        ];
        let [top, middle, clients, bottom] = Layout::vertical(heights).areas(frame.area());
        let mut state = TableState::default().with_selected(Some(self.choice.row));
        frame.render_stateful_widget(self.servers(), top, &mut state);
        frame.render_widget(Paragraph::new(notes), middle);
        frame.render_widget(self.clients(), clients);
        frame.render_widget(Paragraph::new(self.bottom()), bottom);
    }

    fn servers(&self) -> Table<'_> {
        let rows = self.pools.iter().flat_map(|pool| {
            pool.servers.iter().map(|server| {
                let [name, state, numbers @ ..] = server.texts();
                let mut cells = vec![
                    Cell::from(format!("{}/{name}", pool.pool)),
                    Cell::from(state).style(colour(tone(server.state))),
                ];
                cells.extend(numbers.map(right));
                Row::new(cells)
            })
        });
        let mut names = heads().map(str::to_owned).to_vec();
        for name in names.iter_mut().skip(2) {
            *name = format!("{name:>11}");
        }
        let widths = [
            Constraint::Min(16),
            Constraint::Length(8),
            Constraint::Length(11),
            Constraint::Length(11),
            Constraint::Length(11),
            Constraint::Length(11),
        ];
        Table::new(rows, widths)
            .header(Row::new(names).style(title()))
            .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED))
    }

    fn clients(&self) -> Table<'_> {
        let rows = self.heavy.iter().map(|it| {
            let share = format!("{:.1} %", it.share * 100.0);
            Row::new([
                Cell::from(format!("{}: {}", it.pool, it.clients)),
                right(share),
            ])
        });
        Table::new(rows, [Constraint::Min(40), Constraint::Length(11)])
            .header(Row::new(["heaviest clients", "    packets"]).style(title()))
    }

    fn bottom(&self) -> Line<'_> {
        let servers = self.pools.iter();
        let mut servers =
            servers.flat_map(|pool| pool.servers.iter().map(move |server| (pool, server)));
        match (self.choice.asked, servers.nth(self.choice.row)) {
            (Some(wanted), Some((pool, server))) => Line::from(format!(
                "{} {} of {}? y: yes, any other key: no",
                verb(wanted),
                server.server,
                pool.pool
            ))
            .style(colour(Tone::Careful)),
            _ if !self.said.is_empty() => Line::from(self.said),
            _ => Line::from(HELP),
        }
    }
}

fn note(pool: &PoolRates) -> Option<Line<'static>> {
    let text = format!("{}: {}", pool.pool, pool.transition()?);
    Some(Line::from(text).style(colour(Tone::Careful)))
}

fn right(text: String) -> Cell<'static> {
    Cell::from(format!("{text:>11}"))
}

fn title() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

fn colour(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Title => title(),
        Tone::Good => Style::new().fg(Color::Green),
        Tone::Careful => Style::new().fg(Color::Yellow),
        Tone::Bad => Style::new().fg(Color::Red),
    }
}

#[cfg(test)]
mod tests {
    use onehop_uapi::{Admin, State};
    use ratatui::backend::TestBackend;
    use ratatui::Terminal;

    use super::*;
    use crate::top::board::{rates, tests::state};

    fn drawn(choice: &Choice, said: &str, width: u16, height: u16) -> String {
        let pools = rates(&state([0; 4]), &state([50, 100, 0, 50]), None, 1.0);
        let heavy = [Heavy {
            pool: "web".into(),
            clients: "10.2.0.0/24".into(),
            sampled: 3,
            share: 0.5,
        }];
        let screen = Screen {
            pools: &pools,
            heavy: &heavy,
            choice,
            said,
        };
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| screen.draw(frame)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn all_is_there() {
        let screen = drawn(&Choice::default(), "", 80, 14);
        let words = [
            "web/s1",
            "web/s9",
            "leaving",
            "25 %",
            "in transition",
            "10.2.0.0/24",
            "50.0 %",
            HELP,
        ];
        for words in words {
            assert!(screen.contains(words), "no {words} in\n{screen}");
        }
        assert!(
            drawn(&Choice::default(), "drain s2: generation 7", 80, 14).contains("generation 7")
        );
    }

    #[test]
    fn who_is_asked_about_is_who_is_chosen() {
        let choice = Choice {
            row: 1,
            asked: Some(State::Admin(Admin::Drain)),
        };
        let screen = drawn(&choice, "", 80, 14);
        assert!(screen.contains("drain s2 of web? y: yes"), "{screen}");
    }

    /// A small terminal shows less, and no worse happens.
    #[test]
    fn little_room() {
        for (width, height) in [(1, 1), (20, 3), (80, 2)] {
            drawn(&Choice::default(), "", width, height);
        }
    }
}
