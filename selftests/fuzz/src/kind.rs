// SPDX-License-Identifier: GPL-2.0

//! Frames of every kind, all for a ghost and all well-formed; [`crate::mutation`] spoils them.

use crate::frame::Frame;
use crate::ipv4::{fragment4, icmp4, options4, quote4, tcp4, udp4};
use crate::ipv6::{extension6, fragment6, icmp6, quote6, tcp6, udp6};
use crate::random::Random;
use crate::special::{jumbo, neighbour, odd, segments, vlan};

macro_rules! kinds {
    ($($variant:ident $name:literal $make:ident,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $($variant,)*
        }

        impl Kind {
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// A whole frame of this kind.
            pub fn make(self, random: &mut Random) -> Frame {
                match self {
                    $(Self::$variant => $make(random),)*
                }
            }
        }
    };
}

kinds! {
    Tcp4 "tcp4" tcp4,
    Udp4 "udp4" udp4,
    Icmp4 "icmp4" icmp4,
    Quote4 "quote4" quote4,
    Fragment4 "fragment4" fragment4,
    Options4 "options4" options4,
    Tcp6 "tcp6" tcp6,
    Udp6 "udp6" udp6,
    Icmp6 "icmp6" icmp6,
    Quote6 "quote6" quote6,
    Fragment6 "fragment6" fragment6,
    Extension6 "extension6" extension6,
    Odd "odd" odd,
    Vlan "vlan" vlan,
    Jumbo "jumbo" jumbo,
    Segments "segments" segments,
    Neighbour "neighbour" neighbour,
}
