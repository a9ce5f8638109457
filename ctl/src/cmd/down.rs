// SPDX-License-Identifier: GPL-2.0
//! `onehopctl down`

use onehop_uapi::Health;

use super::health::Which;
use crate::{Context, Error};

#[derive(clap::Args)]
pub struct Down {
    #[command(flatten)]
    which: Which,
}

impl Down {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        self.which.set(Health::Down, context)
    }
}
