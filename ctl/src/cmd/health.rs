// SPDX-License-Identifier: GPL-2.0
//! What `onehopctl up` and `onehopctl down` have in common.

use onehop_uapi::{Condition, Health, Name, Set, State as Wanted};

use crate::change::report;
use crate::state::State;
use crate::value::{self, AuthorArgs};
use crate::{pick, Context, Error};

/// Health is the watchdog's view of a server; admin is the operator's.
#[derive(clap::Args)]
pub struct Which {
    /// The server
    #[arg(value_parser = value::name)]
    server: Name,
    /// Its pool; may be left out where that is clear
    #[arg(long, value_parser = value::name)]
    pool: Option<Name>,
    #[command(flatten)]
    author: AuthorArgs,
}

impl Which {
    pub fn set(self, health: Health, context: &mut Context<'_>) -> Result<(), Error> {
        // A watchdog that names the pool spares the module a dump.
        let pool = match self.pool {
            Some(pool) => pool,
            None => {
                let model = State::read(context.kernel)?.model();
                pick::pool_of_server(&model, None, self.server)?
            }
        };
        let condition = Condition::default();
        let outcome = context.kernel.set(&Set {
            pool,
            server: self.server,
            state: Wanted::Health(health),
            condition,
            author: self.author.author(context),
        })?;
        report(context, &condition, &outcome, &[])
    }
}
