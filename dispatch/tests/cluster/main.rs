// SPDX-License-Identifier: GPL-2.0

//! A whole cluster under random changes, whose clients remember where each of their connections
//! began: none may be answered by anyone else.

#[path = "../common/mod.rs"]
mod common;
#[path = "../packet4/mod.rs"]
mod packet4;
#[path = "../segment/mod.rs"]
mod segment;

mod clients;
mod host;
mod queue;
mod steps;
mod wire;
mod world;

use std::collections::BTreeMap;

use clients::{Connection, Phase};
use common::{id, server};
use onehop_dispatch::addr::Address;
use onehop_dispatch::hash::NONE;
use onehop_dispatch::overrides::Override;
use onehop_dispatch::prefix::Prefix;
use onehop_dispatch::server::{Server, State};
use proptest::prelude::*;
use queue::Config;
use steps::{any_step, modes, Span, Step, IDS};
use world::{Mode, World};

fn address(client: u8) -> Address {
    Address::V4([198, 51, 100, client])
}

/// A pool of servers 0..up, all others being in it and down: they have a host, too.
fn pool(up: u32, hash: bool) -> Config {
    let state = |id| if id < up { State::Up } else { State::Down };
    Config {
        hash: hash.then_some((0, 256)),
        prefix: 32,
        servers: (0..IDS).map(|id| server(id, 1, state(id))).collect(),
        turns: vec![],
        overrides: vec![],
    }
}

struct Run {
    world: World,
    connections: BTreeMap<(u8, u16), Connection>,
}

impl Run {
    fn new(world: World) -> Self {
        let connections = BTreeMap::new();
        Self { world, connections }
    }

    fn pick(&mut self, which: usize) -> Option<(&mut Connection, &mut World)> {
        let number = which.checked_rem(self.connections.len())?;
        let connection = self.connections.values_mut().nth(number)?;
        Some((connection, &mut self.world))
    }

    fn open(&mut self, client: u8, port: u16) {
        let isn = self.world.dice.word();
        self.connections.entry((client, port)).or_insert_with(|| {
            let mut connection = Connection::new(address(client), 40_000 + port, isn);
            connection.call(&mut self.world);
            connection
        });
    }

    fn change(&mut self, span: Span, edit: impl FnOnce(&mut Config)) {
        let mut config = self.world.config().clone();
        edit(&mut config);
        if config.hash.is_none() {
            for server in &mut config.servers {
                server.weight = common::server(0, 1, State::Up).weight;
            }
        }
        self.world.configure(&config, span);
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Wait(ms) => self.world.wait(ms),
            Step::Open { client, port } => self.open(client, port),
            Step::Talk { which, ends } => {
                if let Some((connection, world)) = self.pick(which) {
                    connection.talk(world, ends);
                }
            }
            Step::Reuse(which) => {
                if let Some((connection, world)) = self.pick(which) {
                    if connection.phase == Phase::Closed {
                        connection.reuse(world);
                    }
                }
            }
            Step::Spoof(which) => {
                if let Some((connection, world)) = self.pick(which) {
                    connection.spoof(world);
                }
            }
            Step::Error(which) => {
                if let Some((connection, world)) = self.pick(which) {
                    connection.error(world);
                }
            }
            Step::Fragments(which) => {
                if let Some((connection, world)) = self.pick(which) {
                    connection.fragments(world);
                }
            }
            Step::Datagram(client) => self.datagram(address(client)),
            Step::Overflow { id: number, on } => self.world.host(id(number)).overflows = on,
            Step::Set {
                id: number,
                state,
                span,
            } => {
                // Up again before all have heard that it was down: some send it connections as if it
                // had not been, while others have given them to another.
                let too_soon = self.world.config().state(id(number)) == Some(State::Down)
                    && !self.world.is_told();
                if !too_soon {
                    self.change(span, |config| {
                        if let Some(server) = find(config, number) {
                            server.state = state;
                        }
                    });
                }
            }
            Step::Weigh {
                id: number,
                weight,
                span,
            } => self.change(span, |config| {
                if let Some(found) = find(config, number) {
                    found.weight = server(0, weight, State::Up).weight;
                }
            }),
            Step::Join { id: number, span } => self.change(span, |config| {
                if find(config, number).is_none() {
                    config.servers.push(server(number, 1, State::Down));
                    config.servers.sort_by_key(|server| server.id);
                }
            }),
            Step::Leave { id: number, span } => self.change(span, |config| {
                config.servers.retain(|server| server.id != id(number));
            }),
            Step::Reseed { seed, span } => self.change(span, |config| {
                config.hash = config.hash.map(|(_, rows)| (seed, rows));
            }),
            Step::Resize { rows, span } => self.change(span, |config| {
                config.hash = config.hash.map(|(seed, _)| (seed, rows));
            }),
            Step::Rekind { hash, span } => self.change(span, |config| {
                config.hash = hash.then_some((0, 256));
            }),
            Step::Table { which, span } => self.change(span, |config| {
                let lists = [&[][..], &[0, 1, NONE, 2], &[3, 0, NONE, NONE, 5]];
                config.turns = lists[which].to_vec();
            }),
            Step::Override {
                client,
                bits,
                id: number,
                span,
            } => self.change(span, |config| {
                let rest = u8::MAX.checked_shr(bits - 24).unwrap_or(0);
                let prefix = Prefix::new(address(client & !rest), bits).unwrap();
                config.overrides.retain(|it| it.prefix != prefix);
                config.overrides.extend(number.map(|number| Override {
                    prefix,
                    server: id(number),
                }));
                config.overrides.sort_by_key(|it| it.prefix);
            }),
            Step::Prefix { bits, span } => self.change(span, |config| config.prefix = bits),
            Step::Abort(span) => {
                let old = self.world.said.oldest().config.clone();
                self.change(span, |config| {
                    let state = |id| config.servers.iter().find(|server| server.id == id);
                    let mut wanted = old;
                    for server in &mut wanted.servers {
                        // Health stays as it is.
                        server.state = state(server.id).map_or(State::Down, |now| now.state);
                    }
                    *config = wanted;
                });
            }
            // Sooner it would end the settling, too.
            Step::Commit if self.world.is_settled() => self.world.commit(),
            Step::Commit => {}
        }
    }

    fn look(&mut self) {
        for connection in self.connections.values_mut() {
            connection.look(&self.world);
        }
    }

    /// What is not TCP goes to one server at a time.
    fn datagram(&mut self, client: Address) {
        let answers = self.world.send(&wire::datagram(client));
        if self.world.is_uniform() {
            let chain = self.world.said.chain(client, self.world.now, false);
            let ids: Vec<_> = answers.iter().map(|(id, _)| *id).collect();
            assert_eq!(
                ids,
                Vec::from_iter(chain.oldest()),
                "a datagram of {client:?}"
            );
        }
    }

    /// Everybody is heard once more.
    fn end(&mut self) {
        self.world.wait(2000);
        for connection in self.connections.values_mut() {
            connection.talk(&mut self.world, false);
            connection.talk(&mut self.world, false);
        }
    }
}

fn find(config: &mut Config, number: u32) -> Option<&mut Server> {
    config
        .servers
        .iter_mut()
        .find(|server| server.id == id(number))
}

/// How many of 200 connections whose clients move are lost by a change of the seed; and how many
/// moved.
fn lost_by_a_change(mode: Mode, plain: bool) -> (usize, usize) {
    let mut world = World::new(mode, &pool(4, true), 9);
    world.plain = plain;
    let mut run = Run::new(world);
    for client in 0..200 {
        run.open(client, 0);
    }
    for _ in 0..50 {
        for connection in run.connections.values_mut() {
            connection.talk(&mut run.world, false);
        }
    }
    let old = run.world.said.newest.clone();
    run.step(&Step::Reseed {
        seed: 1,
        span: Some(300_000),
    });
    run.step(&Step::Wait(2000));
    let new = run.world.said.newest.clone();
    let moves =
        |connection: &&mut Connection| old.owner(connection.client) != new.owner(connection.client);
    let moved: Vec<_> = run.connections.values_mut().filter(moves).collect();
    let total = moved.len();
    let world = &mut run.world;
    let lost = moved
        .into_iter()
        .filter_map(|connection| (!connection.talk(world, false)).then_some(()));
    (lost.count(), total)
}

/// The control: with functions that just take each other's place most connections that move break.
#[test]
fn it_is_the_transition_that_keeps_them() {
    for mode in [Mode::Broadcast, Mode::Peer, Mode::Chance(2), Mode::Track] {
        let (lost, moved) = lost_by_a_change(mode, false);
        assert!(moved > 100, "{moved}");
        assert_eq!(lost, 0, "{mode:?}");
        let (lost, moved) = lost_by_a_change(mode, true);
        assert!(lost > moved * 3 / 4, "{mode:?}: {lost} of {moved}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn no_connection_is_answered_by_another_server(
        mode in modes(),
        up in 1..=IDS,
        hash in prop::bool::weighted(0.8),
        seed: u64,
        steps in prop::collection::vec(any_step(), 1..120),
    ) {
        let mut run = Run::new(World::new(mode, &pool(up, hash), seed));
        for step in &steps {
            run.step(step);
            run.look();
        }
        run.end();
    }
}
