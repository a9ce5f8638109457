// SPDX-License-Identifier: GPL-2.0
//! `onehopctl version`

use onehop_uapi::limits::ABI;
use serde::Serialize;

use crate::{Context, Error};

#[derive(clap::Args)]
pub struct Version {}

#[derive(Serialize)]
struct Report {
    onehopctl: &'static str,
    abi: u32,
    module: Option<Module>,
}

#[derive(Serialize)]
struct Module {
    version: String,
    abi: u32,
}

impl Version {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let (module, why) = match context.kernel.info() {
            Ok(info) => {
                let version = info.version.to_string();
                (
                    Some(Module {
                        version,
                        abi: info.abi,
                    }),
                    String::new(),
                )
            }
            Err(why) => (None, why.to_string()),
        };
        let report = Report {
            onehopctl: env!("CARGO_PKG_VERSION"),
            abi: ABI,
            module,
        };
        if context.json {
            return context.print_json(&report);
        }
        writeln!(context.out, "onehopctl {} (abi {ABI})", report.onehopctl)?;
        match report.module {
            Some(Module { version, abi }) => writeln!(context.out, "module {version} (abi {abi})")?,
            None => writeln!(context.out, "module unknown ({why})")?,
        }
        Ok(())
    }
}
