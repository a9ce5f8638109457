// SPDX-License-Identifier: GPL-2.0
//! Logs, read one after the other.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, ErrorKind, Read};

use flate2::read::MultiGzDecoder;
use onehop_dispatch::addr::Address;

use super::client::is_dispatched;
use super::garbage::{Flaw, Garbage};
use super::line::{self, By, Format};
use super::lines;
use super::progress::Progress;
use crate::{Context, Error};

/// The most bytes that all requests can have sent, an exbibyte: sums stay far from where numbers
/// end, whatever a log claims.
const LOAD: u64 = 1 << 60;

/// Which logs, and how they are read.
#[derive(clap::Args)]
pub struct LogArgs {
    /// Logs, the oldest first, plain or in gzip; - is standard input
    #[arg(required = true, value_name = "LOG")]
    pub logs: Vec<String>,
    #[command(flatten)]
    pub how: How,
}

/// How lines are read.
#[derive(clap::Args, Clone, Copy, Default)]
pub struct How {
    /// How the logs are written
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "FORMAT"
    )]
    pub format: Format,
    /// What is counted: requests or bytes
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "WHAT"
    )]
    pub by: By,
}

/// What came by besides the requests.
#[derive(Default)]
pub struct Reading {
    pub requests: u64,
    pub garbage: Garbage,
    pub not_dispatched: u64,
    /// Of logs that end before their time: which, and why.
    pub broken: Vec<String>,
}

/// Gives each request of the logs to `take`, in their order: the client, and its weight.
///
/// # Errors
///
/// A log cannot be read at all, which is found out before anything is read; or there is no request
/// in any of them. A log that breaks off is no error here, as what was read of it counts.
pub fn read(
    context: &mut Context<'_>,
    logs: &[String],
    how: How,
    mut take: impl FnMut(Address, u64),
) -> Result<Reading, Error> {
    let size = sizes(logs)?;
    let mut reading = Reading::default();
    let mut load = 0;
    let done = Cell::new(0);
    let mut progress = Progress::new(context.terminal.then_some(&mut *context.err), size);
    for name in logs {
        let raw: Box<dyn Read + '_> = match &**name {
            "-" => Box::new(&mut *context.input),
            name => Box::new(File::open(name).map_err(|error| unreadable(name, &error))?),
        };
        let counted = Counted(raw, &done);
        let mut reader = unpacked(counted).map_err(|error| unreadable(name, &error))?;
        let result = lines::read(
            &mut *reader,
            |line| match line::parse(line, how.format, how.by) {
                Ok(None) => {}
                Ok(Some((client, _))) if !is_dispatched(client) => reading.not_dispatched += 1,
                Ok(Some((_, weight))) if weight > LOAD - load => {
                    reading.garbage.add(Flaw::Size, line);
                }
                Ok(Some((client, weight))) => {
                    reading.requests += 1;
                    load += weight;
                    take(client, weight);
                }
                Err(flaw) => reading.garbage.add(flaw, line),
            },
            || progress.show(done.get()),
        );
        if let Err(error) = result {
            reading
                .broken
                .push(format!("\"{name}\" {}", breaks(&error)));
        }
    }
    progress.clear();
    if reading.requests == 0 {
        return Err(nothing(logs, &reading));
    }
    Ok(reading)
}

/// The bytes of all logs together; none if that cannot be known.
fn sizes(logs: &[String]) -> Result<Option<u64>, Error> {
    let mut total = Some(0);
    for name in logs {
        if name == "-" {
            total = None;
            continue;
        }
        let metadata = File::open(name).and_then(|file| file.metadata());
        let metadata = metadata.map_err(|error| unreadable(name, &error))?;
        if metadata.is_dir() {
            return Err(Error::Refused(format!(
                "\"{name}\" is a directory: give the logs in it"
            )));
        }
        total = total
            .filter(|_| metadata.is_file())
            .map(|total: u64| total + metadata.len());
    }
    Ok(total)
}

fn unreadable(name: &str, error: &io::Error) -> Error {
    Error::Refused(format!("\"{name}\" cannot be read: {error}"))
}

fn breaks(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => "breaks off: what there is of it was counted".into(),
        _ => format!("cannot be read on: {error}; what came before was counted"),
    }
}

fn nothing(logs: &[String], reading: &Reading) -> Error {
    let names = logs.join("\", \"");
    let mut parts: Vec<_> = reading.garbage.text().into_iter().collect();
    if reading.not_dispatched > 0 {
        let count = reading.not_dispatched;
        parts.push(format!("{count} of addresses that are not dispatched"));
    }
    parts.extend(reading.broken.iter().cloned());
    let lines = match parts.is_empty() {
        true => "there is no line in it".into(),
        false => format!("lines {}", parts.join(", ")),
    };
    Error::Refused(format!("no request in \"{names}\": {lines}"))
}

/// Decompresses what is compressed, which the first two bytes tell.
fn unpacked<'a>(mut raw: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let mut head = Vec::new();
    raw.by_ref().take(2).read_to_end(&mut head)?;
    let packed = head == [0x1f, 0x8b];
    let whole = io::Cursor::new(head).chain(raw);
    Ok(match packed {
        true => Box::new(MultiGzDecoder::new(whole)),
        false => Box::new(whole),
    })
}

/// Counts what is read.
struct Counted<'a, R>(R, &'a Cell<u64>);

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1.set(self.1.get() + count as u64);
        Ok(count)
    }
}
