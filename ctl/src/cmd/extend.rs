// SPDX-License-Identifier: GPL-2.0
//! `onehopctl extend`

use onehop_uapi::{Span, Verb};

use super::transition::Of;
use crate::{how, Context, Error};

/// No older function is retired before the time has passed. Those that last longer
/// anyhow stay as they are.
#[derive(clap::Args)]
pub struct Extend {
    /// From now on: seconds, or 90s, 5m, 1h, 2d, or none (until commit)
    #[arg(long = "for", value_name = "TIME", value_parser = how::span)]
    span: Span,
    #[command(flatten)]
    of: Of,
}

impl Extend {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        self.of.run(Verb::Extend(self.span), context)
    }
}
