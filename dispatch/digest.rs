// SPDX-License-Identifier: GPL-2.0

//! Digests: eight bytes by which machines tell whether they decide alike.
//!
//! A pool's digest covers everything [`super::function::Function::owner`] depends on, and nothing
//! else: no generation, deadline, name or address of the machine itself. A namespace's digest adds
//! what the decisions are about: which ghosts, and which machine an id stands for.

use super::addr::Address;
use super::function::{Explicit, Kind, Law};
use super::server::{Server, ServerId, State};
use super::siphash::Hasher;

const KEY: [u8; 16] = *b"onehop digest v1";

/// The digest of one function.
pub fn pool(law: &Law, servers: &[Server], explicit: Explicit<'_>) -> u64 {
    let mut hasher = Hasher::new(KEY);
    match law.kind() {
        // Seed and rows decide nothing here.
        Kind::Mod => hasher.write(b"M"),
        Kind::Hash { keyed, rows } => {
            hasher.write(b"H");
            hasher.write(&keyed.seed());
            hasher.write(&rows.get().to_be_bytes());
        }
        Kind::Table { keyed, rows } => {
            hasher.write(b"T");
            hasher.write(&keyed.seed());
            hasher.write(&rows.get().to_be_bytes());
            for id in explicit.table {
                hasher.write(&id.to_be_bytes());
            }
        }
    }
    hasher.write(&[law.prefixes().v4(), law.prefixes().v6()]);
    for server in servers {
        hasher.write(b"s");
        hasher.write(&server.id.get().to_be_bytes());
        hasher.write(&server.weight.get().to_be_bytes());
        hasher.write(match server.state {
            State::Up => b"u",
            State::Drain => b"d",
            State::Down => b"x",
        });
    }
    if !explicit.overrides.is_empty() {
        hasher.write(b"o");
        // There is no room for more than 2^32.
        hasher.write(&(explicit.overrides.len() as u32).to_be_bytes());
    }
    for it in explicit.overrides {
        write_address(&mut hasher, Some(it.prefix.address()));
        hasher.write(&[it.prefix.bits()]);
        hasher.write(&it.server.get().to_be_bytes());
    }
    hasher.finish()
}

/// The digest of a namespace, as its parts are named one by one.
///
/// Pools come by name, bytewise; after each pool its ghosts by [`Address`]'s order, then its
/// servers by id. Another order gives another digest.
#[derive(Clone, Copy, Debug)]
pub struct Namespace(Hasher);

impl Namespace {
    /// Begins with no pools.
    // A digest is begun, never defaulted. Not an expectation: the module, where this type is not
    // public, does not meet the lint.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        let mut hasher = Hasher::new(KEY);
        hasher.write(b"N");
        Self(hasher)
    }

    /// Adds a pool by its name and its digest.
    pub fn pool(&mut self, name: &[u8], digest: u64) {
        self.0.write(b"p");
        // Four bytes of length hold any name there is.
        self.0.write(&(name.len() as u32).to_be_bytes());
        self.0.write(name);
        self.0.write(&digest.to_be_bytes());
    }

    /// Adds a ghost of the pool last added.
    pub fn ghost(&mut self, ghost: Address) {
        self.0.write(b"g");
        write_address(&mut self.0, Some(ghost));
    }

    /// Adds a server of the pool last added, with its primary addresses.
    pub fn server(&mut self, id: ServerId, v4: Option<[u8; 4]>, v6: Option<[u8; 16]>) {
        self.0.write(b"s");
        self.0.write(&id.get().to_be_bytes());
        write_address(&mut self.0, v4.map(Address::V4));
        write_address(&mut self.0, v6.map(Address::V6));
    }

    /// The digest of all that was added.
    pub fn finish(self) -> u64 {
        self.0.finish()
    }
}

fn write_address(hasher: &mut Hasher, address: Option<Address>) {
    match address {
        Some(Address::V4(bytes)) => {
            hasher.write(b"4");
            hasher.write(&bytes);
        }
        Some(Address::V6(bytes)) => {
            hasher.write(b"6");
            hasher.write(&bytes);
        }
        None => hasher.write(b"-"),
    }
}
