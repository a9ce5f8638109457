// SPDX-License-Identifier: GPL-2.0
//! Digests: equal ones decide alike.

use super::scene::Scene;
use super::Found;

/// Hosts that decide otherwise serve a client twice, or not at all.
pub fn differs(scene: &Scene) -> Vec<Found> {
    let Some(module) = &scene.module else {
        return Vec::new();
    };
    let own = module.digest;
    let others = scene.peers.iter().filter(|peer| peer.digest != own);
    others
        .map(|peer| {
            let text = format!(
                "its digest {:016x} is not this host's {own:016x}: they decide otherwise",
                peer.digest
            );
            let fix =
                "apply the same file on both, and compare the servers' states in onehopctl show";
            Found::new(&peer.name, text, fix)
        })
        .collect()
}

/// Nothing compared is not nothing found.
pub fn unknown(scene: &Scene) -> Vec<Found> {
    if scene.peers.is_empty() || scene.module.is_some() {
        return Vec::new();
    }
    let text = "the module is not loaded here: there is no digest to compare with others'";
    vec![Found::new(
        "this host",
        text,
        "leave --peer-digest out, or load the module",
    )]
}

#[cfg(test)]
mod tests {
    use crate::check::sample::Sample;
    use crate::check::scene::Peer;

    use super::*;

    fn peer(digest: u64) -> Peer {
        Peer {
            name: "s3".into(),
            digest,
        }
    }

    #[test]
    fn others_decide_otherwise() {
        let mut sample = Sample::member();
        let own = sample.scene.module.as_ref().unwrap().digest;
        sample.scene.peers = vec![peer(own)];
        assert_eq!(differs(sample.scene()), []);
        sample.scene.peers.push(peer(own + 1));
        let found = differs(sample.scene());
        assert_eq!((found.len(), &*found[0].subject), (1, "s3"));
        assert_eq!(unknown(sample.scene()), []);
    }

    #[test]
    fn there_is_nothing_to_compare_with() {
        let mut sample = Sample::plain();
        assert_eq!(unknown(sample.scene()), []);
        sample.scene.peers = vec![peer(1)];
        assert_eq!(unknown(sample.scene()).len(), 1);
        assert_eq!(differs(sample.scene()), []);
    }
}
