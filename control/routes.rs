// SPDX-License-Identifier: GPL-2.0

//! Keeps the ways to the servers up to date as routes, addresses and links change.

use super::{dump::reach, peers};
use crate::{
    ffi::{
        clock::realtime_ns,
        fib::RouteUser,
        ip::{Family, V4, V6},
        netns::Net,
        route::{self, Nexthop},
        task,
    },
    state::{
        config::Config,
        hop::{Hop, Way},
        member::Member,
        pool::Pool,
        Namespace,
    },
    uapi::{Author, Event, Mode, What},
};
use kernel::{prelude::*, sync::Arc};

/// Looks all ways of a pool up and calls `changed` for those that differ. Under the writers'
/// turn; lets others run.
///
/// # Errors
///
/// `EINTR` if the process is being killed.
pub(super) fn resolve(net: &Net, pool: &Pool, mut changed: impl FnMut(&Member, Way)) -> Result {
    for (number, member) in pool.servers().enumerate() {
        if number % 64 == 0 {
            task::pause()?;
        }
        let (Some(hop4), Some(hop6)) = (pool.hop4(member.id), pool.hop6(member.id)) else {
            continue;
        };
        let (mut way4, mut way6) = (way::<V4>(net, hop4), way::<V6>(net, hop6));
        // A server keeps its packets of either family, whichever address it is known by.
        if pool.wanted().mode == Mode::Broadcast && [way4, way6].contains(&Way::Local) {
            (way4, way6) = (Way::Local, Way::Local);
        }
        let (changed4, changed6) = (hop4.set(way4), hop6.set(way6));
        if changed4 || changed6 {
            changed(member, if changed4 { way4 } else { way6 });
        }
    }
    pool.find_itself();
    Ok(())
}

fn way<F: Family>(net: &Net, hop: &Hop<F::Address>) -> Way {
    match hop.address.map(|address| route::nexthop::<F>(net, address)) {
        Some(Nexthop::Local) => Way::Local,
        Some(Nexthop::OnLink(ifindex)) => Way::Link(ifindex),
        Some(Nexthop::Elsewhere) | None => Way::None,
    }
}

impl RouteUser for Namespace {
    fn routes_changed(self: &Arc<Self>) {
        let mut turn = self.turn();
        let Some(config) = turn.current() else {
            return;
        };
        for pool in config.pools() {
            let mut moved = 0;
            let resolved = resolve(self.net(), pool, |member, way| {
                moved += 1;
                tell(self, pool, member, way);
            });
            // One line, as a link that goes takes a thousand servers along.
            if moved > 0 && self.logs_changes() {
                pr_info!(
                    "{}: {} of {} servers are reached in another way\n",
                    pool.wanted().name.as_str(),
                    moved,
                    pool.servers().count()
                );
            }
            // A kernel worker is never killed.
            if resolved.is_err() {
                return;
            }
        }
        peers::look(self, &mut turn);
    }
}

/// Tells of the servers that no packet can reach, in the pools that are new in a configuration.
pub(super) fn tell_unreachable(namespace: &Namespace, config: &Config) {
    let new = |pool: &&Arc<Pool>| pool.generation == config.generation;
    for pool in config.pools().iter().filter(new) {
        for member in &pool.newest.members {
            let [way4, way6] = pool.ways(member.id);
            let lacks4 = member.wanted.address.is_some() && way4 == Way::None;
            let lacks6 = member.wanted.address6.is_some() && way6 == Way::None;
            if lacks4 || lacks6 {
                tell(namespace, pool, member, Way::None);
            }
        }
    }
}

fn tell(namespace: &Namespace, pool: &Pool, member: &Member, way: Way) {
    namespace.events().push(Event {
        time: realtime_ns(),
        generation: namespace.generation(),
        what: What::Reach(reach(way)),
        pool: Some(pool.wanted().name),
        server: Some(member.wanted.name),
        author: Author::default(),
    });
}
