// SPDX-License-Identifier: GPL-2.0
//! `onehopctl abort`

use onehop_uapi::Verb;

use super::transition::Of;
use crate::{Context, Error};

/// What was configured when the transition began becomes the newest function, in a
/// transition of its own: connections that began in between stay where they did.
#[derive(clap::Args)]
pub struct Abort {
    #[command(flatten)]
    of: Of,
}

impl Abort {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        self.of.run(Verb::Abort, context)
    }
}
