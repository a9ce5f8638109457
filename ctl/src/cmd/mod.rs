// SPDX-License-Identifier: GPL-2.0
//! The verbs. To add one: a file, a `mod` line, and a line in the table.

mod abort;
mod analyze;
mod answer;
mod apply;
mod check;
mod commit;
mod device;
mod down;
mod drain;
mod dump;
mod extend;
mod ghost;
mod lookup;
mod metrics;
mod monitor;
mod overrides;
mod plan;
mod pool;
mod save;
mod server;
mod show;
mod stats;
mod top;
mod transition;
mod undrain;
mod up;
mod version;
mod which;

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::{Context, Error};

/// Control onehop: one address, many servers
#[derive(Parser)]
#[command(name = "onehopctl", version)]
struct Arguments {
    /// Print JSON
    #[arg(short, long, global = true)]
    json: bool,
    #[command(subcommand)]
    verb: Option<Verb>,
}

macro_rules! table {
    ($($(#[$about:meta])* $module:ident $verb:ident,)*) => {
        #[derive(Subcommand)]
        enum Verb {
            $($(#[$about])* $verb($module::$verb),)*
        }

        impl Verb {
            fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
                match self {
                    $(Self::$verb(verb) => verb.run(context),)*
                }
            }
        }
    };
}

table! {
    /// Show pools, ghosts and servers (the default)
    show Show,
    /// Print the state in tab-separated columns, for scripts
    dump Dump,
    /// Make a configuration file the state, at once
    apply Apply,
    /// Print the configuration file of the state
    save Save,
    /// Add, remove or move ghosts
    ghost Ghost,
    /// Add, remove or change pools
    pool Pool,
    /// Add, remove or change servers
    server Server,
    /// Give clients a server of their own, or no more
    overrides Override,
    /// Add or remove devices that the ghosts are on
    device Device,
    /// Answer ARP and ND for ghosts, or leave off
    answer Answer,
    /// Set the health of a server to up
    up Up,
    /// Set the health of a server to down
    down Down,
    /// Send no new connections to a server
    drain Drain,
    /// Send new connections to a server again
    undrain Undrain,
    /// End the transition of a pool now
    commit Commit,
    /// Go back to the oldest function of a pool
    abort Abort,
    /// Let the transition of a pool last longer
    extend Extend,
    /// Say what a change would do, and do nothing
    plan Plan,
    /// Tell which server owns a client
    lookup Lookup,
    /// Put access logs to a pool: loads, heavy clients, a table that fits
    analyze Analyze,
    /// Look for traps of addresses, devices and settings
    check Check,
    /// Print the counters
    stats Stats,
    /// Watch what servers are given, and by whom
    top Top,
    /// Print counters and states for Prometheus
    metrics Metrics,
    /// Print what happens, as it happens
    monitor Monitor,
    /// Print the versions of tool, module and interface
    version Version,
}

/// Runs the tool. Returns the exit code.
pub fn run<T>(arguments: impl IntoIterator<Item = T>, context: &mut Context<'_>) -> u8
where
    T: Into<OsString> + Clone,
{
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error, context),
    };
    context.json = arguments.json;
    let verb = arguments.verb.unwrap_or(Verb::Show(show::Show::default()));
    let result = verb.run(context).and_then(|()| Ok(context.out.flush()?));
    match result {
        Ok(()) => 0,
        Err(Error::Closed) => Error::Closed.code(),
        Err(error) => {
            // With standard error gone there is nobody left to tell.
            let _ = writeln!(context.err, "onehopctl: {error}");
            error.code()
        }
    }
}

/// Prints help, or what is wrong with the arguments.
fn usage(error: &clap::Error, context: &mut Context<'_>) -> u8 {
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    let text = error.render();
    let _ = if error.use_stderr() {
        write!(context.err, "{text}")
    } else {
        write!(context.out, "{text}")
    };
    code
}
