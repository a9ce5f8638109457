// SPDX-License-Identifier: GPL-2.0
//! `onehopctl dump`

use std::net::Ipv4Addr;

use onehop_uapi::Kind;

use crate::state::{effective, State};
use crate::{seed, Context, Error};

const COLUMNS: &str = "\
The first column says what the line is about. Columns are promised to stay where
they are; new ones come last. An empty one holds \"-\".

  state   GENERATION DIGEST
  pool    NAME MODE KIND POLICY PREFIX4 PREFIX6 ROWS SEED DIGEST
  ghost   POOL ADDRESS
  server  POOL NAME ID ADDRESS WEIGHT ADMIN HEALTH STATE REACH DEVICE
          START-DOWN PACKETS BYTES CHANGED-AT ACTOR REASON

STATE is the worse of ADMIN and HEALTH. CHANGED-AT is in ns since 1970.";

#[derive(clap::Args)]
#[command(after_help = COLUMNS)]
pub struct Dump {}

impl Dump {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let state = State::read(context.kernel)?;
        let mut line = |columns: &[&dyn ToString]| {
            let columns: Vec<_> = columns.iter().map(|column| filled(*column)).collect();
            writeln!(context.out, "{}", columns.join("\t"))
        };
        let digest = |digest: u64| format!("{digest:016x}");
        line(&[&"state", &state.generation, &digest(state.digest)])?;
        for it in &state.pools {
            let pool = &it.pool;
            let seed = match pool.kind {
                Kind::Hash => seed::format(pool.seed),
                Kind::Mod => String::new(),
            };
            line(&[
                &"pool",
                &pool.name,
                &pool.mode,
                &pool.kind,
                &pool.policy,
                &pool.prefix4,
                &pool.prefix6,
                &pool.rows,
                &seed,
                &digest(it.digest),
            ])?;
        }
        for it in &state.pools {
            for ghost in &it.ghosts {
                line(&[&"ghost", &it.pool.name, ghost])?;
            }
        }
        for it in &state.pools {
            for (server, status) in &it.servers {
                let device = match status.ifindex {
                    0 => String::new(),
                    index => context
                        .kernel
                        .device(index)
                        .unwrap_or_else(|| index.to_string()),
                };
                line(&[
                    &"server",
                    &it.pool.name,
                    &server.name,
                    &server.id,
                    &Ipv4Addr::from(server.address),
                    &server.weight,
                    &server.admin,
                    &status.health,
                    &effective(server.admin, status.health),
                    &status.reach,
                    &device,
                    &server.start_down,
                    &status.packets,
                    &status.bytes,
                    &status.changed_at,
                    &status.author.actor,
                    &status.author.reason,
                ])?;
            }
        }
        Ok(())
    }
}

/// A column that is never empty, so that a shell's `read` counts right.
fn filled(column: &dyn ToString) -> String {
    match column.to_string() {
        empty if empty.is_empty() => "-".into(),
        text => text,
    }
}
