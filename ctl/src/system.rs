// SPDX-License-Identifier: GPL-2.0
//! What the verbs need of the host, besides the module.

use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::{fs, thread};

/// Files and programs.
pub trait System {
    /// The text of a file, if there is one to be read.
    fn file(&mut self, path: &str) -> Option<String>;

    /// Runs a program. Fails only if it cannot be run at all.
    fn run(&mut self, program: &str, arguments: &[&str], input: &str) -> io::Result<Ran>;
}

/// What a program has said.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// Whether its exit code was 0.
    pub success: bool,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// The host itself.
#[derive(Default)]
pub struct ThisHost;

impl System for ThisHost {
    fn file(&mut self, path: &str) -> Option<String> {
        fs::read_to_string(path).ok()
    }

    fn run(&mut self, program: &str, arguments: &[&str], input: &str) -> io::Result<Ran> {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take();
        let output = thread::scope(|scope| {
            // Beside the reading: both pipes may be full at once.
            scope.spawn(move || {
                // One that ends without reading all is judged by its exit code.
                let _ = stdin.map(|mut stdin| stdin.write_all(input.as_bytes()));
            });
            child.wait_with_output()
        })?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Ran {
            success: output.status.success(),
            out: text(output.stdout),
            err: text(output.stderr),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_both_pipes_hold_comes_back() {
        let input = "0123456789abcde\n".repeat(1 << 16);
        let ran = ThisHost.run("cat", &[], &input).unwrap();
        assert!(ran.success);
        assert_eq!(ran.out.len(), input.len());
    }

    #[test]
    fn a_failure_is_told_from_an_absence() {
        let ran = ThisHost.run("cat", &["/nonexistent"], "").unwrap();
        assert!(!ran.success && ran.err.contains("/nonexistent"));
        let error = ThisHost.run("/nonexistent", &[], "").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert_eq!(ThisHost.file("/nonexistent"), None);
    }
}
