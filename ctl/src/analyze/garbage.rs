// SPDX-License-Identifier: GPL-2.0
//! Lines that say nothing of a client.

use serde::Serialize;

/// What a line lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// An address.
    Address,
    /// An address, as a name stands in its place.
    Name,
    /// How many bytes were sent.
    Size,
}

/// How many lines were left out, and what some of them look like.
#[derive(Default, Serialize)]
pub struct Garbage {
    pub no_address: Heap,
    pub names: Heap,
    pub no_size: Heap,
}

/// Lines with the same flaw.
#[derive(Default, Serialize)]
pub struct Heap {
    pub lines: u64,
    pub examples: Vec<String>,
}

/// How many examples there are of each flaw.
const EXAMPLES: usize = 2;
/// How many bytes of a line are shown.
const SHOWN: usize = 60;

impl Garbage {
    pub fn add(&mut self, flaw: Flaw, line: &[u8]) {
        let heap = match flaw {
            Flaw::Address => &mut self.no_address,
            Flaw::Name => &mut self.names,
            Flaw::Size => &mut self.no_size,
        };
        heap.lines += 1;
        if heap.examples.len() < EXAMPLES {
            let example = shown(line);
            if !heap.examples.contains(&example) {
                heap.examples.push(example);
            }
        }
    }

    /// What was left out, in words; none if nothing was.
    pub fn text(&self) -> Option<String> {
        let heaps = [
            (&self.no_address, "without an address"),
            (&self.names, "with a name instead of an address"),
            (&self.no_size, "without a size"),
        ];
        let parts = heaps.iter().filter(|(heap, _)| heap.lines > 0);
        let parts: Vec<_> = parts
            .map(|(heap, what)| {
                format!(
                    "{} {what} (\"{}\")",
                    heap.lines,
                    heap.examples.join("\", \"")
                )
            })
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// The head of a line. Whoever wrote it does not get to drive the terminal.
fn shown(line: &[u8]) -> String {
    let head = &line[..line.len().min(SHOWN)];
    let mut text = String::from_utf8_lossy(head).escape_debug().to_string();
    if head.len() < line.len() {
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn told() {
        let mut garbage = Garbage::default();
        assert_eq!(garbage.text(), None);
        garbage.add(Flaw::Address, b"\x1b[31m\xff\0");
        garbage.add(Flaw::Address, b"\x1b[31m\xff\0");
        garbage.add(Flaw::Address, &[b'x'; 1000]);
        garbage.add(Flaw::Address, b"third");
        garbage.add(Flaw::Name, b"www.example.com - - [");
        let long = "x".repeat(SHOWN);
        assert_eq!(
            garbage.text().unwrap(),
            format!(
                "4 without an address (\"\\u{{1b}}[31m\u{fffd}\\0\", \"{long}...\"), \
                 1 with a name instead of an address (\"www.example.com - - [\")"
            )
        );
    }
}
