// SPDX-License-Identifier: GPL-2.0
//! What the verbs about the state of one server have in common.

use onehop_uapi::{Condition, Name, Set, State as Wanted};

use crate::change;
use crate::state::State;
use crate::value::{self, AuthorArgs};
use crate::{pick, Context, Error};

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
    pub fn set(
        self,
        state: Wanted,
        condition: Condition,
        context: &mut Context<'_>,
    ) -> Result<(), Error> {
        // A watchdog that names the pool spares the module a dump.
        let pool = match self.pool {
            Some(pool) => pool,
            None => {
                let model = State::read(context.kernel)?.everyone();
                pick::pool_of_server(&model, None, self.server)?
            }
        };
        let request = Set {
            pool,
            server: self.server,
            state,
            condition,
            author: self.author.author(context),
        };
        change::set(context, &request)
    }
}
