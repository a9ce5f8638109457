// SPDX-License-Identifier: GPL-2.0
//! Everything outside of itself that a verb may touch.

use std::io::{Read, Write};

use serde::Serialize;

use crate::style::Style;
use crate::{Error, Kernel, System};

/// The surroundings of a verb.
pub struct Context<'a> {
    /// The module.
    pub kernel: &'a mut dyn Kernel,
    /// The host's files and programs.
    pub system: &'a mut dyn System,
    /// Standard output.
    pub out: &'a mut dyn Write,
    /// Standard error.
    pub err: &'a mut dyn Write,
    /// Standard input.
    pub input: &'a mut dyn Read,
    /// Whether to colour the output.
    pub colour: bool,
    /// Whether standard error is a terminal.
    pub terminal: bool,
    /// Whether to print JSON.
    pub json: bool,
    /// Whether changes are only to be foretold.
    pub plan: bool,
    /// Logs by whose requests they are foretold too.
    pub logs: Vec<String>,
    /// The time, in nanoseconds since 1970.
    pub now: u64,
    /// Who calls: the actor of a change unless another is named.
    pub caller: String,
}

impl Context<'_> {
    pub(crate) fn style(&self) -> Style {
        Style::new(self.colour)
    }

    pub(crate) fn print_json(&mut self, value: &impl Serialize) -> Result<(), Error> {
        serde_json::to_writer(&mut *self.out, value)?;
        writeln!(self.out)?;
        Ok(())
    }

    /// Tells something that is no part of the output.
    pub(crate) fn note(&mut self, text: &str) -> Result<(), Error> {
        writeln!(self.err, "onehopctl: {text}")?;
        Ok(())
    }
}
