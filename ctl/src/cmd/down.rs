// SPDX-License-Identifier: GPL-2.0
//! `onehopctl down`

use onehop_uapi::{Condition, Health, State};

use super::which::Which;
use crate::{Context, Error};

/// Health is the watchdog's view of a server; admin is the operator's. Down takes
/// effect at once: its connections are lost anyhow.
#[derive(clap::Args)]
pub struct Down {
    #[command(flatten)]
    which: Which,
}

impl Down {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let condition = Condition::default();
        self.which
            .set(State::Health(Health::Down), condition, context)
    }
}
