// SPDX-License-Identifier: GPL-2.0
//! The text of a table: the owners of rows, in order.
//!
//! `1*40 2 -` is forty rows of the server with id 1, one of that with id 2 and one
//! that has no owner. `#` begins a comment.

use std::ops::Range;

use onehop_uapi::limits::{MAX_ROWS, MAX_SERVERS, NO_SERVER};

/// How long a line is written, as far as it can be helped.
const COLUMNS: usize = 100;

const EXPECTED: &str = "the id of a server from 0 to 1023, ID*COUNT, or - (no owner)";

/// A word that is not what it must be, and where it stands in the text.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistake {
    pub at: usize,
    pub why: String,
}

/// Reads a table of `rows` rows.
pub fn parse(text: &str, rows: u32) -> Result<Vec<u16>, Mistake> {
    let mut table = Vec::new();
    for word in words(text) {
        let at = word.start;
        let word = &text[word];
        let (owner, count) = run(word).ok_or_else(|| Mistake {
            at,
            why: format!("\"{word}\" must be {EXPECTED}"),
        })?;
        table.extend(std::iter::repeat_n(owner, count as usize));
        if table.len() > rows as usize {
            let why = format!("\"{word}\" must not be there: the pool has {rows} rows");
            return Err(Mistake { at, why });
        }
    }
    if table.len() < rows as usize {
        let has = table.len();
        let why = format!("\"{has}\" rows must be {rows}, as many as the pool has");
        return Err(Mistake { at: 0, why });
    }
    Ok(table)
}

/// Where the words are.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let code = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or(""));
    code.flat_map(str::split_whitespace).map(move |word| {
        let start = offset(word);
        start..start + word.len()
    })
}

/// An owner and how many rows it has.
fn run(word: &str) -> Option<(u16, u32)> {
    // A number may have a sign, these have none.
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (owner, count) = match word.split_once('*') {
        Some((owner, count)) => {
            let count = count.parse::<u32>().ok().filter(|_| digits(count))?;
            (owner, count)
        }
        None => (word, 1),
    };
    let owner = match owner {
        "-" => NO_SERVER,
        id => {
            let id = id.parse::<u16>().ok().filter(|_| digits(id))?;
            Some(id).filter(|id| *id < MAX_SERVERS)?
        }
    };
    (1..=MAX_ROWS).contains(&count).then_some((owner, count))
}

/// Rows next to each other that have the same owner, or none.
pub struct Run {
    pub row: usize,
    pub owner: Option<u16>,
    pub count: usize,
}

/// The runs of a table, in order.
pub fn runs(table: &[u16]) -> impl Iterator<Item = Run> + '_ {
    let mut next = 0;
    table.chunk_by(|a, b| a == b).map(move |run| {
        let row = next;
        next += run.len();
        Run {
            row,
            owner: run.first().copied().filter(|owner| *owner != NO_SERVER),
            count: run.len(),
        }
    })
}

/// Writes a table that [`parse`] reads as the same.
pub fn format(table: &[u16]) -> String {
    let mut text = String::new();
    let mut column = 0;
    for run in runs(table) {
        let owner = run.owner.map_or("-".into(), |id| id.to_string());
        let word = match run.count {
            1 => owner,
            count => format!("{owner}*{count}"),
        };
        if column + 1 + word.len() > COLUMNS {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text += &word;
        column += word.len();
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn runs() {
        let table = [vec![1; 4], vec![2, 3], vec![NO_SERVER; 2], vec![2]].concat();
        assert_eq!(parse("1*4 2 3 - - 2", 9), Ok(table.clone()));
        assert_eq!(parse("\n1*3 1 # s1\n\t2 3#\n-*2 2\n", 9), Ok(table.clone()));
        assert_eq!(format(&table), "1*4 2 3 -*2 2\n");
        assert_eq!(parse("", 0), Ok(vec![]));
        assert_eq!(format(&[]), "");
        assert_eq!(parse("1023*65536", 65536), Ok(vec![1023; 65536]));
    }

    #[test]
    fn mistakes() {
        let bad = [
            "1024", "65535", "-1", "+1", "1*", "*1", "*", "1*0", "1*65537", "1*+2", "1*2*3", "s1",
            "1,2", "--", "\u{661}",
        ];
        for word in bad {
            let why = format!("\"{word}\" must be {EXPECTED}");
            assert_eq!(
                parse(&format!("1 {word} 2"), 3),
                Err(Mistake { at: 2, why })
            );
        }
        let why = "\"2\" rows must be 3, as many as the pool has".to_owned();
        assert_eq!(parse("1*2", 3), Err(Mistake { at: 0, why }));
        let why = "\"5*2\" must not be there: the pool has 3 rows".to_owned();
        assert_eq!(parse("1*2\n5*2 nonsense", 3), Err(Mistake { at: 4, why }));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(runs in proptest::collection::vec((0u16..1025, 1usize..50), 0..200)) {
            let owner = |id: u16| if id < MAX_SERVERS { id } else { NO_SERVER };
            let table: Vec<u16> = runs
                .into_iter()
                .flat_map(|(id, count)| std::iter::repeat_n(owner(id), count))
                .collect();
            let text = format(&table);
            prop_assert!(text.lines().all(|line| line.len() <= COLUMNS && !line.ends_with(' ')));
            prop_assert_eq!(parse(&text, u32::try_from(table.len()).unwrap()), Ok(table));
        }

        #[test]
        fn any_text(text in "\\PC{0,40}|[-*# 0-9\n]{0,40}", rows in 0u32..5) {
            if let Ok(table) = parse(&text, rows) {
                prop_assert_eq!(table.len(), rows as usize);
            }
        }
    }
}
