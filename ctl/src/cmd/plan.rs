// SPDX-License-Identifier: GPL-2.0
//! `onehopctl plan`

use super::{abort, apply, device, down, drain, ghost, overrides, pool, server, undrain, up};
use crate::{Context, Error};

/// Says what it would print, and of each pool that would be otherwise how many of its
/// clients move, and each server's part of them before and after.
#[derive(clap::Args)]
pub struct Plan {
    /// By the requests of this log too, as analyze reads it; may be given again
    #[arg(long = "log", value_name = "LOG")]
    logs: Vec<String>,
    #[command(subcommand)]
    change: Change,
}

macro_rules! changes {
    ($($(#[$about:meta])* $module:ident $verb:ident,)*) => {
        /// The verbs themselves: they ask the context whether it is a plan, so that a
        /// plan cannot differ from doing it.
        #[derive(clap::Subcommand)]
        enum Change {
            $($(#[$about])* $verb($module::$verb),)*
        }

        impl Plan {
            pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
                context.plan = true;
                context.logs = self.logs;
                match self.change {
                    $(Change::$verb(verb) => verb.run(context),)*
                }
            }
        }
    };
}

changes! {
    /// Make a configuration file the state, at once
    apply Apply,
    /// Add, remove or move ghosts
    ghost Ghost,
    /// Add, remove or change pools
    pool Pool,
    /// Add, remove or change servers
    server Server,
    /// Give clients a server of their own, or no more
    overrides Override,
    /// Add or remove devices that the ghosts are on
    device Device,
    /// Set the health of a server to up
    up Up,
    /// Set the health of a server to down
    down Down,
    /// Send no new connections to a server
    drain Drain,
    /// Send new connections to a server again
    undrain Undrain,
    /// Go back to the oldest function of a pool
    abort Abort,
}
