// SPDX-License-Identifier: GPL-2.0
//! `onehopctl commit`

use onehop_uapi::Verb;

use super::transition::Of;
use crate::{Context, Error};

/// Connections that a server other than the newest function's still has are lost.
#[derive(clap::Args)]
pub struct Commit {
    #[command(flatten)]
    of: Of,
}

impl Commit {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        self.of.run(Verb::Commit, context)
    }
}
