// SPDX-License-Identifier: GPL-2.0
//! What `onehopctl commit`, `abort` and `extend` have in common.

use onehop_uapi::{Condition, Name, Transition, Verb};

use crate::state::State;
use crate::value::{self, AuthorArgs};
use crate::{change, pick, Context, Error};

#[derive(clap::Args)]
pub struct Of {
    /// Of this pool; may be left out where there is only one
    #[arg(long, value_parser = value::name)]
    pub pool: Option<Name>,
    #[command(flatten)]
    author: AuthorArgs,
}

impl Of {
    pub fn run(self, verb: Verb, context: &mut Context<'_>) -> Result<(), Error> {
        let pool = match self.pool {
            Some(pool) => pool,
            None => pick::pool(&State::read(context.kernel)?.model(), None)?,
        };
        let request = Transition {
            pool,
            verb,
            condition: Condition::default(),
            author: self.author.author(context),
        };
        change::transition(context, &request)
    }
}
