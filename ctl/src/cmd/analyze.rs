// SPDX-License-Identifier: GPL-2.0
//! `onehopctl analyze`

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use onehop_uapi::limits::MAX_SERVERS;
use onehop_uapi::{Kind, Name};

use super::apply::read;
use crate::analyze::log::{self, LogArgs};
use crate::analyze::report::{Report, Wanted};
use crate::analyze::subject::{imagined, Subject};
use crate::analyze::svg::svg;
use crate::analyze::tally::Tally;
use crate::model::Model;
use crate::state::State;
use crate::{config, pick, seed, value, Context, Error};

/// By the pool that the module has, unless another is given. All servers are healthy.
#[derive(clap::Args)]
pub struct Analyze {
    #[command(flatten)]
    log: LogArgs,
    /// A pool of so many equal servers, instead of one that there is
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_SERVERS)))]
    servers: Option<u16>,
    /// A pool of a configuration file, instead of the module's
    #[arg(long, value_name = "FILE", conflicts_with = "servers")]
    config: Option<String>,
    /// Which pool; may be left out where there is only one
    #[arg(long, value_parser = value::name, conflicts_with = "servers")]
    pool: Option<Name>,
    /// With this seed, instead of the pool's
    #[arg(long, value_name = "HEX", value_parser = value::seed)]
    seed: Option<[u8; 16]>,
    /// With so many rows, instead of the pool's
    #[arg(long, value_name = "NUMBER")]
    rows: Option<u32>,
    /// Fit to the first 70 % of the requests too, and judge by the rest
    #[arg(long)]
    holdout: bool,
    /// How many heavy clients and prefixes to name at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Write the configuration with the fitted table, for apply; a new file
    #[arg(long, value_name = "FILE")]
    write: Option<String>,
    /// Draw the load per server, now and with the fitted table
    #[arg(long, value_name = "FILE")]
    svg: Option<String>,
}

impl Analyze {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        if self.config.as_deref() == Some("-") && self.log.logs.iter().any(|log| log == "-") {
            return Err(Error::refused(
                "standard input is the configuration or a log: give one of them as a file",
            ));
        }
        let (mut model, name) = self.model(context)?;
        let group = model.pools[&name].clone();
        let subject = Subject::new(group, self.seed, self.rows)?;
        if let Some(file) = &self.write {
            writable(file, &subject)?;
        }
        let mut tally = Tally::new(&subject);
        let how = self.log.how;
        let reading = log::read(context, &self.log.logs, how, |client, weight| {
            tally.take(client, weight);
        })?;
        let wanted = Wanted {
            by: how.by,
            top: self.top,
            holdout: self.holdout,
        };
        let report = Report::new(&subject, &tally, reading, &wanted);
        match context.json {
            true => context.print_json(&report)?,
            false => report.print(context)?,
        }
        if let Some(file) = &self.svg {
            let written = fs::write(file, svg(&report));
            written.map_err(|error| unwritable(file, &error))?;
        }
        if let Some(file) = &self.write {
            let mut group = subject.group.clone();
            group.pool.kind = Kind::Table;
            group.table = report.table;
            // Servers without addresses are none: the file says what to add it to.
            let mut text = String::new();
            if let Some(servers) = self.servers {
                text = format!("# For a pool whose {servers} servers have the ids in the table.\n");
                group.servers.clear();
            }
            model.pools.insert(name, group);
            write(file, &(text + &config::save(&model)))?;
        }
        match report.broken.is_empty() {
            true => Ok(()),
            false => Err(Error::Refused(report.broken.join("; "))),
        }
    }

    /// What there is, and the pool of it that is asked about.
    fn model(&self, context: &mut Context<'_>) -> Result<(Model, Name), Error> {
        if let Some(servers) = self.servers {
            let group = imagined(servers)?;
            let name = group.pool.name;
            let mut model = Model::default();
            model.pools.insert(name, group);
            return Ok((model, name));
        }
        let model = match &self.config {
            Some(file) => read(context, file)?,
            None => match State::read(context.kernel) {
                Ok(state) => state.model(),
                Err(Error::Absent(why)) => {
                    let advice = "give --config FILE or --servers N";
                    return Err(Error::Absent(format!("{why}; {advice}")));
                }
                Err(error) => return Err(error),
            },
        };
        let name = pick::pool(&model, self.pool)?;
        Ok((model, name))
    }
}

/// Before an hour of reading rather than behind it.
fn writable(file: &str, subject: &Subject) -> Result<(), Error> {
    if Path::new(file).exists() {
        return Err(Error::Refused(format!(
            "\"{file}\" is there already: --write makes a new file"
        )));
    }
    if !subject.has_seed() {
        let fresh = seed::format(seed::fresh()?);
        return Err(Error::Refused(format!(
            "--write needs a seed that nobody knows: give --seed, for example {fresh}"
        )));
    }
    Ok(())
}

/// It holds seeds: for its owner only.
fn write(file: &str, text: &str) -> Result<(), Error> {
    let mut options = OpenOptions::new();
    let opened = options.write(true).create_new(true).mode(0o600).open(file);
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| unwritable(file, &error))
}

fn unwritable(file: &str, error: &std::io::Error) -> Error {
    Error::Refused(format!("\"{file}\" cannot be written: {error}"))
}
