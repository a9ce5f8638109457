// SPDX-License-Identifier: GPL-2.0
//! What this host has to do with the pools.

use onehop_uapi::Mode;

use super::scene::Scene;
use super::Found;

/// Nothing to check is not "no problem found".
pub fn no_pool(scene: &Scene) -> Vec<Found> {
    if !scene.pools.is_empty() {
        return Vec::new();
    }
    let found = Found::new(
        "this host",
        "there is no pool: nothing was checked",
        "onehopctl apply FILE, or check a server without the module by onehopctl check --config FILE",
    );
    vec![found]
}

/// In modes broadcast and peer every host that takes part is a server.
pub fn not_a_server(scene: &Scene) -> Vec<Found> {
    let pools = scene.pools.iter();
    pools
        .filter(|pool| pool.mode != Mode::Router && scene.me(pool).is_none())
        .map(|pool| {
            let text = format!(
                "mode {}, and no server's address is one of this host's",
                pool.mode
            );
            let fix =
                "give this host the address of its server, or name its own in the configuration";
            Found::new(pool.subject(), text, fix)
        })
        .collect()
}

/// A host that neither serves nor dispatches.
pub fn no_part(scene: &Scene) -> Vec<Found> {
    let pools = scene.pools.iter();
    pools
        .filter(|pool| pool.mode == Mode::Router)
        .filter(|pool| scene.me(pool).is_none() && !pool.running())
        .map(|pool| {
            let text = "this host is none of its servers, and the module here does not have it";
            let fix = "onehopctl apply FILE on a dispatcher; nothing elsewhere";
            Found::new(pool.subject(), text, fix)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::check::sample::{Sample, SERVER1};

    use super::*;

    #[test]
    fn nothing_to_check() {
        let mut sample = Sample::plain();
        assert_eq!(no_pool(sample.scene()), []);
        sample.scene.pools.clear();
        assert_eq!(no_pool(sample.scene()).len(), 1);
    }

    #[test]
    fn no_server_is_this_host() {
        for mut sample in [Sample::member(), Sample::peer()] {
            assert_eq!(not_a_server(sample.scene()), []);
            sample.unbind(SERVER1);
            sample.unbind("2001:db8::1");
            assert_eq!(not_a_server(sample.scene()).len(), 1);
        }
        assert_eq!(not_a_server(Sample::dispatcher().scene()), []);
    }

    #[test]
    fn neither_serves_nor_dispatches() {
        assert_eq!(no_part(Sample::dispatcher().scene()), []);
        assert_eq!(no_part(Sample::plain().scene()), []);
        assert_eq!(no_part(Sample::dispatcher().stopped().scene()).len(), 1);
    }
}
