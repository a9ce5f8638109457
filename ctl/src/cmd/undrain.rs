// SPDX-License-Identifier: GPL-2.0
//! `onehopctl undrain`

use onehop_uapi::{Admin, State};

use super::which::Which;
use crate::how::HowArgs;
use crate::{Context, Error};

/// Its admin state becomes up.
#[derive(clap::Args)]
pub struct Undrain {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    how: HowArgs,
}

impl Undrain {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let condition = self.how.condition();
        self.which.set(State::Admin(Admin::Up), condition, context)
    }
}
