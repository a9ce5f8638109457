// SPDX-License-Identifier: GPL-2.0

//! LOOKUP: the owner of a client, by the function the packets meet.

use super::{address, refusal::Refusal};
use crate::{
    dispatch::{
        function::{Owner, Rule},
        server::ServerId,
        transition,
    },
    state::Namespace,
    uapi::{
        self,
        limits::{MAX_FUNCTIONS, RUNNERS_UP},
        Found, Invalid, Kind, Lookup, Verdict,
    },
};
use core::fmt;
use kernel::{prelude::*, sync::rcu};

// The two say the same in their own words.
const _: () = assert!(MAX_FUNCTIONS == transition::MAX_FUNCTIONS);

pub(super) fn call(namespace: &Namespace, raw: &mut [u8; Lookup::SIZE]) -> Result<(), Refusal> {
    let request = Lookup::decode(raw)?;
    let client = address::of_law(request.client);
    let guard = rcu::read_lock();
    let config = namespace.config((&guard).into());
    let Some((config, pool)) = config.and_then(|c| Some((c, c.pool(&request.pool)?))) else {
        return Err(Invalid::no_pool(request.pool).into());
    };
    let mut succession = [ServerId::new(0).or(Err(EINVAL))?; RUNNERS_UP + 1];
    let function = pool.newest.view();
    let explicit = pool.newest.assigned.explicit();
    let explanation = function.explain(client, explicit);
    let length = function.succession(client, explicit, &mut succession);
    let mut runners_up = [None; RUNNERS_UP];
    let followers = succession.iter().take(length).skip(1);
    for (place, id) in runners_up.iter_mut().zip(followers) {
        *place = Some(id.get());
    }
    let chain = pool.all_owners(client);
    let mut older = [None; MAX_FUNCTIONS - 1];
    let others = chain.links().iter().filter(|link| link.age > 0);
    for (place, link) in older.iter_mut().zip(others) {
        *place = Some(link.server.get());
    }
    let found = Found {
        generation: config.generation,
        row: match explanation.rule {
            Rule::Row(row) | Rule::Table(row) => row,
            Rule::Override(_) | Rule::Try(_) | Rule::NobodyLive => 0,
        },
        bits: match explanation.rule {
            Rule::Override(bits) => bits,
            _ => 0,
        },
        owner: explanation.owner.server().map(ServerId::get),
        verdict: match explanation.owner {
            Owner::Up(_) => Verdict::Up,
            Owner::Draining(_) => Verdict::Draining,
            Owner::None => Verdict::None,
        },
        rule: match (explanation.rule, pool.wanted().kind) {
            (Rule::Override(_), _) => uapi::Rule::Override,
            (Rule::Table(_), _) => uapi::Rule::Table,
            (Rule::Row(_) | Rule::Try(_) | Rule::NobodyLive, Kind::Mod) => uapi::Rule::Mod,
            (_, Kind::Hash | Kind::Table) => uapi::Rule::Hash,
        },
        runners_up,
        older,
        oldest: chain.oldest().map(ServerId::get),
    };
    Lookup::reply(raw, &found);
    Ok(())
}

pub(super) fn refuse(raw: &mut [u8; Lookup::SIZE], why: &dyn fmt::Display) {
    Lookup::refuse(raw, why);
}
