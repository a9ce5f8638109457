// SPDX-License-Identifier: GPL-2.0
//! `onehopctl show`

use onehop_uapi::{Address, Admin, Health, Info, Name, Reach, Server, Status};

use super::stats::counters;
use crate::state::{effective, PoolState, State};
use crate::style::{table, Cell, Tone};
use crate::{clock, pick, router, value, Context, Error};

mod json;
mod transition;

#[derive(clap::Args, Default)]
pub struct Show {
    /// Only this pool
    #[arg(value_parser = value::name)]
    pool: Option<Name>,
    /// Add the packets and bytes of servers, and the counters
    #[arg(short, long)]
    statistics: bool,
}

impl Show {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let info = context.kernel.info()?;
        let mut state = State::read(context.kernel)?;
        if let Some(name) = self.pool {
            pick::pool(&state.model(), Some(name))?;
            state.pools.retain(|it| it.pool.name == name);
        }
        if context.json {
            let report = json::report(context, &info, &state);
            return context.print_json(&report);
        }
        self.summary(context, &info, &state)?;
        for pool in &state.pools {
            writeln!(context.out)?;
            self.pool(context, pool)?;
        }
        if self.statistics {
            let counters = counters(context.kernel)?.into_iter();
            let rows = counters.map(|(name, count)| vec![Cell::left(name), Cell::right(count)]);
            writeln!(context.out)?;
            for line in table(context.style(), &rows.collect::<Vec<_>>()) {
                writeln!(context.out, "{line}")?;
            }
        }
        Ok(())
    }

    fn summary(&self, context: &mut Context<'_>, info: &Info, state: &State) -> Result<(), Error> {
        let style = context.style();
        let enabled = match info.enabled {
            true => style.paint(Tone::Good, "enabled"),
            false => style.paint(Tone::Bad, "disabled: packets for ghosts are dropped"),
        };
        let (generation, digest) = (state.generation, state.digest);
        writeln!(
            context.out,
            "generation {generation}, digest {digest:016x}, {enabled}"
        )?;
        if !state.devices.is_empty() {
            let devices = state.devices.iter().map(|(name, index)| match index {
                0 => style.paint(Tone::Careful, &format!("{name} (absent)")),
                _ => name.to_string(),
            });
            let devices = devices.collect::<Vec<_>>().join(", ");
            let answer = if info.answer { "on" } else { "off" };
            writeln!(context.out, "devices {devices}, answer {answer}")?;
        }
        if info.pools == 0 {
            writeln!(context.out, "no pools")?;
        }
        Ok(())
    }

    fn pool(&self, context: &mut Context<'_>, it: &PoolState) -> Result<(), Error> {
        let style = context.style();
        let pool = &it.pool;
        let title = style.paint(Tone::Title, &format!("pool {}", pool.name));
        let kind = match pool.kind.has_rows() {
            true => format!("{} over {} rows", pool.kind, pool.rows),
            false => pool.kind.to_string(),
        };
        let mode = match (pool.shape, pool.method) {
            (Some(shape), _) => format!("{} by {shape}", pool.mode),
            (_, Some(method)) => format!("{} by {method}", pool.mode),
            (None, None) => pool.mode.to_string(),
        };
        let (prefix4, prefix6) = (pool.prefix4, pool.prefix6);
        writeln!(
            context.out,
            "{title}: {}, {kind}, clients by /{prefix4} and /{prefix6}, {} if no server lives, digest {:016x}",
            mode, pool.policy, it.digest
        )?;
        let ghosts: Vec<_> = it.ghosts.iter().map(Address::to_string).collect();
        match ghosts.is_empty() {
            true => writeln!(context.out, "  no ghosts")?,
            false => writeln!(context.out, "  ghosts {}", ghosts.join(" "))?,
        }
        match it.servers.is_empty() {
            true => writeln!(context.out, "  no servers")?,
            false => self.servers(context, it)?,
        }
        match it.overrides.len() {
            0 => {}
            1 => writeln!(context.out, "  1 override")?,
            count => writeln!(context.out, "  {count} overrides")?,
        }
        transition::print(context, it)?;
        if let Some(shape) = pool.shape.filter(|_| !it.ghosts.is_empty()) {
            for line in router::commands(shape, &it.ghosts) {
                writeln!(context.out, "  {line}")?;
            }
        }
        Ok(())
    }

    fn servers(&self, context: &mut Context<'_>, it: &PoolState) -> Result<(), Error> {
        let families = Families {
            v4: it.servers.iter().any(|(it, _)| it.address.is_some()),
            v6: it.servers.iter().any(|(it, _)| it.address6.is_some()),
        };
        let mut rows = vec![self.head(families)];
        for (server, status) in &it.servers {
            rows.push(self.row(context, families, server, status));
        }
        for line in table(context.style(), &rows) {
            writeln!(context.out, "  {line}")?;
        }
        Ok(())
    }

    fn head(&self, families: Families) -> Vec<Cell> {
        let right = |title: &str| Cell::right(title);
        let mut head = vec![
            Cell::left("server"),
            right("id"),
            Cell::left("state"),
            right("weight"),
        ];
        if families.v4 {
            head.extend([Cell::left("address"), Cell::left("via")]);
        }
        if families.v6 {
            head.extend([Cell::left("address6"), Cell::left("via6")]);
        }
        if self.statistics {
            head.extend([right("packets"), right("bytes")]);
        }
        head.push(Cell::left("last change"));
        head
    }

    fn row(
        &self,
        context: &mut Context<'_>,
        families: Families,
        server: &Server,
        status: &Status,
    ) -> Vec<Cell> {
        let (state, tone) = state(server, status);
        let mut row = vec![
            Cell::left(server.name.to_string()),
            Cell::right(server.id),
            Cell::left(state).tone(tone),
            Cell::right(server.weight),
        ];
        if families.v4 {
            row.push(address(server.address.map(Address::V4)));
            row.push(via(context, status.reach, status.ifindex));
        }
        if families.v6 {
            row.push(address(server.address6.map(Address::V6)));
            row.push(via(context, status.reach6, status.ifindex6));
        }
        if self.statistics {
            row.extend([Cell::right(status.packets), Cell::right(status.bytes)]);
        }
        row.push(Cell::left(change(status, context.now)));
        row
    }
}

/// The families of which any server of a pool has an address.
#[derive(Clone, Copy)]
struct Families {
    v4: bool,
    v6: bool,
}

/// The effective state, and which of its two halves is to blame for it.
fn state(server: &Server, status: &Status) -> (String, Tone) {
    let (admin, health) = (server.admin, status.health);
    let (state, tone) = match (effective(admin, health), admin, health) {
        (Admin::Down, Admin::Down, Health::Down) => ("down (admin, health)", Tone::Bad),
        (Admin::Down, Admin::Down, _) => ("down (admin)", Tone::Bad),
        (Admin::Down, ..) => ("down (health)", Tone::Bad),
        _ if status.leaving => ("leaving", Tone::Careful),
        (Admin::Drain, ..) => ("drain", Tone::Careful),
        (Admin::Up, ..) => ("up", Tone::Good),
    };
    match status.drain_left {
        0 => (state.into(), tone),
        left => (format!("{state}, {} left", clock::left(left.into())), tone),
    }
}

fn address(address: Option<Address>) -> Cell {
    Cell::left(address.map_or("-".into(), |address| address.to_string()))
}

fn via(context: &mut Context<'_>, reach: Option<Reach>, index: u32) -> Cell {
    match reach {
        None => Cell::left("-"),
        Some(Reach::Unreachable) => Cell::left("unreachable").tone(Tone::Bad),
        Some(Reach::Local) => Cell::left("this host").tone(Tone::Title),
        Some(Reach::Link) => {
            let name = context.kernel.device(index);
            Cell::left(name.unwrap_or_else(|| format!("#{index}")))
        }
    }
}

fn change(status: &Status, now: u64) -> String {
    if status.changed_at == 0 {
        return "never".into();
    }
    let author = &status.author;
    let mut text = clock::age(status.changed_at, now);
    if !author.actor.is_empty() {
        text += &format!(" by {}", author.actor);
    }
    if !author.reason.is_empty() {
        text += &format!(": {}", author.reason);
    }
    text
}
