// SPDX-License-Identifier: GPL-2.0
//! The program `onehopctl`: the library, put to a process.

use std::io::IsTerminal;
use std::process::ExitCode;

use onehopctl::{caller, clock, Context, Device, ThisHost};

fn main() -> ExitCode {
    let stdout = std::io::stdout();
    let colour = stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let mut context = Context {
        kernel: &mut Device::default(),
        system: &mut ThisHost,
        out: &mut stdout.lock(),
        terminal: std::io::stderr().is_terminal(),
        err: &mut std::io::stderr(),
        input: &mut std::io::stdin(),
        colour,
        json: false,
        plan: false,
        logs: Vec::new(),
        now: clock::now(),
        caller: caller::parent(),
    };
    ExitCode::from(onehopctl::run(std::env::args_os(), &mut context))
}
