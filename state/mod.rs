// SPDX-License-Identifier: GPL-2.0

//! What a network namespace has: its configuration, read by packets under RCU, and its counters.

pub(crate) mod assigned;
pub(crate) mod config;
pub(crate) mod events;
pub(crate) mod function;
pub(crate) mod hop;
pub(crate) mod links;
pub(crate) mod member;
pub(crate) mod older;
pub(crate) mod pool;
pub(crate) mod sketch;
pub(crate) mod stance;
pub(crate) mod table;
pub(crate) mod tracked;
pub(crate) mod traffic;

use crate::{
    dispatch::digest,
    ffi::{
        atomic::read_once,
        fib::RouteWatch,
        hook,
        link::Mac,
        neigh::NeighbourWatch,
        netdev::DeviceWatch,
        netns::Net,
        percpu,
        rcu::{Prepared, RcuCell, Reader, Writer},
        sysctl,
        work::Work,
    },
    uapi::Counter,
};
use config::Config;
use events::Events;
use kernel::{
    prelude::*,
    static_lock_class,
    sync::{
        atomic::{Atomic, Relaxed},
        Arc,
    },
};
use links::Links;
use table::Table;

/// One network namespace.
#[pin_data]
pub(crate) struct Namespace {
    net: Net,
    #[pin]
    config: RcuCell<Config, Control>,
    counters: percpu::Counters,
    /// The link addresses of all servers that send on to each other.
    #[pin]
    peers: RcuCell<Table<Mac>, ()>,
    /// Whether that list may be wrong whatever the neighbours say: 0 or 1.
    peers_doubted: Atomic<i8>,
    #[pin]
    links: Links,
    /// What ANSWER has set, 0 or 1.
    answer: Atomic<i8>,
    /// How many announcements are still to be made.
    announcements: Atomic<i32>,
    // Both are written under the writers' turn, and read without it by those who only show
    // them: a turn may last seconds.
    generation: Atomic<u64>,
    digest: Atomic<u64>,
    /// sysctl `enabled`, 0 or 1.
    pub(crate) enabled: Atomic<i8>,
    /// sysctl `log_level`: 0 nothing, 1 changes.
    pub(crate) log_level: Atomic<i8>,
    /// sysctl: how long connections stay where they began; 0: no transitions.
    pub(crate) transition_seconds: Atomic<u32>,
    /// sysctl: room of method track, for transitions to come.
    pub(crate) max_tracked_flows: Atomic<u32>,
    #[pin]
    events: Events,
}

/// What those who change the configuration share, taking turns.
pub(crate) struct Control {
    /// There while an IPv4 ghost is.
    pub(crate) hooks4: Option<hook::Registration<Namespace>>,
    /// There while an IPv6 ghost is.
    pub(crate) hooks6: Option<hook::Registration<Namespace>>,
    /// There from the first pool on.
    pub(crate) watch: Option<RouteWatch<Namespace>>,
    /// Ends functions and drains in time. There from the first pool on.
    pub(crate) deadlines: Option<Work<Namespace>>,
    /// There from the first pool on whose servers send on to each other.
    pub(crate) neighbours: Option<NeighbourWatch<Namespace>>,
    /// There from the first device on.
    pub(crate) devices: Option<DeviceWatch<Namespace>>,
    /// There from the start.
    pub(crate) sysctls: Option<sysctl::Table<Namespace>>,
}

impl Control {
    const NONE: Self = Self {
        hooks4: None,
        hooks6: None,
        watch: None,
        deadlines: None,
        neighbours: None,
        devices: None,
        sysctls: None,
    };
}

/// The writers' turn in a namespace.
pub(crate) type Turn<'a> = Writer<'a, Config, Control>;

impl Namespace {
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new(net: Net) -> Result<Arc<Self>> {
        let counters = percpu::Counters::new(Counter::COUNT)?;
        Arc::pin_init(
            pin_init!(Self {
                net,
                config <- RcuCell::new(Control::NONE, c"onehop_turn", static_lock_class!()),
                counters,
                peers <- RcuCell::new((), c"onehop_peers", static_lock_class!()),
                peers_doubted: Atomic::new(0),
                links <- Links::new(),
                answer: Atomic::new(0),
                announcements: Atomic::new(0),
                generation: Atomic::new(0),
                digest: Atomic::new(digest::Namespace::new().finish()),
                enabled: Atomic::new(1),
                log_level: Atomic::new(1),
                transition_seconds: Atomic::new(300),
                max_tracked_flows: Atomic::new(65536),
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

    /// The same for a call, whose process may be killed while it waits.
    ///
    /// # Errors
    ///
    /// `EINTR` if it is being killed.
    pub(crate) fn turn_of_call(&self) -> Result<Turn<'_>> {
        self.config.write_killable()
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
        read_once(&self.enabled) != 0
    }

    pub(crate) fn logs_changes(&self) -> bool {
        self.log_level.load(Relaxed) != 0
    }

    /// Counts a packet. Any context.
    #[inline(always)]
    pub(crate) fn count(&self, counter: Counter) {
        self.counters.add(counter.index(), 1);
    }

    /// Counts a packet that came and was sent on. Any context.
    #[inline(always)]
    pub(crate) fn count_handed(&self) {
        const { assert!(Counter::Seen as usize + 1 == Counter::Handed as usize) };
        self.counters.add_pair(Counter::Seen.index(), 1, 1);
    }

    /// The counter's value. Any context.
    pub(crate) fn counted(&self, counter: Counter) -> u64 {
        self.counters.sum(counter.index())
    }

    pub(crate) fn links(&self) -> &Links {
        &self.links
    }

    /// Is this the link address of a server that sends on to others? Any context.
    pub(crate) fn is_peer(&self, mac: Mac, reader: Reader<'_>) -> bool {
        let peers = self.peers.read(reader);
        peers.is_some_and(|peers| peers.get(mac).is_some())
    }

    /// Replaces the peers' link addresses. Under the writers' turn, may sleep.
    pub(crate) fn set_peers(&self, peers: Option<KBox<Prepared<Table<Mac>>>>) {
        self.peers.write().replace(peers);
    }

    /// Notes that servers or ways have changed.
    pub(crate) fn doubt_peers(&self) {
        self.peers_doubted.store(1, Relaxed);
    }

    /// Whether they have since the last call.
    pub(crate) fn take_doubt(&self) -> bool {
        self.peers_doubted.xchg(0, Relaxed) != 0
    }

    /// Whether this host answers ARP and ND for ghosts with its own link address. Any context.
    pub(crate) fn answers(&self) -> bool {
        self.answer.load(Relaxed) != 0
    }

    /// Returns whether it was otherwise. Under the writers' turn.
    pub(crate) fn set_answers(&self, answers: bool) -> bool {
        self.answer.xchg(i8::from(answers), Relaxed) != i8::from(answers)
    }

    /// Sets how many announcements are to be made.
    pub(crate) fn set_announcements(&self, number: i32) {
        self.announcements.store(number, Relaxed);
    }

    /// Takes one of them; how many are left then, negative if there was none.
    pub(crate) fn take_announcement(&self) -> i32 {
        self.announcements.fetch_sub(1, Relaxed) - 1
    }

    pub(crate) fn events(&self) -> &Events {
        &self.events
    }

    /// Ends all that could still call into this namespace, and the references from it to
    /// itself. May sleep.
    pub(crate) fn stop(&self) {
        let ended = {
            let mut turn = self.turn();
            let control = turn.data();
            core::mem::replace(control, Control::NONE)
        };
        // Without the turn, which the work of most of them takes. The device watch tells of all
        // devices as gone, so that nothing is bound any more.
        drop(ended);
        let works = {
            let mut inner = self.links.lock();
            (inner.announcer.take(), inner.joiner.take())
        };
        drop(works);
        self.turn().replace(None);
        self.set_peers(None);
    }
}
