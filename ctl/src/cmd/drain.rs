// SPDX-License-Identifier: GPL-2.0
//! `onehopctl drain`

use onehop_uapi::{Admin, State};

use super::which::Which;
use crate::how::HowArgs;
use crate::{Context, Error};

/// It keeps its connections for as long as is said, and gets no new ones.
#[derive(clap::Args)]
pub struct Drain {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    how: HowArgs,
}

impl Drain {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let condition = self.how.condition();
        self.which
            .set(State::Admin(Admin::Drain), condition, context)
    }
}
