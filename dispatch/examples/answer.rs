// SPDX-License-Identifier: GPL-2.0

//! Answers a stream of configurations and clients, to be compared with the oracle's answers.
//!
//! The format is in Documentation/dispatch.md: `cargo run --example answer < questions`.

use std::io;
use std::process::ExitCode;

#[path = "../tests/stream/mod.rs"]
mod stream;

fn main() -> ExitCode {
    let output = io::BufWriter::new(io::stdout().lock());
    match stream::answer(io::stdin().lock(), output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("answer: {error}");
            ExitCode::from(2)
        }
    }
}
