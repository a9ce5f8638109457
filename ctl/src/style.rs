// SPDX-License-Identifier: GPL-2.0
//! How text looks on a terminal.

/// Colours, or none.
#[derive(Clone, Copy)]
pub struct Style {
    colour: bool,
}

/// What a text says, in colours.
#[derive(Clone, Copy)]
pub enum Tone {
    Plain,
    Title,
    Good,
    Careful,
    Bad,
}

impl Style {
    pub fn new(colour: bool) -> Self {
        Self { colour }
    }

    pub fn paint(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Plain => return text.into(),
            Tone::Title => "1",
            Tone::Good => "32",
            Tone::Careful => "33",
            Tone::Bad => "31",
        };
        if self.colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.into()
        }
    }
}

/// A text in a table.
pub struct Cell {
    pub text: String,
    pub tone: Tone,
    pub right: bool,
}

impl Cell {
    pub fn left(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            text,
            tone: Tone::Plain,
            right: false,
        }
    }

    /// A number: its last digits stand below each other.
    pub fn right(text: impl ToString) -> Self {
        Self {
            right: true,
            ..Self::left(text.to_string())
        }
    }

    pub fn tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }
}

/// Lines of cells, each column as wide as its widest.
pub fn table(style: Style, rows: &[Vec<Cell>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells
            .map(|cell| cell.text.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<_> = (0..columns).map(width).collect();
    let line = |row: &Vec<Cell>| {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            // Padded outside of the colours, which have no width.
            let padding = " ".repeat(width - cell.text.chars().count());
            let text = style.paint(cell.tone, &cell.text);
            let (before, behind) = if cell.right {
                (&*padding, "")
            } else {
                ("", &*padding)
            };
            line.extend([before, &text, behind, "  "]);
        }
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
