// SPDX-License-Identifier: GPL-2.0
//! Who the heavy clients are, from a sample of the frames that this host receives.
//!
//! The filter runs in the kernel, before anything is copied: what a frame costs is in
//! Documentation/decisions.md. Devices that lie upon each other (a VLAN and its parent, a bond and
//! its ports) show a frame once each; shares are the same.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use onehop_dispatch::addr::{self, Prefixes};
use onehop_dispatch::client::Client;
use onehop_dispatch::prefix::Prefix;
use onehop_dispatch::siphash::Keyed;
use onehop_dispatch::{ipv4, ipv6};
use onehop_uapi::{Address, Name};
use serde::Serialize;
use socket2::{Domain, Protocol, SockFilter, Socket, Type};

use crate::analyze::sketch::Sketch;
use crate::door;
use crate::state::{PoolState, State};
use crate::Error;

/// Bytes of a packet that are looked at: all that the law reads to tell the client.
const SNAP: usize = if ipv4::CLIENT_BYTES > ipv6::CLIENT_BYTES {
    ipv4::CLIENT_BYTES
} else {
    ipv6::CLIENT_BYTES
};

/// Who has more than so manieth a part of a pool's packets is told for certain.
const COUNTERS: usize = 4096;

/// Clients that the pool does not tell apart, and what they send.
#[derive(Serialize)]
pub struct Heavy {
    pub pool: String,
    pub clients: String,
    /// Sampled packets, at least.
    pub sampled: u64,
    /// Of all sampled ones for ghosts.
    pub share: f64,
}

/// Samples as long as it lives.
pub struct Sampler {
    socket: Socket,
    counts: Counts,
}

impl Sampler {
    /// Of one frame in `of`, at random.
    ///
    /// # Errors
    ///
    /// Without CAP_NET_RAW; without sockets of this family.
    pub fn new(of: u32) -> Result<Self, Error> {
        let socket = open(of).map_err(|error| {
            Error::refused(format!(
                "clients cannot be sampled: {error}; run as root, or say --clients 0"
            ))
        })?;
        Ok(Self {
            socket,
            counts: Counts::default(),
        })
    }

    /// Counts what comes, for so long.
    pub fn run(&mut self, state: &State, time: Duration) -> Result<(), Error> {
        let end = Instant::now() + time;
        let mut packet = [0; SNAP];
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            self.socket.set_read_timeout(Some(left))?;
            match self.socket.read(&mut packet) {
                Ok(length) => self.counts.add(state, &packet[..length]),
                Err(error) if is_nothing(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The heaviest, and begins anew.
    pub fn heaviest(&mut self, most: usize) -> Vec<Heavy> {
        std::mem::take(&mut self.counts).heaviest(most)
    }
}

/// What was sampled.
#[derive(Default)]
struct Counts {
    pools: BTreeMap<Name, (Prefixes, Sketch)>,
    seen: u64,
}

impl Counts {
    fn add(&mut self, state: &State, packet: &[u8]) {
        let Some((pool, client)) = client(state, packet) else {
            return;
        };
        let wanted = &pool.pool;
        let Ok(prefixes) = Prefixes::new(wanted.prefix4.into(), wanted.prefix6.into()) else {
            return;
        };
        self.seen += 1;
        let key = prefixes.key(client).address();
        let keyed = Keyed::new(wanted.seed);
        let hash = match key {
            addr::Address::V4(bytes) => keyed.v4(bytes),
            addr::Address::V6(bytes) => keyed.v6(bytes),
        };
        let begin = || (prefixes, Sketch::new(COUNTERS));
        let (_, sketch) = self.pools.entry(wanted.name).or_insert_with(begin);
        sketch.add(hash, key, 1);
    }

    fn heaviest(&self, most: usize) -> Vec<Heavy> {
        let mut all: Vec<_> = self
            .pools
            .iter()
            .flat_map(|(pool, (prefixes, sketch))| {
                let clients = sketch.heaviest().into_iter().take(most);
                clients.map(move |(_, it)| (it.least(), pool, it.key, prefixes))
            })
            .collect();
        all.sort_by_key(|(least, pool, key, _)| (std::cmp::Reverse(*least), *pool, *key));
        let heaviest = all.into_iter().take(most);
        heaviest
            .map(|(sampled, pool, key, prefixes)| Heavy {
                pool: pool.to_string(),
                clients: text(key, prefixes),
                sampled,
                share: sampled as f64 / self.seen as f64,
            })
            .collect()
    }
}

/// A key with its bits.
fn text(key: addr::Address, prefixes: &Prefixes) -> String {
    let bits = match key {
        addr::Address::V4(_) => prefixes.v4(),
        addr::Address::V6(_) => prefixes.v6(),
    };
    Prefix::new(key, bits.into()).map_or_else(|_| key.to_string(), |it| it.to_string())
}

/// The client of a packet for a ghost, as the module tells it, and the ghost's pool.
fn client<'a>(state: &'a State, packet: &[u8]) -> Option<(&'a PoolState, addr::Address)> {
    let pool = |ghost| state.pools.iter().find(|it| it.ghosts.contains(&ghost));
    let (pool, client) = match packet.first()? >> 4 {
        4 => {
            let header = ipv4::Header::parse(packet).ok()?;
            let ghost = header.destination;
            (pool(Address::V4(ghost))?, header.client(packet, ghost))
        }
        6 => {
            let header = ipv6::Header::parse(packet).ok()?;
            let ghost = header.destination;
            (pool(Address::V6(ghost))?, header.client(packet, ghost))
        }
        _ => return None,
    };
    match client {
        Client::Is(client) => Some((pool, client)),
        Client::NotOurs(_) | Client::Malformed => None,
    }
}

/// A socket that shows IP packets only, and one in `of` of them.
fn open(of: u32) -> io::Result<Socket> {
    let every = Protocol::from(i32::from((libc::ETH_P_ALL as u16).to_be()));
    let socket = Socket::new(Domain::PACKET, Type::DGRAM, Some(every))?;
    door::ignore_outgoing(&socket)?;
    let steps = filter(of).map(|(code, jump, k)| SockFilter::new(code as u16, jump, 0, k));
    socket.attach_filter(&steps)?;
    // What came before the filter did is no sample.
    socket.set_nonblocking(true)?;
    let mut before = [0; 1];
    while (&socket).read(&mut before).is_ok() {}
    socket.set_nonblocking(false)?;
    Ok(socket)
}

/// Code, how far to jump if it holds, and a number.
type Step = (u32, u8, u32);

/// Drops what chance does not pick.
const fn filter(of: u32) -> [Step; 4] {
    const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    const RETURN: u32 = libc::BPF_RET | libc::BPF_K;
    [
        (LOAD, 0, (libc::SKF_AD_OFF + libc::SKF_AD_RANDOM) as u32),
        // The lowest of so many parts of all numbers is picked.
        (
            libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K,
            1,
            u32::MAX / of,
        ),
        (RETURN, 0, SNAP as u32),
        (RETURN, 0, 0),
    ]
}

fn is_nothing(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
        // A device went down.
        || error.raw_os_error() == Some(libc::ENETDOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn web() -> State {
        let ghost6 = "2001:db8:80::80".parse::<std::net::Ipv6Addr>().unwrap();
        let web = PoolState {
            ghosts: vec![Address::V4([192, 0, 2, 80]), Address::V6(ghost6.octets())],
            ..PoolState::bare("web")
        };
        State {
            pools: vec![web],
            ..State::default()
        }
    }

    fn four(client: [u8; 4], ghost: [u8; 4]) -> Vec<u8> {
        let mut packet = vec![0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0];
        packet.extend([client, ghost].concat());
        packet.extend([0; 8]);
        packet
    }

    fn six(client: &str) -> Vec<u8> {
        let mut packet = vec![0x60, 0, 0, 0, 0, 8, 17, 64];
        for address in [client, "2001:db8:80::80"] {
            packet.extend(address.parse::<std::net::Ipv6Addr>().unwrap().octets());
        }
        packet.extend([0; 8]);
        packet
    }

    #[test]
    fn clients_of_ghosts_count_by_the_pools_prefixes() {
        let ghost = [192, 0, 2, 80];
        let mut counts = Counts::default();
        for last in [1, 2, 3] {
            counts.add(&web(), &four([10, 2, 0, last], ghost));
        }
        counts.add(&web(), &four([10, 2, 1, 1], ghost));
        counts.add(&web(), &six("2001:db8:2:1::1"));
        counts.add(&web(), &six("2001:db8:2:1::2"));
        let others = [
            // For no ghost, from no client, cut off, and no IP at all.
            four([10, 2, 0, 1], [192, 0, 2, 81]),
            four([127, 0, 0, 1], ghost),
            four([10, 2, 0, 1], ghost)[..19].to_vec(),
            six("2001:db8:2:1::1")[..39].to_vec(),
            vec![0, 1, 8, 0, 6, 4, 0, 1],
            vec![],
        ];
        for packet in others {
            counts.add(&web(), &packet);
        }
        let heavy = counts.heaviest(10);
        let told: Vec<_> = heavy
            .iter()
            .map(|it| (&*it.clients, it.sampled, it.share))
            .collect();
        let expected = [
            ("10.2.0.0/24", 3, 0.5),
            ("2001:db8:2:1::/64", 2, 2.0 / 6.0),
            ("10.2.1.0/24", 1, 1.0 / 6.0),
        ];
        assert_eq!(told, expected);
        assert_eq!(counts.heaviest(1).len(), 1);
    }

    #[test]
    fn the_filter_drops_what_is_above_its_part() {
        let [_, (_, jump, most), (_, _, picked), (_, _, dropped)] = filter(64);
        assert_eq!((jump, most), (1, u32::MAX / 64));
        assert_eq!((picked, dropped), (SNAP as u32, 0));
    }
}
