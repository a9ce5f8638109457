// SPDX-License-Identifier: GPL-2.0
//! `onehopctl stats`

use onehop_uapi::Counter;
use serde_json::{Map, Value};

use crate::{Context, Error, Kernel};

/// In packets, since the module was loaded.
#[derive(clap::Args)]
pub struct Stats {}

impl Stats {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let counters = counters(context.kernel)?;
        if context.json {
            let counters = counters
                .into_iter()
                .map(|(name, count)| (name, count.into()));
            return context.print_json(&counters.collect::<Map<String, Value>>());
        }
        for (name, count) in counters {
            writeln!(context.out, "{name}\t{count}")?;
        }
        Ok(())
    }
}

/// The counters with their names. One that only a newer module has goes by its
/// number.
pub fn counters(kernel: &mut dyn Kernel) -> Result<Vec<(String, u64)>, Error> {
    let counters = kernel.counters()?.into_iter().enumerate();
    let named = counters.map(|(number, count)| {
        let counter = Counter::ALL.get(number);
        let name = counter.map_or_else(|| format!("counter_{number}"), |it| it.name().into());
        (name, count)
    });
    Ok(named.collect())
}
