// SPDX-License-Identifier: GPL-2.0

//! Sends mutated frames through onehop's hooks, and judges what becomes of each.
//!
//! The dispatcher's devices are taps: a frame that is written to one has been through the hooks when
//! the write returns, and what the dispatcher has sent because of it can be read. So each frame is
//! judged by itself, with no clock and no other process in between; over a veth it would be one of
//! many under way. [`judge`] holds the loop; [`kind`] and [`mutation`] make the frames; [`stack`],
//! [`law`] and [`verdict`] say what ought to become of one, naively, from the documentation and the
//! kernel's source and never by the module's own code; [`output`] compares.
//!
//! As `selftests/fuzz.sh` starts it, in the dispatcher's namespace:
//!
//! ```text
//! onehop_fuzz --mode MODE --owners FILE [OPTIONS] <&WIRE >&SMALL
//! onehop_fuzz --questions
//!
//!   --mode router|peer|broadcast
//!   --owners FILE       the oracle's answers to --questions; without, nobody lives
//!   --older FILE        likewise, by the function before, in a transition
//!   --devices           the configuration names the devices
//!   --disabled          net.onehop.enabled is 0
//!   --ghost             the dispatcher has the ghosts
//!   --unrouted          no route of IPv6 to small is found
//!   --tool PROGRAM      onehopctl
//!   --seed N            which frames (1)
//!   --frames N          how many, over all kinds (10000)
//!   --only KIND:INDEX   this frame alone
//! ```
//!
//! The report goes to standard error, a line a kind: its name, how many frames, refused, doubtful,
//! decided, and how far which counter rose. A last line begins with "all".

#![forbid(unsafe_code)]

mod address;
#[cfg(test)]
mod agreement;
mod bed;
mod build;
mod counters;
mod frame;
mod ipv4;
mod ipv6;
mod judge;
mod kind;
mod law;
mod mutation;
mod output;
mod payload;
mod random;
mod special;
mod stack;
mod sum;
mod verdict;
mod wire;

use bed::{questions, Bed, Mode, Owners};
use judge::{Judge, Report};
use kind::Kind;
use std::process::ExitCode;
use std::str::FromStr;
use wire::Wire;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["--questions"] {
        questions().for_each(|line| println!("{line}"));
        return ExitCode::SUCCESS;
    }
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            eprintln!("onehop_fuzz: {wrong}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let mut bed = Bed::new(Mode::Router);
    let (mut seed, mut frames) = (1, 10000);
    let (mut tool, mut only) = ("onehopctl".to_string(), None);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("'{word}': expected a value"));
        match &word[..] {
            "--mode" => {
                bed.mode = match &value()?[..] {
                    "router" => Mode::Router,
                    "peer" => Mode::Peer,
                    "broadcast" => Mode::Broadcast,
                    other => {
                        return Err(format!("'{other}': expected router, peer or broadcast"));
                    }
                }
            }
            "--owners" => bed.owners = Owners::read(value()?)?,
            "--older" => bed.older = Owners::read(value()?)?,
            "--unrouted" => bed.unrouted = true,
            "--devices" => bed.devices = true,
            "--disabled" => bed.enabled = false,
            "--ghost" => bed.has_ghost = true,
            "--tool" => tool = value()?.clone(),
            "--seed" => seed = number(value()?)?,
            "--frames" => frames = number(value()?)?,
            "--only" => only = Some(one(value()?)?),
            _ => return Err(format!("'{word}': expected an option")),
        }
    }
    let mut wire = Wire::open().map_err(|error| format!("the taps: {error}"))?;
    // What the dispatcher has had to say before is nobody's answer.
    wire.sent().map_err(|error| format!("the taps: {error}"))?;
    let mut judge = Judge {
        bed,
        wire,
        counters: counters::read(&tool)?,
        tool,
        seed,
    };
    if judge.bed.mode == Mode::Peer {
        judge.await_peers()?;
    }
    if let Some((kind, index)) = only {
        show(kind.name(), &judge.run(kind, index..index + 1)?);
        return Ok(());
    }
    let mut all = Report::default();
    let each = frames.div_ceil(Kind::ALL.len() as u64);
    for &kind in Kind::ALL {
        let report = judge.run(kind, 0..each)?;
        show(kind.name(), &report);
        all.add(&report);
    }
    show("all", &all);
    Ok(())
}

fn number(text: &str) -> Result<u64, String> {
    u64::from_str(text).map_err(|_| format!("'{text}': expected a number"))
}

fn one(text: &str) -> Result<(Kind, u64), String> {
    let (name, index) = text
        .split_once(':')
        .ok_or_else(|| format!("'{text}': expected KIND:INDEX"))?;
    let kind = Kind::ALL.iter().find(|kind| kind.name() == name);
    let kind = kind.ok_or_else(|| format!("'{name}': expected a kind of frames"))?;
    Ok((*kind, number(index)?))
}

fn show(name: &str, report: &Report) {
    let risen = report.rise.iter().filter(|(_, &value)| value != 0);
    let risen: Vec<String> = risen
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    eprintln!(
        "{name} sent {} refused {} doubtful {} decided {} {}",
        report.sent,
        report.refused,
        report.doubtful,
        report.decided(),
        risen.join(" ")
    );
}
