// SPDX-License-Identifier: GPL-2.0
//! `onehopctl up`

use onehop_uapi::{Health, State};

use super::which::Which;
use crate::how::HowArgs;
use crate::{Context, Error};

/// Health is the watchdog's view of a server; admin is the operator's.
#[derive(clap::Args)]
pub struct Up {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    how: HowArgs,
}

impl Up {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let condition = self.how.condition();
        self.which
            .set(State::Health(Health::Up), condition, context)
    }
}
