// SPDX-License-Identifier: GPL-2.0
//! `enum onehop_counter`.

/// Declares the counters in the order of their numbers.
macro_rules! counters {
    ($($(#[$doc:meta])* $variant:ident $name:literal,)*) => {
        /// The counters of a namespace, in packets.
        ///
        /// At rest, `seen` = `handed` + `local` + all `drop_*`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(usize)]
        pub enum Counter {
            $($(#[$doc])* $variant,)*
        }

        impl Counter {
            /// All counters, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// How many there are (`ONEHOP_COUNTERS`).
            pub const COUNT: usize = Self::ALL.len();

            /// The name for people and for machines.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

counters! {
    /// Came for a ghost.
    Seen "seen",
    /// Sent on to a server.
    Handed "handed",
    /// Left to this host's own stack.
    Local "local",
    /// `net.onehop.enabled` is 0.
    DropDisabled "drop_disabled",
    /// Nobody lives.
    DropNoServer "drop_no_server",
    /// Mode broadcast: another server keeps it.
    DropNotOwner "drop_not_owner",
    /// The owner is not on link.
    DropUnreachable "drop_unreachable",
    /// The owner is this host, which does not have the ghost.
    DropNotLocal "drop_not_local",
    /// A packet onehop leaves alone, for a ghost this host does not have.
    DropNotDispatched "drop_not_dispatched",
    /// Header or quote cut short.
    DropMalformed "drop_malformed",
    /// Time to live used up.
    DropTtl "drop_ttl",
    /// Over the MTU and not to be fragmented.
    DropTooBig "drop_too_big",
    /// Merged by LRO: cannot be sent on whole.
    DropLro "drop_lro",
    /// The owner is the host that sent the frame (split horizon).
    DropBounced "drop_bounced",
    /// Mode peer: a peer takes this host for the owner; another function there.
    DropMisdirected "drop_misdirected",
    /// A connection that moves, and no server has a socket for it.
    DropUnclaimed "drop_unclaimed",
    /// The slow path found no route.
    DropNoRoute "drop_no_route",
    /// No memory.
    DropNoMemory "drop_no_memory",
    /// Of `handed`: by the slow path.
    Slow "slow",
    /// Of `handed` and `local`: the owner was draining, as nobody was up.
    Draining "draining",
    /// ARP and ND requests for a ghost that the module answered.
    Answered "answered",
    /// ARP and ND messages stopped or altered, as they tie a ghost to this host.
    Guarded "guarded",
    /// Of `handed` and `local`: clients that move, by the newest function.
    Newest "newest",
    /// Of `handed` and `local`: clients that move, by an older function.
    Older "older",
    /// Of `older`: passed on to an older owner for want of a socket here.
    Passed "passed",
    /// Of `older`: fragments without ports, to the oldest owner.
    Fragments "fragments",
    /// Of `older`: a connection that method `track` had no room to note.
    Untracked "untracked",
}

impl Counter {
    /// The number of the counter.
    pub const fn index(self) -> usize {
        // The variants stand in the order of their numbers, from 0 on: this is
        // the one conversion that core has no function for.
        self as usize
    }

    /// Whether it counts packets that were dropped.
    pub fn is_drop(self) -> bool {
        self.name().starts_with("drop_")
    }
}
