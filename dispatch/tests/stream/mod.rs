// SPDX-License-Identifier: GPL-2.0

//! Reads the text stream of Documentation/dispatch.md and answers it with the compiled law.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};

use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::bitmap::Bitmap;
use onehop_dispatch::chain::Chain;
use onehop_dispatch::digest;
use onehop_dispatch::function::{Explicit, Function, Kind, Law, Owner, Rule};
use onehop_dispatch::hash;
use onehop_dispatch::overrides::{flatten, Override, Range};
use onehop_dispatch::prefix::Prefix;
use onehop_dispatch::server::{Server, ServerId, State, Weight};
use onehop_dispatch::transition::{adds_nothing, shares_rows, Past};

mod words;

use words::{address, number, optional, refuse};

type Result<T> = std::result::Result<T, String>;

/// A pool under construction, its parts in the order that digests want.
struct Pool {
    name: String,
    kind: Kind,
    prefixes: Prefixes,
    table: Vec<u16>,
    servers: BTreeMap<ServerId, Member>,
    overrides: BTreeMap<Prefix, ServerId>,
    ghosts: Vec<Address>,
}

struct Member {
    server: Server,
    v4: Option<[u8; 4]>,
    v6: Option<[u8; 16]>,
}

/// A pool that is asked about: no more servers come.
struct Built {
    pool: Pool,
    law: Law,
    servers: Vec<Server>,
    rows: Vec<u16>,
    overrides: Vec<Override>,
    ranges: Vec<Range>,
    /// Its number in its queue, and who was down since it was the newest there.
    number: usize,
    gone: Bitmap,
}

/// Answers every question of `input` on `output`.
///
/// # Errors
///
/// The first line that is not as the format has it, by number and with the reason.
pub fn answer(input: impl BufRead, mut output: impl Write) -> Result<()> {
    let mut session = Session::default();
    for (number, line) in (1..).zip(input.lines()) {
        let line = line.map_err(|error| error.to_string())?;
        let reply = session
            .line(&line)
            .map_err(|error| format!("line {number}, \"{line}\": {error}"))?;
        if let Some(reply) = reply {
            writeln!(output, "{reply}").map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

#[derive(Default)]
struct Session {
    pool: Option<Pool>,
    built: Option<Built>,
    /// What the pool last begun takes the place of, the newer first.
    older: Vec<Built>,
    finished: BTreeMap<String, Built>,
}

impl Session {
    fn line(&mut self, line: &str) -> Result<Option<String>> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            [comment, ..] if comment.starts_with('#') => {}
            ["pool", name, kind, seed, rows, v4, v6] => {
                self.build()?;
                if self.built.is_some() {
                    self.retire();
                }
                self.pool = Some(Pool {
                    name: name.into(),
                    kind: words::kind(kind, seed, rows)?,
                    prefixes: refuse(Prefixes::new(number(v4)?, number(v6)?))?,
                    table: Vec::new(),
                    servers: BTreeMap::new(),
                    overrides: BTreeMap::new(),
                    ghosts: Vec::new(),
                });
            }
            ["server", id, weight, state, v4, v6] => {
                let member = Member {
                    server: Server {
                        id: refuse(ServerId::new(number(id)?))?,
                        weight: refuse(Weight::new(number(weight)?))?,
                        state: words::state(state)?,
                    },
                    v4: match optional(v4)? {
                        Some(Address::V6(_)) => return Err("expected an IPv4 address".into()),
                        Some(Address::V4(bytes)) => Some(bytes),
                        None => None,
                    },
                    v6: match optional(v6)? {
                        Some(Address::V4(_)) => return Err("expected an IPv6 address".into()),
                        Some(Address::V6(bytes)) => Some(bytes),
                        None => None,
                    },
                };
                self.open()?.servers.insert(member.server.id, member);
            }
            ["table", ref owners @ ..] => {
                for owner in owners {
                    let (owner, count) = words::owners(owner)?;
                    let table = &mut self.open()?.table;
                    table.resize(table.len() + count, owner);
                }
            }
            ["override", prefix, id] => {
                let (prefix, id) = (words::prefix(prefix)?, refuse(ServerId::new(number(id)?))?);
                self.open()?.overrides.insert(prefix, id);
            }
            ["ghost", ghost] => {
                let ghost = address(ghost)?;
                self.open()?.ghosts.push(ghost);
            }
            ["digest"] => {
                let built = self.build()?.ok_or("no pool yet")?;
                let digest = built.digest();
                return Ok(Some(format!("digest {digest:016x}")));
            }
            ["owner", client] => {
                let built = self.build()?.ok_or("no pool yet")?;
                let owner = match built.function().owner(address(client)?) {
                    Owner::Up(id) => format!("up {}", id.get()),
                    Owner::Draining(id) => format!("draining {}", id.get()),
                    Owner::None => "none".into(),
                };
                return Ok(Some(format!("owner {client} {owner}")));
            }
            ["order", client] => {
                let built = self.build()?.ok_or("no pool yet")?;
                let nobody = refuse(ServerId::new(0))?;
                let mut order = vec![nobody; built.servers.len()];
                let client_address = address(client)?;
                let length =
                    built
                        .function()
                        .succession(client_address, built.explicit(), &mut order);
                let ids = order[..length].iter().map(|id| format!(" {}", id.get()));
                return Ok(Some(format!("order {client}{}", ids.collect::<String>())));
            }
            ["rule", client] => {
                let built = self.build()?.ok_or("no pool yet")?;
                let explained = built.function().explain(address(client)?, built.explicit());
                let rule = match explained.rule {
                    Rule::Override(bits) => format!("override {bits}"),
                    Rule::Table(row) => format!("table {row}"),
                    Rule::Row(row) => format!("row {row}"),
                    Rule::Try(tries) => format!("try {tries}"),
                    Rule::NobodyLive => "nobody".into(),
                };
                return Ok(Some(format!("rule {client} {rule}")));
            }
            ["after"] => {
                self.build()?.ok_or("no pool yet")?;
                self.older.splice(0..0, self.built.take());
            }
            ["queue"] => {
                let newest = self.build()?.ok_or("no pool yet")?.number;
                let numbers = self.older.iter().map(|older| older.number);
                let numbers = [newest].into_iter().chain(numbers);
                let numbers = numbers.map(|number| format!(" {number}"));
                return Ok(Some(format!("queue{}", numbers.collect::<String>())));
            }
            ["chain", client] => {
                self.build()?.ok_or("no pool yet")?;
                let chain = self.chain(address(client)?);
                let links = chain.links().iter();
                let links = links.map(|link| format!(" {}@{}", link.server.get(), link.age));
                let oldest = chain
                    .oldest()
                    .map_or("none".into(), |id| id.get().to_string());
                let links = links.collect::<String>();
                return Ok(Some(format!("chain {client}{links} oldest {oldest}")));
            }
            ["namespace"] => {
                self.build()?;
                self.retire();
                let digest = namespace(std::mem::take(&mut self.finished));
                return Ok(Some(format!("namespace {digest:016x}")));
            }
            _ => return Err("no such line, or a wrong number of words".into()),
        }
        Ok(None)
    }

    fn open(&mut self) -> Result<&mut Pool> {
        self.pool
            .as_mut()
            .ok_or("expected after \"pool\" and before its first question".into())
    }

    fn build(&mut self) -> Result<Option<&Built>> {
        if let Some(pool) = self.pool.take() {
            let mut built = Built::new(pool)?;
            built.number = self.older.first().map_or(0, |older| older.number + 1);
            self.absorb(&built);
            self.built = Some(built);
        }
        Ok(self.built.as_ref())
    }

    /// Strikes out who is down in the newest function, and drops functions that add nothing.
    fn absorb(&mut self, newest: &Built) {
        for server in newest
            .servers
            .iter()
            .filter(|server| server.state == State::Down)
        {
            for older in &mut self.older {
                older.gone.insert(server.id.get());
            }
        }
        let mut at = 0;
        while let Some(past) = self.older.get(at) {
            let newer = self.older[..at]
                .iter()
                .rev()
                .map(|older| older.past(newest));
            if adds_nothing(&past.past(newest), newer, &newest.function()) {
                self.older.remove(at);
            } else {
                at += 1;
            }
        }
    }

    fn chain(&self, client: Address) -> Chain {
        let newest = self.built.as_ref().unwrap();
        let older = self.older.iter().map(|older| older.past(newest));
        Chain::of(&newest.function(), older, client, 0)
    }

    fn retire(&mut self) {
        self.older.clear();
        if let Some(built) = self.built.take() {
            self.finished.insert(built.pool.name.clone(), built);
        }
    }
}

impl Built {
    fn new(mut pool: Pool) -> Result<Self> {
        pool.ghosts.sort();
        let servers: Vec<Server> = pool.servers.values().map(|member| member.server).collect();
        let law = refuse(Law::new(pool.kind, pool.prefixes, &servers))?;
        let mut rows = Vec::new();
        if let Some((keyed, count)) = pool.kind.ranked() {
            rows.resize(count.get() as usize, hash::NONE);
            if matches!(pool.kind, Kind::Table { .. }) {
                pool.table.resize(rows.len(), hash::NONE);
            }
            hash::fill(keyed, &servers, &pool.table, 0, &mut rows);
        }
        let overrides = pool.overrides.iter();
        let overrides: Vec<Override> = overrides
            .map(|(&prefix, &server)| Override { prefix, server })
            .collect();
        let mut ranges = Vec::new();
        flatten(&overrides, |range| {
            ranges.push(range);
            Ok::<_, String>(())
        })?;
        Ok(Self {
            pool,
            law,
            servers,
            rows,
            overrides,
            ranges,
            number: 0,
            gone: Bitmap::EMPTY,
        })
    }

    fn past(&self, newest: &Self) -> Past<'_> {
        let shares = shares_rows(&self.function(), &newest.function());
        Past::new(self.function(), &self.gone, shares)
    }

    fn function(&self) -> Function<'_> {
        Function::new(&self.law, &self.servers, &self.rows, &self.ranges)
    }

    fn explicit(&self) -> Explicit<'_> {
        Explicit {
            table: &self.pool.table,
            overrides: &self.overrides,
        }
    }

    fn digest(&self) -> u64 {
        digest::pool(&self.law, &self.servers, self.explicit())
    }
}

fn namespace(pools: BTreeMap<String, Built>) -> u64 {
    let mut digest = digest::Namespace::new();
    for (name, built) in pools {
        digest.pool(name.as_bytes(), built.digest());
        for ghost in built.pool.ghosts {
            digest.ghost(ghost);
        }
        for member in built.pool.servers.values() {
            digest.server(member.server.id, member.v4, member.v6);
        }
    }
    digest.finish()
}
