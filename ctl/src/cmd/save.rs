// SPDX-License-Identifier: GPL-2.0
//! `onehopctl save`

use crate::config;
use crate::state::State;
use crate::{Context, Error};

/// Admin states only, never health: that is the watchdog's to find out anew.
#[derive(clap::Args)]
pub struct Save {}

impl Save {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let state = State::read(context.kernel)?;
        write!(context.out, "{}", config::save(&state.model()))?;
        Ok(())
    }
}
