// SPDX-License-Identifier: GPL-2.0
//! `onehopctl metrics`

use onehop_uapi::{Admin, Reach, Status};

use super::stats::counters;
use crate::state::{effective, State};
use crate::{Context, Error};

/// For the textfile collector of the node exporter, for example.
#[derive(clap::Args)]
pub struct Metrics {}

impl Metrics {
    pub fn run(self, context: &mut Context<'_>) -> Result<(), Error> {
        let info = context.kernel.info()?;
        let counters = counters(context.kernel)?;
        let state = State::read(context.kernel)?;

        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, samples: Vec<(String, u64)>| {
            text += &format!("# HELP onehop_{name} {help}\n# TYPE onehop_{name} {kind}\n");
            for (labels, value) in samples {
                text += &format!("onehop_{name}{labels} {value}\n");
            }
        };

        let version = escaped(info.version.as_str());
        let version = format!("{{version=\"{version}\",abi=\"{}\"}}", info.abi);
        family("info", "gauge", "The module.", vec![(version, 1)]);
        let enabled = vec![(String::new(), info.enabled.into())];
        family(
            "enabled",
            "gauge",
            "Whether net.onehop.enabled is set.",
            enabled,
        );
        let answer = vec![(String::new(), info.answer.into())];
        let help = "Whether ARP and ND are answered for ghosts, see onehopctl answer.";
        family("answer", "gauge", help, answer);
        let generation = vec![(String::new(), state.generation)];
        family("generation", "counter", "Applied changes.", generation);

        let (drops, packets): (Vec<_>, Vec<_>) = counters
            .into_iter()
            .partition(|(name, _)| name.starts_with("drop_"));
        let labelled = |label: &str, counters: Vec<(String, u64)>| {
            let samples = counters.into_iter().map(|(name, count)| {
                let name = name.trim_start_matches("drop_");
                (format!("{{{label}=\"{name}\"}}"), count)
            });
            samples.collect::<Vec<_>>()
        };
        let help = "Packets for ghosts; see onehopctl stats for what the counters have in common.";
        family(
            "packets_total",
            "counter",
            help,
            labelled("counter", packets),
        );
        let help = "Packets for ghosts that were dropped, by reason.";
        family("drops_total", "counter", help, labelled("reason", drops));

        let mut columns: [Vec<(String, u64)>; 7] = Default::default();
        for pool in &state.pools {
            for (server, status) in pool.named_once() {
                let labels = format!("{{pool=\"{}\",server=\"{}\"}}", pool.pool.name, server.name);
                let values = [
                    u64::from(effective(server.admin, status.health) == Admin::Up),
                    u64::from(reachable(status)),
                    server.weight.into(),
                    status.packets,
                    status.bytes,
                    u64::from(status.leaving),
                    status.drain_left.into(),
                ];
                for (column, value) in columns.iter_mut().zip(values) {
                    column.push((labels.clone(), value));
                }
            }
        }
        let [up, reachable, weight, packets, bytes, leaving, drain] = columns;
        family("server_up", "gauge", "Whether the server is up.", up);
        let help = "Whether the module knows a way to all addresses of the server.";
        family("server_reachable", "gauge", help, reachable);
        family("server_weight", "gauge", "The server's weight.", weight);
        let help = "Packets handed over to the server, or kept by it.";
        family("server_packets_total", "counter", help, packets);
        let help = "Bytes handed over to the server, or kept by it, IP length.";
        family("server_bytes_total", "counter", help, bytes);
        let help = "Whether the server serves connections of older functions only.";
        family("server_leaving", "gauge", help, leaving);
        let help = "Seconds until a timed drain ends the server's connections; 0: there is none.";
        family("server_drain_seconds", "gauge", help, drain);
        for (name, help, samples) in transitions(&state) {
            family(name, "gauge", help, samples);
        }
        let devices = state.devices.iter().map(|(name, index)| {
            let labels = format!("{{device=\"{}\"}}", escaped(name.as_str()));
            (labels, u64::from(*index != 0))
        });
        let help = "Whether a device that the ghosts are on is there.";
        family("device_present", "gauge", help, devices.collect());

        write!(context.out, "{text}")?;
        Ok(())
    }
}

type Gauge = (&'static str, &'static str, Vec<(String, u64)>);

/// Of each pool, and of each of its older functions, 1 being the newest of these. A function
/// without an end has no seconds.
fn transitions(state: &State) -> [Gauge; 5] {
    let mut gauges = [
        (
            "pool_functions",
            "Functions of the pool: more than 1 in a transition.",
            Vec::new(),
        ),
        (
            "pool_tracked",
            "Connections that method track has noted.",
            Vec::new(),
        ),
        (
            "older_flows",
            "Connections that an older function still carries, estimated.",
            Vec::new(),
        ),
        (
            "older_remaining_seconds",
            "Seconds until an older function is retired.",
            Vec::new(),
        ),
        (
            "older_moved_ppm",
            "Clients to which it gives another owner than the newest.",
            Vec::new(),
        ),
    ];
    let [functions, tracked, flows, remaining, moved] = &mut gauges;
    for it in &state.pools {
        let pool = it.pool.name;
        let labels = format!("{{pool=\"{pool}\"}}");
        functions
            .2
            .push((labels.clone(), it.older.len() as u64 + 1));
        tracked.2.push((labels, it.tracked.into()));
        for (older, age) in it.older.iter().zip(1..) {
            let age: u32 = age;
            let labels = format!("{{pool=\"{pool}\",age=\"{age}\"}}");
            flows.2.push((labels.clone(), older.flows.into()));
            moved.2.push((labels.clone(), older.moved.into()));
            let seconds = older.remaining.map(|ms| ms.div_ceil(1000));
            remaining.2.extend(seconds.map(|seconds| (labels, seconds)));
        }
    }
    gauges
}

/// A text as the value of a label.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn reachable(status: &Status) -> bool {
    [status.reach, status.reach6]
        .into_iter()
        .flatten()
        .all(|reach| reach != Reach::Unreachable)
}
