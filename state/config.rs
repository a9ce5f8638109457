// SPDX-License-Identifier: GPL-2.0

//! The whole configuration of a namespace, swapped as one.

use super::{
    pool::Pool,
    table::{Start, Table},
};
use crate::{
    dispatch::{addr::Address, digest},
    uapi::{DeviceName, Name},
};
use kernel::{prelude::*, sync::Arc};

/// A ghost address and the index of its pool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ghost {
    pub(crate) address: Address,
    pub(crate) pool: u16,
}

/// Immutable; shares with its predecessor the pools that did not change.
///
/// # Invariants
///
/// Pools and devices come by name and ghosts by address, so that an image says the same in any
/// order.
pub(crate) struct Config {
    ghosts: KVec<Ghost>,
    ghosts4: Table<[u8; 4]>,
    ghosts6: Table<[u8; 16]>,
    /// By name.
    pools: KVec<Arc<Pool>>,
    /// By name.
    devices: KVec<DeviceName>,
    pub(crate) generation: u64,
}

impl Config {
    /// Of parts in the order that the invariant asks for.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn new(
        ghosts: KVec<Ghost>,
        pools: KVec<Arc<Pool>>,
        devices: KVec<DeviceName>,
        generation: u64,
    ) -> Result<Self> {
        let v4 = ghosts.iter().filter_map(|ghost| match ghost.address {
            Address::V4(address) => Some((address, ghost.pool)),
            Address::V6(_) => None,
        });
        let v6 = ghosts.iter().filter_map(|ghost| match ghost.address {
            Address::V6(address) => Some((address, ghost.pool)),
            Address::V4(_) => None,
        });
        Ok(Self {
            ghosts4: Table::new(v4)?,
            ghosts6: Table::new(v6)?,
            ghosts,
            pools,
            devices,
            generation,
        })
    }

    /// The IPv4 ghosts. Any context.
    #[inline]
    pub(crate) fn ghosts4(&self) -> &Table<[u8; 4]> {
        &self.ghosts4
    }

    /// The IPv6 ghosts. Any context.
    #[inline]
    pub(crate) fn ghosts6(&self) -> &Table<[u8; 16]> {
        &self.ghosts6
    }

    /// The pool of an IPv4 ghost. Any context.
    pub(crate) fn pool_of_ghost4(&self, address: [u8; 4]) -> Option<&Pool> {
        self.pool_at(self.ghosts4.get(address)?)
    }

    /// The pool of an IPv6 ghost. Any context.
    pub(crate) fn pool_of_ghost6(&self, address: [u8; 16]) -> Option<&Pool> {
        self.pool_at(self.ghosts6.get(address)?)
    }

    /// The same, where the search is known to [begin](Table::start).
    #[inline]
    pub(crate) fn pool_of_ghost4_from(&self, start: Start, address: [u8; 4]) -> Option<&Pool> {
        self.pool_at(self.ghosts4.get_from(start, address)?)
    }

    /// The same, where the search is known to [begin](Table::start).
    #[inline]
    pub(crate) fn pool_of_ghost6_from(&self, start: Start, address: [u8; 16]) -> Option<&Pool> {
        self.pool_at(self.ghosts6.get_from(start, address)?)
    }

    #[inline]
    fn pool_at(&self, index: u16) -> Option<&Pool> {
        self.pools.get(usize::from(index)).map(|pool| &**pool)
    }

    pub(crate) fn ghosts(&self) -> &[Ghost] {
        &self.ghosts
    }

    /// The ghosts with their pools.
    pub(crate) fn ghosts_with_pools(&self) -> impl Iterator<Item = (Address, &Pool)> {
        let ghosts = self.ghosts.iter();
        ghosts.filter_map(|ghost| Some((ghost.address, self.pool_at(ghost.pool)?)))
    }

    pub(crate) fn pools(&self) -> &[Arc<Pool>] {
        &self.pools
    }

    pub(crate) fn pool(&self, name: &Name) -> Option<&Arc<Pool>> {
        self.pools.iter().find(|pool| pool.wanted().name == *name)
    }

    pub(crate) fn devices(&self) -> &[DeviceName] {
        &self.devices
    }

    /// A copy in which `pool` stands in place of the one of the same name.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn with(&self, pool: Arc<Pool>, generation: u64) -> Result<Self> {
        let mut pools = KVec::with_capacity(self.pools.len(), GFP_KERNEL_ACCOUNT)?;
        for old in &self.pools {
            let same = old.wanted().name == pool.wanted().name;
            let new = if same { &pool } else { old };
            pools.push(new.clone(), GFP_KERNEL_ACCOUNT)?;
        }
        Self::new(copy(&self.ghosts)?, pools, copy(&self.devices)?, generation)
    }

    /// Equal digest, equal decisions; see Documentation/dispatch.md.
    pub(crate) fn digest(&self) -> u64 {
        let mut digest = digest::Namespace::new();
        for (index, pool) in self.pools.iter().enumerate() {
            digest.pool(pool.wanted().name.as_str().as_bytes(), pool.newest.digest);
            let its = |ghost: &&Ghost| usize::from(ghost.pool) == index;
            for ghost in self.ghosts.iter().filter(its) {
                digest.ghost(ghost.address);
            }
            for member in &pool.newest.members {
                digest.server(member.id, member.wanted.address, member.wanted.address6);
            }
        }
        digest.finish()
    }
}

fn copy<T: Clone>(list: &[T]) -> Result<KVec<T>> {
    let mut copy = KVec::with_capacity(list.len(), GFP_KERNEL_ACCOUNT)?;
    copy.extend_from_slice(list, GFP_KERNEL_ACCOUNT)?;
    Ok(copy)
}
