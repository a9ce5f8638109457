// SPDX-License-Identifier: GPL-2.0
//! `onehopctl dump`

use onehop_uapi::{Address, Reach};

use crate::state::{effective, State};
use crate::{seed, table, Context, Error};

const COLUMNS: &str = "\
The first column says what the line is about. Columns are promised to stay where
they are; new ones come last. An empty one holds \"-\".

  state   GENERATION DIGEST ANSWER
  pool    NAME MODE KIND POLICY PREFIX4 PREFIX6 ROWS SEED DIGEST SHAPE
          METHOD TRACKED
  ghost   POOL ADDRESS
  server  POOL NAME ID ADDRESS WEIGHT ADMIN HEALTH STATE REACH DEVICE
          START-DOWN PACKETS BYTES CHANGED-AT ACTOR REASON ADDRESS6
          REACH6 DEVICE6 LEAVING DRAIN-LEFT
  device  NAME INDEX
  older   POOL AGE DIGEST REMAINING FLOWS MOVED
  override
          POOL PREFIX SERVER ID
  table   POOL ROW ID COUNT

STATE is the worse of ADMIN and HEALTH. CHANGED-AT is in ns since 1970. A device
that is not there has no INDEX. DRAIN-LEFT is in seconds, REMAINING in ms: neither
is there where there is no end. The older functions of a pool have AGE 1 and up,
from the newer to the older; MOVED is in parts per million of the clients. A table
has a line for each run of COUNT rows from ROW on that have the same ID, or none.";

#[derive(clap::Args)]
#[command(after_help = COLUMNS)]
pub struct Dump {}

impl Dump {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let info = context.kernel.info()?;
        let state = State::read(context.kernel)?;
        let mut line = |columns: &[&dyn ToString]| {
            let columns: Vec<_> = columns.iter().map(|column| filled(*column)).collect();
            writeln!(context.out, "{}", columns.join("\t"))
        };
        let digest = |digest: u64| format!("{digest:016x}");
        let answer = if info.answer { "on" } else { "off" };
        line(&[&"state", &state.generation, &digest(state.digest), &answer])?;
        for it in &state.pools {
            let pool = &it.pool;
            let seed = match pool.kind.has_rows() {
                true => seed::format(pool.seed),
                false => String::new(),
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
                &pool.shape.map_or("", |shape| shape.name()),
                &pool.method.map_or("", |method| method.name()),
                &it.tracked,
            ])?;
        }
        for it in &state.pools {
            for ghost in &it.ghosts {
                line(&[&"ghost", &it.pool.name, ghost])?;
            }
        }
        for it in &state.pools {
            for (server, status) in &it.servers {
                let mut device = |index: u32| match index {
                    0 => String::new(),
                    index => context
                        .kernel
                        .device(index)
                        .unwrap_or_else(|| index.to_string()),
                };
                let reach = |reach: Option<Reach>| reach.map_or("", Reach::name);
                line(&[
                    &"server",
                    &it.pool.name,
                    &server.name,
                    &server.id,
                    &address(server.address.map(Address::V4)),
                    &server.weight,
                    &server.admin,
                    &status.health,
                    &effective(server.admin, status.health),
                    &reach(status.reach),
                    &device(status.ifindex),
                    &server.start_down,
                    &status.packets,
                    &status.bytes,
                    &status.changed_at,
                    &status.author.actor,
                    &status.author.reason,
                    &address(server.address6.map(Address::V6)),
                    &reach(status.reach6),
                    &device(status.ifindex6),
                    &status.leaving,
                    &number(Some(status.drain_left.into()).filter(|left| *left != 0)),
                ])?;
            }
        }
        for (name, index) in &state.devices {
            let index = Some(u64::from(*index)).filter(|index| *index != 0);
            line(&[&"device", name, &number(index)])?;
        }
        for it in &state.pools {
            for (age, older) in (1..).zip(&it.older) {
                let age: u32 = age;
                line(&[
                    &"older",
                    &it.pool.name,
                    &age,
                    &digest(older.digest),
                    &number(older.remaining),
                    &older.flows,
                    &older.moved,
                ])?;
            }
        }
        for it in &state.pools {
            for entry in &it.overrides {
                let server = it.name(entry.server).map(|name| name.to_string());
                let server = server.unwrap_or_default();
                line(&[
                    &"override",
                    &it.pool.name,
                    &entry.prefix,
                    &server,
                    &entry.server,
                ])?;
            }
        }
        for it in &state.pools {
            for run in table::runs(&it.table) {
                let id = run.owner.map(u64::from);
                line(&[&"table", &it.pool.name, &run.row, &number(id), &run.count])?;
            }
        }
        Ok(())
    }
}

fn number(number: Option<u64>) -> String {
    number.map_or(String::new(), |number| number.to_string())
}

fn address(address: Option<Address>) -> String {
    address.map_or(String::new(), |address| address.to_string())
}

/// A column that is never empty, so that a shell's `read` counts right.
fn filled(column: &dyn ToString) -> String {
    match column.to_string() {
        empty if empty.is_empty() => "-".into(),
        text => text,
    }
}
