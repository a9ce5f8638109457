// SPDX-License-Identifier: GPL-2.0
//! `onehopctl answer`

use clap::ArgAction;
use onehop_uapi::Answer as Request;
use serde::Serialize;

use crate::value::{self, AuthorArgs};
use crate::{Context, Error};

/// For the ghosts of pools with mode router and peer, on the devices that are
/// named, with their own link addresses. Turned on, also when it was on already,
/// the ghosts are announced. No part of the configuration: off until it is asked
/// for, on the one host that has to.
#[derive(clap::Args)]
pub struct Answer {
    /// on or off
    #[arg(value_name = "STATE", value_parser = value::answer, action = ArgAction::Set)]
    answer: bool,
    #[command(flatten)]
    author: AuthorArgs,
}

#[derive(Serialize)]
struct Report {
    changed: bool,
    answer: bool,
}

impl Answer {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let answer = self.answer;
        let author = self.author.author(context);
        let changed = context.kernel.answer(&Request { answer, author })?;
        if context.json {
            return context.print_json(&Report { changed, answer });
        }
        let said = match (changed, answer) {
            (false, _) => "already so",
            (true, true) => "answer on",
            (true, false) => "answer off",
        };
        writeln!(context.out, "{said}")?;
        Ok(())
    }
}
