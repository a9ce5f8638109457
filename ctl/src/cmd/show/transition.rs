// SPDX-License-Identifier: GPL-2.0
//! What `onehopctl show` says of a pool in transition.

use onehop_uapi::{Method, Older};

use crate::report::percent;
use crate::state::PoolState;
use crate::style::{table, Cell, Tone};
use crate::{clock, Context, Error};

pub fn print(context: &mut Context<'_>, it: &PoolState) -> Result<(), Error> {
    if it.older.is_empty() {
        return Ok(());
    }
    let style = context.style();
    let functions = it.older.len() + 1;
    let title = style.paint(
        Tone::Careful,
        &format!("in transition, {functions} functions"),
    );
    let noted = match it.pool.method {
        Some(Method::Track) => format!(", {} connections noted", it.tracked),
        _ => String::new(),
    };
    writeln!(context.out, "  {title}{noted}")?;
    let mut rows = vec![vec![
        Cell::left("older function"),
        Cell::left("ends in"),
        Cell::right("moved"),
        Cell::right("connections"),
    ]];
    rows.extend(it.older.iter().map(row));
    for line in table(style, &rows) {
        writeln!(context.out, "  {line}")?;
    }
    Ok(())
}

fn row(it: &Older) -> Vec<Cell> {
    let end = match it.remaining {
        // Rounded up: what is left is not nothing.
        Some(ms) => clock::left(ms.div_ceil(1000)),
        None => "never, but by commit".into(),
    };
    vec![
        Cell::left(format!("{:016x}", it.digest)),
        Cell::left(end),
        Cell::right(format!("{} %", percent(it.moved))),
        Cell::right(format!("about {}", it.flows)),
    ]
}
