// SPDX-License-Identifier: GPL-2.0
//! The enumerations of the interface: numbers on the wire, names for people.

use super::invalid::{Cause, Expected, Invalid, Value};

/// Declares an enumeration with the number and the name of each of its values.
macro_rules! numbered {
    (
        $(#[$meta:meta])*
        $type:ident in $field:literal {
            $($(#[$doc:meta])* $variant:ident = $number:literal $name:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type {
            $($(#[$doc])* $variant,)*
        }

        impl $type {
            /// All values, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            const NAMES: &'static [(&'static str, u8)] = &[$(($name, $number)),*];

            /// The number on the wire.
            pub fn number(self) -> u8 {
                match self {
                    $(Self::$variant => $number,)*
                }
            }

            /// The name for people.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The value with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }

            pub(super) fn decode(number: u8) -> Result<Self, Invalid> {
                match number {
                    $($number => Ok(Self::$variant),)*
                    _ => Err(Invalid::new(
                        Cause::Enumeration,
                        $field,
                        Value::Number(number.into()),
                        Expected::OneOf(Self::NAMES),
                    )),
                }
            }
        }

        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

numbered! {
    /// How packets come to the servers of a pool.
    Mode in "mode" {
        /// A dispatcher sends each packet on to its owner.
        Router = 1 "router",
        /// Every server sees each packet, its owner keeps it.
        Broadcast = 2 "broadcast",
        /// Any server gets it, keeps it or sends it on to its owner.
        Peer = 3 "peer",
    }
}

numbered! {
    /// Mode broadcast: how a frame comes to all servers.
    Shape in "shape" {
        /// As an Ethernet broadcast, as in the paper. No server answers ARP or ND.
        Broadcast = 1 "broadcast",
        /// Servers answer ARP and ND with a group address of their own.
        Multicast = 2 "multicast",
        /// Likewise, with that of an IP group, which they join.
        Igmp = 3 "igmp",
    }
}

numbered! {
    /// Mode router: how connections are told that began before a change.
    Method in "method" {
        /// The dispatcher notes those that begin in a transition.
        Track = 1 "track",
        /// Servers with the module pass on what they have no socket for.
        Chance = 2 "chance",
    }
}

numbered! {
    /// The rule that names the owner of a client.
    Kind in "kind" {
        /// Client address modulo the number of servers, as in the paper.
        Mod = 1 "mod",
        /// Keyed hash to a row, weighted rendezvous within it.
        Hash = 2 "hash",
        /// The same; a row's owner by a table comes first, while it lives.
        Table = 3 "table",
    }
}

impl Kind {
    /// Does it have rows and a seed?
    pub fn has_rows(self) -> bool {
        match self {
            Self::Hash | Self::Table => true,
            Self::Mod => false,
        }
    }
}

numbered! {
    /// What named the owner of a client.
    Rule in "rule" {
        /// Kind mod.
        Mod = 1 "mod",
        /// The ranking of the servers in the client's row, of kind hash or table.
        Hash = 2 "hash",
        /// The table's owner of the client's row.
        Table = 3 "table",
        /// An override.
        Override = 4 "override",
    }
}

numbered! {
    /// What happens to a packet when no server of its pool lives.
    Policy in "policy" {
        /// Nothing is answered.
        Drop = 1 "drop",
        /// ICMP host unreachable is answered.
        Reject = 2 "reject",
    }
}

numbered! {
    /// What the operator wants of a server.
    Admin in "admin" {
        /// It serves.
        Up = 1 "up",
        /// It serves only when no server is up.
        Drain = 2 "drain",
        /// It does not serve.
        Down = 3 "down",
    }
}

numbered! {
    /// What the watchdog has seen of a server.
    Health in "health" {
        /// It answers.
        Up = 1 "up",
        /// It does not.
        Down = 2 "down",
    }
}

numbered! {
    /// How the module reaches a server.
    Reach in "reach" {
        /// No route, or not on link.
        Unreachable = 1 "unreachable",
        /// On a link.
        Link = 2 "link",
        /// It is this host itself.
        Local = 3 "local",
    }
}

numbered! {
    /// How an owner came to be one.
    Verdict in "verdict" {
        /// Nobody lives: the pool's policy decides.
        None = 1 "none",
        /// Nobody is up: a draining server serves.
        Draining = 2 "draining",
        /// It is up.
        Up = 3 "up",
    }
}
