// SPDX-License-Identifier: GPL-2.0

//! From the bytes of a packet for a ghost to the server that owns it: what all hooks have in common.

use super::{family::Family, moved::Moved};
use crate::{
    dispatch::{
        addr::Address,
        client::{Client, NotOurs},
        function::Owner,
        server::ServerId,
    },
    ffi::skb::Skb,
    state::{hop::Hop, pool::Pool, Namespace},
    uapi::Counter,
};

/// Whose packet it is.
pub(super) enum Decision<'p, F: Family> {
    /// This server's.
    Owned(Owned<'p, F>),
    /// A client's whose connections may be anywhere in a chain.
    Moved(Moved),
    /// A client's, but nobody lives.
    Nobody,
    /// No client's.
    NotOurs(NotOurs),
    Malformed,
    NoMemory,
}

/// An owner and the way to it.
pub(super) struct Owned<'p, F: Family> {
    owner: Owner,
    id: ServerId,
    pub(super) hop: &'p Hop<F::Address>,
}

/// Decides on a packet for a ghost of `pool`, which begins with `header`.
///
/// Always inlined: left to the compiler, the decision goes through memory, 26 instructions a packet
/// in router mode (`bench/compare`).
#[inline(always)]
pub(super) fn decide<'p, F: Family>(
    pool: &'p Pool,
    header: &F::Header,
    skb: &mut Skb<F>,
) -> Decision<'p, F> {
    if F::needs_more(header) {
        return look_closer::<F>(pool, header, skb);
    }
    match F::sender(header) {
        Ok(client) => of_client::<F>(pool, F::any(client)),
        Err(why) => Decision::NotOurs(why),
    }
}

/// The same where the header does not tell. Apart: with the ways to a client in one, an address
/// becomes something of many pieces that is put together, taken apart and together again: 31
/// instructions a packet of IPv6.
#[cold]
fn look_closer<'p, F: Family>(
    pool: &'p Pool,
    header: &F::Header,
    skb: &mut Skb<F>,
) -> Decision<'p, F> {
    if skb.pull(F::CLIENT_BYTES as u32).is_err() {
        return Decision::NoMemory;
    }
    match F::client(header, skb.linear(), F::destination(header)) {
        Client::Is(client) => of_client::<F>(pool, client),
        Client::NotOurs(why) => Decision::NotOurs(why),
        Client::Malformed => Decision::Malformed,
    }
}

#[inline(always)]
fn of_client<F: Family>(pool: &Pool, client: Address) -> Decision<'_, F> {
    let newest = pool.newest(client);
    if pool.is_in_transition() {
        if let Some(other) = pool.other(newest, client) {
            return Decision::Moved(Moved {
                client,
                newest,
                other,
            });
        }
    }
    let owner = newest.owner;
    match owner.server().and_then(|id| Some((id, F::hop(pool, id)?))) {
        Some((id, hop)) => Decision::Owned(Owned { owner, id, hop }),
        None => Decision::Nobody,
    }
}

impl<F: Family> Owned<'_, F> {
    /// Counts a packet of `bytes` that its owner gets.
    #[inline(always)]
    pub(super) fn count(&self, namespace: &Namespace, pool: &Pool, bytes: u32) {
        pool.count(self.id, bytes);
        if matches!(self.owner, Owner::Draining(_)) {
            namespace.count(Counter::Draining);
        }
    }
}
