// SPDX-License-Identifier: GPL-2.0
//! `onehopctl up`

use onehop_uapi::Health;

use super::health::Which;
use crate::{Context, Error};

#[derive(clap::Args)]
pub struct Up {
    #[command(flatten)]
    which: Which,
}

impl Up {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        self.which.set(Health::Up, context)
    }
}
