// SPDX-License-Identifier: GPL-2.0
//! Who the heavy clients are, from a sample of the frames that this host receives.
//!
//! The filter runs in the kernel, before anything is copied: most frames cost its four
//! instructions. Devices that lie upon each other (a VLAN and its parent, a bond and its ports)
//! show a frame once each; shares are the same.

use std::collections::HashMap;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use onehop_uapi::{Address, Name};
use serde::Serialize;
use socket2::{Domain, Protocol, SockFilter, Socket, Type};

use crate::state::State;
use crate::Error;

/// Bytes of a packet that are looked at: an IPv6 header.
const SNAP: u32 = 40;

/// More clients than these are not counted one by one: with a sample that is rarely so, and who is
/// heavy comes among the first.
const MOST_CLIENTS: usize = 65536;

/// A client, or a network of them, and what it sends.
#[derive(Serialize)]
pub struct Heavy {
    pub pool: String,
    pub clients: String,
    /// Sampled packets.
    pub sampled: u64,
    /// Of all sampled ones for ghosts.
    pub share: f64,
}

/// Samples as long as it lives.
pub struct Sampler {
    socket: Socket,
    clients: HashMap<(Name, Address, u8), u64>,
    seen: u64,
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
            clients: HashMap::new(),
            seen: 0,
        })
    }

    /// Counts what comes, for so long.
    pub fn run(&mut self, state: &State, time: Duration) -> Result<(), Error> {
        let end = Instant::now() + time;
        let mut packet = [0; SNAP as usize];
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            self.socket.set_read_timeout(Some(left))?;
            match self.socket.read(&mut packet) {
                Ok(length) => self.count(state, &packet[..length]),
                Err(error) if is_nothing(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn count(&mut self, state: &State, packet: &[u8]) {
        let Some((client, ghost)) = addresses(packet) else {
            return;
        };
        let Some(pool) = state.pools.iter().find(|it| it.ghosts.contains(&ghost)) else {
            return;
        };
        self.seen += 1;
        let bits = match client {
            Address::V4(_) => pool.pool.prefix4,
            Address::V6(_) => pool.pool.prefix6,
        };
        let key = (pool.pool.name, masked(client, bits), bits);
        if self.clients.len() < MOST_CLIENTS || self.clients.contains_key(&key) {
            *self.clients.entry(key).or_default() += 1;
        }
    }

    /// The heaviest, and begins anew.
    pub fn heaviest(&mut self, most: usize) -> Vec<Heavy> {
        let mut clients: Vec<_> = self.clients.drain().collect();
        let seen = std::mem::take(&mut self.seen);
        clients.sort_by(|(a, more), (b, less)| less.cmp(more).then(a.cmp(b)));
        let heaviest = clients.into_iter().take(most);
        heaviest
            .map(|((pool, address, bits), sampled)| Heavy {
                pool: pool.to_string(),
                clients: format!("{address}/{bits}"),
                sampled,
                share: sampled as f64 / seen as f64,
            })
            .collect()
    }
}

/// A socket that shows IP packets only, and one in `of` of them.
fn open(of: u32) -> io::Result<Socket> {
    let every = Protocol::from(i32::from((libc::ETH_P_ALL as u16).to_be()));
    let socket = Socket::new(Domain::PACKET, Type::DGRAM, Some(every))?;
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

/// Drops what this host sends, and what chance does not pick.
const fn filter(of: u32) -> [Step; 6] {
    const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    const RETURN: u32 = libc::BPF_RET | libc::BPF_K;
    [
        (LOAD, 0, (libc::SKF_AD_OFF + libc::SKF_AD_PKTTYPE) as u32),
        (
            libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
            3,
            libc::PACKET_OUTGOING as u32,
        ),
        (LOAD, 0, (libc::SKF_AD_OFF + libc::SKF_AD_RANDOM) as u32),
        // The lowest of so many parts of all numbers is picked.
        (
            libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K,
            1,
            u32::MAX / of,
        ),
        (RETURN, 0, SNAP),
        (RETURN, 0, 0),
    ]
}

fn is_nothing(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
        // A device went down.
        || error.raw_os_error() == Some(libc::ENETDOWN)
}

/// Source and destination.
fn addresses(packet: &[u8]) -> Option<(Address, Address)> {
    match packet.first()? >> 4 {
        4 => {
            let source = packet.get(12..)?.first_chunk()?;
            let destination = packet.get(16..)?.first_chunk()?;
            Some((Address::V4(*source), Address::V4(*destination)))
        }
        6 => {
            let source = packet.get(8..)?.first_chunk()?;
            let destination = packet.get(24..)?.first_chunk()?;
            Some((Address::V6(*source), Address::V6(*destination)))
        }
        _ => None,
    }
}

fn masked(address: Address, bits: u8) -> Address {
    let bits = u32::from(bits);
    match address {
        Address::V4(bytes) => {
            let rest = u32::MAX.checked_shr(bits).unwrap_or(0);
            Address::V4((u32::from_be_bytes(bytes) & !rest).to_be_bytes())
        }
        Address::V6(bytes) => {
            let rest = u128::MAX.checked_shr(bits).unwrap_or(0);
            Address::V6((u128::from_be_bytes(bytes) & !rest).to_be_bytes())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_where_the_headers_have_them() {
        let mut four = [0; 20];
        four[0] = 0x45;
        four[12..16].copy_from_slice(&[10, 2, 0, 9]);
        four[16..20].copy_from_slice(&[192, 0, 2, 80]);
        let client = Address::V4([10, 2, 0, 9]);
        assert_eq!(
            addresses(&four),
            Some((client, Address::V4([192, 0, 2, 80])))
        );
        assert_eq!(masked(client, 24), Address::V4([10, 2, 0, 0]));
        assert_eq!(masked(client, 32), client);
        let mut six = [0; 40];
        six[0] = 0x60;
        (six[8], six[23], six[39]) = (0x20, 9, 7);
        let mut client = [0; 16];
        (client[0], client[15]) = (0x20, 9);
        let mut ghost = [0; 16];
        ghost[15] = 7;
        assert_eq!(
            addresses(&six),
            Some((Address::V6(client), Address::V6(ghost)))
        );
        client[15] = 0;
        assert_eq!(masked(addresses(&six).unwrap().0, 64), Address::V6(client));
        for (length, packet) in [(19, &four[..]), (39, &six[..])] {
            assert_eq!(addresses(&packet[..length]), None);
        }
        assert_eq!(addresses(&[]), None);
        // ARP begins with a hardware type.
        assert_eq!(addresses(&[0, 1, 8, 0, 6, 4, 0, 1]), None);
    }

    /// What the filter's jumps mean, for both reasons to drop and for none.
    #[test]
    fn the_filter_jumps_to_its_end() {
        let filter = filter(64);
        for (from, (_, jump, _)) in filter.iter().enumerate().filter(|(_, it)| it.1 > 0) {
            let (code, _, bytes) = filter[from + 1 + usize::from(*jump)];
            assert_eq!((code & 7, bytes), (libc::BPF_RET, 0));
        }
        assert_eq!(filter[3].2, u32::MAX / 64);
    }
}
