// SPDX-License-Identifier: GPL-2.0
//! Rates: what is between two states of the module.

use onehop_uapi::{Admin, Name, Server, Status};
use serde::Serialize;

use crate::report::percent;
use crate::state::{effective, PoolState, State};
use crate::style::{table, Cell, Style, Tone};

/// What one pool does.
#[derive(Serialize)]
pub struct PoolRates {
    pub pool: String,
    pub servers: Vec<ServerRates>,
    /// Functions before the newest one: in transition if there are any.
    pub older: usize,
    /// Seconds until the next one is retired; none: by commit only, or there is none.
    pub next_end: Option<u64>,
    /// Connections they still carry, about.
    pub carried: u64,
}

/// What one server is given.
#[derive(Serialize)]
pub struct ServerRates {
    pub server: String,
    /// up, drain or down; or leaving.
    pub state: &'static str,
    /// A second.
    pub packets: f64,
    /// A second, IP length.
    pub bytes: f64,
    /// Of the pool's packets; none if there were none.
    pub share: Option<f64>,
    /// What its weight makes it due, of the clients of those that are up; none for others.
    pub due: Option<f64>,
}

/// The rates of all pools, or of one, between two states that are so many seconds apart.
pub fn rates(before: &State, after: &State, only: Option<Name>, seconds: f64) -> Vec<PoolRates> {
    let pools = after.pools.iter();
    let wanted = pools.filter(|it| only.is_none_or(|name| it.pool.name == name));
    wanted
        .map(|pool| pool_rates(before.pool(pool.pool.name), pool, seconds))
        .collect()
}

fn pool_rates(before: Option<&PoolState>, pool: &PoolState, seconds: f64) -> PoolRates {
    let counted: Vec<_> = pool.servers.iter().map(|it| since(before, it)).collect();
    let all: u64 = counted.iter().map(|(packets, _)| packets).sum();
    let is_up = |(server, status): &&(Server, Status)| {
        !status.leaving && effective(server.admin, status.health) == Admin::Up
    };
    let up = pool.servers.iter().filter(is_up);
    let weights: u64 = up.map(|(server, _)| u64::from(server.weight)).sum();
    let servers = pool.servers.iter().zip(&counted);
    let servers = servers.map(|(it, (packets, bytes))| {
        let (server, status) = it;
        ServerRates {
            server: server.name.to_string(),
            state: match status.leaving {
                true => "leaving",
                false => effective(server.admin, status.health).name(),
            },
            packets: *packets as f64 / seconds,
            bytes: *bytes as f64 / seconds,
            share: (all > 0).then(|| *packets as f64 / all as f64),
            due: is_up(&it).then(|| f64::from(server.weight) / weights as f64),
        }
    });
    let ends = pool.older.iter().filter_map(|it| it.remaining);
    PoolRates {
        pool: pool.pool.name.to_string(),
        servers: servers.collect(),
        older: pool.older.len(),
        next_end: ends.min().map(|ms| ms.div_ceil(1000)),
        carried: pool.older.iter().map(|it| u64::from(it.flows)).sum(),
    }
}

/// Packets and bytes since the state before. A server that was not there began at 0, and one
/// whose counters went back began anew.
fn since(before: Option<&PoolState>, (server, status): &(Server, Status)) -> (u64, u64) {
    let is_same = |(it, was): &&(Server, Status)| {
        it.name == server.name && it.id == server.id && was.leaving == status.leaving
    };
    let was = before.and_then(|it| it.servers.iter().find(is_same));
    let (packets, bytes) = was.map_or((0, 0), |(_, was)| (was.packets, was.bytes));
    if status.packets < packets {
        return (status.packets, status.bytes);
    }
    (status.packets - packets, status.bytes.saturating_sub(bytes))
}

impl PoolRates {
    /// As lines of text.
    pub fn lines(&self, style: Style) -> Vec<String> {
        let mut rows = vec![heads()
            .into_iter()
            .enumerate()
            .map(|(column, head)| match column {
                0 | 1 => Cell::left(head),
                _ => Cell::right(head),
            })
            .collect::<Vec<_>>()];
        rows.extend(self.servers.iter().map(|server| {
            let tone = tone(server.state);
            let [name, state, numbers @ ..] = server.texts();
            let mut row = vec![Cell::left(name), Cell::left(state).tone(tone)];
            row.extend(numbers.map(Cell::right));
            row
        }));
        table(style, &rows)
    }

    /// What is to be said of the transition, if the pool is in one.
    pub fn transition(&self) -> Option<String> {
        let end = match self.next_end {
            Some(seconds) => format!("the next function ends in {seconds} s"),
            None => "until commit".into(),
        };
        (self.older > 0).then(|| {
            format!(
                "in transition, {} functions, about {} connections on older ones, {end}",
                self.older + 1,
                self.carried
            )
        })
    }
}

/// The columns of [`ServerRates::texts`].
pub fn heads() -> [&'static str; 6] {
    ["server", "state", "packets/s", "bytes/s", "share", "due"]
}

pub fn tone(state: &str) -> Tone {
    match state {
        "up" => Tone::Good,
        "down" => Tone::Bad,
        _ => Tone::Careful,
    }
}

impl ServerRates {
    pub fn texts(&self) -> [String; 6] {
        let share = |share: Option<f64>| {
            let millionths = share.map(|share| (share * 1e6).round() as u32);
            millionths.map_or_else(|| "-".into(), |it| format!("{} %", percent(it)))
        };
        [
            self.server.clone(),
            self.state.into(),
            rate(self.packets),
            rate(self.bytes),
            share(self.share),
            share(self.due),
        ]
    }
}

/// Three digits and a unit.
pub fn rate(number: f64) -> String {
    let units = ["", "k", "M", "G", "T"];
    let mut rest = number;
    let mut unit = 0;
    while rest >= 999.5 && unit + 1 < units.len() {
        rest /= 1000.0;
        unit += 1;
    }
    let digits = match rest {
        _ if unit == 0 => 0,
        rest if rest < 9.995 => 2,
        rest if rest < 99.95 => 1,
        _ => 0,
    };
    format!("{rest:.digits$}{}", units[unit])
}

#[cfg(test)]
pub mod tests {
    use onehop_uapi::{Health, Older};

    use super::*;

    /// A pool of s1 (weight 1), s2 (weight 3), s3 (drains) and s9 (is leaving), which have been given so
    /// many packets of 100 bytes.
    pub fn state(packets: [u64; 4]) -> State {
        let names = [("s1", 1, 1), ("s2", 2, 3), ("s3", 3, 1), ("s9", 9, 1)];
        let servers = names
            .iter()
            .zip(packets)
            .map(|((name, id, weight), packets)| {
                let server = Server {
                    name: Name::new("name", name).unwrap(),
                    pool: 0,
                    id: *id,
                    weight: *weight,
                    admin: if *id == 3 { Admin::Drain } else { Admin::Up },
                    start_down: false,
                    address: Some([10, 0, 0, *id as u8]),
                    address6: None,
                };
                let status = Status {
                    leaving: *id == 9,
                    health: Health::Up,
                    reach: None,
                    reach6: None,
                    ifindex: 0,
                    ifindex6: 0,
                    drain_left: 0,
                    changed_at: 0,
                    packets,
                    bytes: packets * 100,
                    author: Default::default(),
                };
                (server, status)
            });
        let older = |remaining| Older {
            pool: 0,
            flows: 20,
            digest: 0,
            remaining,
            moved: 0,
        };
        let web = PoolState {
            servers: servers.collect(),
            older: vec![older(None), older(Some(4500))],
            ..PoolState::bare("web")
        };
        State {
            pools: vec![web],
            ..State::default()
        }
    }

    #[test]
    fn what_came_in_between() {
        let (before, after) = (state([100, 200, 300, 7]), state([150, 300, 300, 57]));
        let rates = rates(&before, &after, None, 2.0);
        let [web] = &rates[..] else {
            panic!("{} pools", rates.len());
        };
        let told: Vec<_> = web.servers.iter().map(ServerRates::texts).collect();
        let expected = [
            ["s1", "up", "25", "2.50k", "25 %", "25 %"],
            ["s2", "up", "50", "5.00k", "50 %", "75 %"],
            ["s3", "drain", "0", "0", "0 %", "-"],
            ["s9", "leaving", "25", "2.50k", "25 %", "-"],
        ];
        assert_eq!(told, expected);
        assert_eq!((web.older, web.next_end, web.carried), (2, Some(5), 40));
        let said = web.transition().unwrap();
        assert!(
            said.contains("3 functions") && said.contains("ends in 5 s"),
            "{said}"
        );
    }

    /// As when a pool goes and comes again.
    #[test]
    fn counters_that_began_anew() {
        let rates = rates(&state([100; 4]), &state([10, 0, 0, 0]), None, 1.0);
        assert_eq!(rates[0].servers[0].packets, 10.0);
        let none = super::rates(&state([5; 4]), &state([5; 4]), None, 1.0);
        assert!(none[0].servers.iter().all(|it| it.share.is_none()));
        let other = Name::new("name", "other").unwrap();
        assert!(super::rates(&state([5; 4]), &state([5; 4]), Some(other), 1.0).is_empty());
    }

    #[test]
    fn three_digits() {
        let rates = [
            (0.0, "0"),
            (7.4, "7"),
            (999.0, "999"),
            (999.6, "1.00k"),
            (12_345.0, "12.3k"),
            (999_600.0, "1.00M"),
            (123_456_789.0, "123M"),
            (5e15, "5000T"),
        ];
        for (number, text) in rates {
            assert_eq!(rate(number), text);
        }
    }
}
