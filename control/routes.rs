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
        hop::Way,
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
        let way = match Route::to(net, hop.address).map(|route| route.nexthop()) {
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
        let generation = self.generation();
        let Some(config) = turn.current() else {
            return;
        };
        for pool in config.pools() {
            let told = resolve(self.net(), pool, |member, way| {
                if self.logs_changes() {
                    pr_info!(
                        "{}/{} is now reached: {}\n",
                        pool.wanted.name.as_str(),
                        member.wanted.name.as_str(),
                        reach(way).name()
                    );
                }
                self.events().push(Event {
                    time: realtime_ns(),
                    generation,
                    what: What::Reach(reach(way)),
                    pool: Some(pool.wanted.name),
                    server: Some(member.wanted.name),
                    author: Author::default(),
                });
            });
            // A kernel worker is never killed.
            if told.is_err() {
                return;
            }
        }
    }
}
