// SPDX-License-Identifier: GPL-2.0

//! What a network namespace has: its configuration, read by packets under RCU, and its counters.

pub(crate) mod config;
pub(crate) mod events;
pub(crate) mod ghosts;
pub(crate) mod hop;
pub(crate) mod pool;
pub(crate) mod traffic;

use crate::{
    dispatch::digest,
    ffi::{
        fib::RouteWatch,
        hook,
        netns::Net,
        percpu,
        rcu::{Prepared, RcuCell, Reader, Writer},
        sysctl,
    },
    uapi::Counter,
};
use config::Config;
use events::Events;
use kernel::{
    prelude::*,
    sync::{
        atomic::{Atomic, Relaxed},
        Arc,
    },
};

/// One network namespace.
#[pin_data]
pub(crate) struct Namespace {
    net: Net,
    #[pin]
    config: RcuCell<Config, Control>,
    counters: percpu::Counters,
    // Both are written under the writers' turn, and read without it by those who only show
    // them: a turn may last seconds.
    generation: Atomic<u64>,
    digest: Atomic<u64>,
    /// sysctl `enabled`, 0 or 1.
    pub(crate) enabled: Atomic<i8>,
    /// sysctl `log_level`: 0 nothing, 1 changes.
    pub(crate) log_level: Atomic<i8>,
    #[pin]
    events: Events,
}

/// What those who change the configuration share, taking turns.
pub(crate) struct Control {
    /// There while a ghost is.
    pub(crate) hook: Option<hook::Registration<Namespace>>,
    /// There from the first pool on.
    pub(crate) watch: Option<RouteWatch<Namespace>>,
    /// There from the start.
    pub(crate) sysctls: Option<sysctl::Table<Namespace>>,
}

/// The writers' turn in a namespace.
pub(crate) type Turn<'a> = Writer<'a, Config, Control>;

impl Namespace {
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new(net: Net) -> Result<Arc<Self>> {
        let counters = percpu::Counters::new(Counter::COUNT)?;
        let control = Control {
            hook: None,
            watch: None,
            sysctls: None,
        };
        Arc::pin_init(
            pin_init!(Self {
                net,
                config <- RcuCell::new(control),
                counters,
                generation: Atomic::new(0),
                digest: Atomic::new(digest::Namespace::new().finish()),
                enabled: Atomic::new(1),
                log_level: Atomic::new(1),
                events <- Events::new(),
            }),
            GFP_KERNEL_ACCOUNT,
        )
    }

    pub(crate) fn net(&self) -> &Net {
        &self.net
    }

    /// The configuration that packets meet now. Any context.
    #[inline]
    pub(crate) fn config<'g>(&'g self, reader: Reader<'g>) -> Option<&'g Config> {
        self.config.read(reader)
    }

    /// Takes the writers' turn. Process context, may sleep.
    pub(crate) fn turn(&self) -> Turn<'_> {
        self.config.write()
    }

    /// Counts changes.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Relaxed)
    }

    /// Of all pools; equal digest, equal decisions.
    pub(crate) fn digest(&self) -> u64 {
        self.digest.load(Relaxed)
    }

    /// Swaps `config` in. May sleep.
    pub(crate) fn replace(
        &self,
        turn: &mut Turn<'_>,
        config: Option<KBox<Prepared<Config>>>,
        generation: u64,
        digest: u64,
    ) {
        turn.replace(config);
        self.generation.store(generation, Relaxed);
        self.digest.store(digest, Relaxed);
    }

    #[inline]
    pub(crate) fn is_enabled(&self) -> bool {
        self.enabled.load(Relaxed) != 0
    }

    pub(crate) fn logs_changes(&self) -> bool {
        self.log_level.load(Relaxed) != 0
    }

    /// Counts a packet. Any context.
    #[inline]
    pub(crate) fn count(&self, counter: Counter) {
        self.counters.add(counter.index(), 1);
    }

    /// The counter's value. Any context.
    pub(crate) fn counted(&self, counter: Counter) -> u64 {
        self.counters.sum(counter.index())
    }

    pub(crate) fn events(&self) -> &Events {
        &self.events
    }

    /// Ends all that could still call into this namespace, and the references from it to
    /// itself. May sleep.
    pub(crate) fn stop(&self) {
        let (hook, watch, sysctls) = {
            let mut turn = self.turn();
            let control = turn.data();
            (
                control.hook.take(),
                control.watch.take(),
                control.sysctls.take(),
            )
        };
        // Without the turn, which the watch's work takes.
        drop((hook, watch, sysctls));
        self.turn().replace(None);
    }
}
