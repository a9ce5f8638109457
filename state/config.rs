// SPDX-License-Identifier: GPL-2.0

//! The whole configuration of a namespace, swapped as one.

use super::{
    ghosts::{Ghost, Ghosts},
    pool::Pool,
};
use crate::{
    dispatch::{addr::Address, digest},
    uapi::Name,
};
use kernel::{prelude::*, sync::Arc};

/// Immutable; shares with its predecessor the pools that did not change.
///
/// # Invariants
///
/// Pools come by name and ghosts by address, so that an image says the same in any order.
pub(crate) struct Config {
    ghosts: Ghosts,
    /// By name.
    pools: KVec<Arc<Pool>>,
    pub(crate) generation: u64,
}

impl Config {
    /// Of pools and ghosts in the order that the invariant asks for.
    pub(crate) fn new(ghosts: Ghosts, pools: KVec<Arc<Pool>>, generation: u64) -> Self {
        Self {
            ghosts,
            pools,
            generation,
        }
    }

    /// The pool of a ghost. Any context.
    #[inline]
    pub(crate) fn pool_of_ghost(&self, address: [u8; 4]) -> Option<&Pool> {
        let index = self.ghosts.pool_of(address)?;
        self.pools.get(index).map(|pool| &**pool)
    }

    pub(crate) fn ghosts(&self) -> &[Ghost] {
        self.ghosts.list()
    }

    pub(crate) fn pools(&self) -> &[Arc<Pool>] {
        &self.pools
    }

    pub(crate) fn pool(&self, name: &Name) -> Option<&Arc<Pool>> {
        self.pools.iter().find(|pool| pool.wanted.name == *name)
    }

    /// A copy in which `pool` stands in place of the one of the same name.
    ///
    /// # Errors
    ///
    /// `ENOMEM`.
    pub(crate) fn with(&self, pool: Arc<Pool>, generation: u64) -> Result<Self> {
        let mut ghosts = KVec::with_capacity(self.ghosts().len(), GFP_KERNEL_ACCOUNT)?;
        ghosts.extend_from_slice(self.ghosts(), GFP_KERNEL_ACCOUNT)?;
        let mut pools = KVec::with_capacity(self.pools.len(), GFP_KERNEL_ACCOUNT)?;
        for old in &self.pools {
            let same = old.wanted.name == pool.wanted.name;
            let new = if same { &pool } else { old };
            pools.push(new.clone(), GFP_KERNEL_ACCOUNT)?;
        }
        Ok(Self::new(Ghosts::new(ghosts)?, pools, generation))
    }

    /// Equal digest, equal decisions; see Documentation/dispatch.md.
    ///
    pub(crate) fn digest(&self) -> u64 {
        let mut digest = digest::Namespace::new();
        for (index, pool) in self.pools.iter().enumerate() {
            digest.pool(pool.wanted.name.as_str().as_bytes(), pool.digest);
            for ghost in self.ghosts().iter().filter(|ghost| ghost.pool == index) {
                digest.ghost(Address::V4(ghost.address));
            }
            for member in &pool.members {
                digest.server(member.id, Some(member.wanted.address), None);
            }
        }
        digest.finish()
    }
}
