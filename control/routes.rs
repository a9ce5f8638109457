// SPDX-License-Identifier: GPL-2.0

//! Keeps the ways to the servers up to date as routes, addresses and links change.

use super::dump::reach;
use crate::{
    ffi::{
        clock::realtime_ns,
        fib::RouteUser,
        netns::Net,
        route::{Nexthop, Route},
        task,
    },
    state::{
        config::Config,
        hop::{Hop, Way},
        pool::{Member, Pool},
        Namespace,
    },
    uapi::{Author, Event, What},
};
use kernel::{prelude::*, sync::Arc};

/// Looks all ways of a pool up and calls `changed` for those that differ. Under the writers'
/// turn; lets others run.
///
/// # Errors
///
/// `EINTR` if the process is being killed.
pub(super) fn resolve(net: &Net, pool: &Pool, mut changed: impl FnMut(&Member, Way)) -> Result {
    for (number, member) in pool.members.iter().enumerate() {
        if number % 64 == 0 {
            task::pause()?;
        }
        let Some(hop) = pool.hop(member.id) else {
            continue;
        };
        let way = match Route::to(net, hop.address).map(|route| route.nexthop(hop.address)) {
            Some(Nexthop::Local) => Way::Local,
            Some(Nexthop::OnLink(ifindex)) => Way::Link(ifindex),
            Some(Nexthop::Elsewhere) | None => Way::None,
        };
        if hop.set(way) {
            changed(member, way);
        }
    }
    Ok(())
}

impl RouteUser for Namespace {
    fn routes_changed(self: Arc<Self>) {
        let turn = self.turn();
        let Some(config) = turn.current() else {
            return;
        };
        for pool in config.pools() {
            let mut moved = 0;
            let resolved = resolve(self.net(), pool, |member, way| {
                moved += 1;
                tell(&self, pool, member, way);
            });
            // One line, as a link that goes takes a thousand servers along.
            if moved > 0 && self.logs_changes() {
                pr_info!(
                    "{}: {} of {} servers are reached in another way\n",
                    pool.wanted.name.as_str(),
                    moved,
                    pool.members.len()
                );
            }
            // A kernel worker is never killed.
            if resolved.is_err() {
                return;
            }
        }
    }
}

/// Tells of the servers that no packet can reach, in the pools that are new in a configuration.
pub(super) fn tell_unreachable(namespace: &Namespace, config: &Config) {
    let new = |pool: &&Arc<Pool>| pool.generation == config.generation;
    for pool in config.pools().iter().filter(new) {
        for member in &pool.members {
            let way = pool.hop(member.id).map_or(Way::None, Hop::way);
            if way == Way::None {
                tell(namespace, pool, member, way);
            }
        }
    }
}

fn tell(namespace: &Namespace, pool: &Pool, member: &Member, way: Way) {
    namespace.events().push(Event {
        time: realtime_ns(),
        generation: namespace.generation(),
        what: What::Reach(reach(way)),
        pool: Some(pool.wanted.name),
        server: Some(member.wanted.name),
        author: Author::default(),
    });
}
