// SPDX-License-Identifier: GPL-2.0
//! `onehopctl top`

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use clap::Args;
use onehop_uapi::{Condition, Name, Set, State as Wanted};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use serde::Serialize;

use crate::state::State;
use crate::top::board::{rates, PoolRates};
use crate::top::keys::{verb, Action, Choice};
use crate::top::sample::{Heavy, Sampler};
use crate::top::screen::Screen;
use crate::value::{self, AuthorArgs};
use crate::{pick, Context, Error};

/// What servers are given at this moment, and by whom. Rates are those of this host.
#[derive(Args)]
pub struct Top {
    /// Only this pool
    #[arg(long, value_parser = value::name)]
    pool: Option<Name>,
    /// Seconds between two looks
    #[arg(long, default_value_t = 1.0, value_parser = interval)]
    interval: f64,
    /// Look twice, print, and end: for scripts. So too where the output is no terminal
    #[arg(long)]
    once: bool,
    /// How many of the heaviest clients to show; 0: do not look at packets
    #[arg(long, default_value_t = 10)]
    clients: usize,
    /// Look at one packet in so many
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    sample: u32,
    #[command(flatten)]
    author: AuthorArgs,
}

#[derive(Serialize)]
struct Report {
    seconds: f64,
    pools: Vec<PoolRates>,
    clients: Vec<Heavy>,
}

impl Top {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let before = State::read(context.kernel)?;
        if let Some(name) = self.pool {
            pick::pool(&before.model(), Some(name))?;
        }
        let sampler = match self.clients {
            0 => None,
            _ => Some(Sampler::new(self.sample)?),
        };
        let mut watch = Watch {
            before,
            at: Instant::now(),
            sampler,
        };
        if self.once || context.json || !std::io::stdout().is_terminal() {
            let report = watch.look(&self, context, Duration::from_secs_f64(self.interval))?;
            return self.print(context, &report);
        }
        self.interactive(context, &mut watch)
    }

    fn print(&self, context: &mut Context<'_>, report: &Report) -> Result<(), Error> {
        if context.json {
            return context.print_json(report);
        }
        for pool in &report.pools {
            writeln!(context.out, "pool {}", pool.pool)?;
            for line in pool.lines(context.style()) {
                writeln!(context.out, "  {line}")?;
            }
            if let Some(transition) = pool.transition() {
                writeln!(context.out, "  {transition}")?;
            }
        }
        for heavy in &report.clients {
            writeln!(
                context.out,
                "{} {}: {:.1} % of the packets sampled",
                heavy.pool,
                heavy.clients,
                heavy.share * 100.0
            )?;
        }
        Ok(())
    }

    fn interactive(&self, context: &mut Context<'_>, watch: &mut Watch) -> Result<(), Error> {
        let mut terminal = ratatui::try_init()?;
        let result = self.watch(context, watch, &mut terminal);
        ratatui::restore();
        result
    }

    fn watch(
        &self,
        context: &mut Context<'_>,
        watch: &mut Watch,
        terminal: &mut ratatui::DefaultTerminal,
    ) -> Result<(), Error> {
        let mut choice = Choice::default();
        let mut said = String::new();
        let interval = Duration::from_secs_f64(self.interval);
        let mut report = watch.look(self, context, interval)?;
        loop {
            let servers = report.pools.iter();
            let servers: Vec<_> = servers
                .flat_map(|pool| pool.servers.iter().map(move |it| (&pool.pool, &it.server)))
                .collect();
            choice.keep_within(servers.len());
            terminal.draw(|frame| {
                let screen = Screen {
                    pools: &report.pools,
                    heavy: &report.clients,
                    choice: &choice,
                    said: &said,
                };
                screen.draw(frame);
            })?;
            if event::poll(Duration::ZERO)? {
                match key(&event::read()?) {
                    Some(key) => match choice.press(key, servers.len()) {
                        Action::Nothing => said.clear(),
                        Action::Quit => return Ok(()),
                        Action::Set(wanted) => {
                            if let Some((pool, server)) = servers.get(choice.row) {
                                said = self.set(context, pool, server, wanted);
                            }
                        }
                    },
                    None => continue,
                }
            }
            // Short looks, so that a key is not waited for.
            let until = watch.at + interval;
            watch.sample(Duration::from_millis(50).min(interval))?;
            if Instant::now() >= until {
                report = watch.look(self, context, Duration::ZERO)?;
            }
        }
    }

    /// What came of it.
    fn set(&self, context: &mut Context<'_>, pool: &str, server: &str, wanted: Wanted) -> String {
        let names = value::name(pool).and_then(|pool| Ok((pool, value::name(server)?)));
        let (pool, server) = match names {
            Ok(names) => names,
            Err(why) => return why,
        };
        let request = Set {
            pool,
            server,
            state: wanted,
            condition: Condition::default(),
            author: self.author.author(context),
        };
        match context.kernel.set(&request) {
            Ok(outcome) if outcome.changed => {
                format!(
                    "{} {server}: generation {}",
                    verb(wanted),
                    outcome.generation
                )
            }
            Ok(_) => format!("{} {server}: already so", verb(wanted)),
            Err(error) => format!("{} {server}: {error}", verb(wanted)),
        }
    }
}

/// What was last seen.
struct Watch {
    before: State,
    at: Instant,
    sampler: Option<Sampler>,
}

impl Watch {
    fn sample(&mut self, time: Duration) -> Result<(), Error> {
        match &mut self.sampler {
            Some(sampler) => sampler.run(&self.before, time),
            None => {
                std::thread::sleep(time);
                Ok(())
            }
        }
    }

    /// Waits, and says what has come since the last look.
    fn look(
        &mut self,
        top: &Top,
        context: &mut Context<'_>,
        time: Duration,
    ) -> Result<Report, Error> {
        self.sample(time)?;
        let after = State::read(context.kernel)?;
        let now = Instant::now();
        let seconds = (now - self.at).as_secs_f64();
        let report = Report {
            seconds,
            pools: rates(&self.before, &after, top.pool, seconds),
            clients: match &mut self.sampler {
                Some(sampler) => sampler.heaviest(top.clients),
                None => Vec::new(),
            },
        };
        (self.before, self.at) = (after, now);
        Ok(report)
    }
}

/// The key as a letter; arrows are j and k, escape and Ctrl-C are q.
fn key(event: &Event) -> Option<char> {
    let Event::Key(key) = event else {
        return None;
    };
    if key.kind != KeyEventKind::Press {
        return None;
    }
    match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Some('q'),
        KeyCode::Char(letter) => Some(letter),
        KeyCode::Down => Some('j'),
        KeyCode::Up => Some('k'),
        KeyCode::Esc => Some('q'),
        _ => None,
    }
}

fn interval(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok();
    let good = seconds.filter(|seconds| (0.1..=3600.0).contains(seconds));
    good.ok_or_else(|| format!("interval \"{text}\" must be from 0.1 to 3600 seconds"))
}
