// SPDX-License-Identifier: GPL-2.0
//! What holds of any bytes that are taken for an image: for those that proptest draws, and for those
//! that fuzz/ finds.

use std::collections::BTreeSet;
use std::fmt::Debug;

use onehop_uapi::*;

/// They are refused with a reason, or are a valid image; and as a dump they can be read.
pub fn survived(raw: &[u8]) {
    match crate::sample::check(raw) {
        Ok(()) => is_valid(&Image::new(raw).unwrap(), raw),
        Err(invalid) => assert!(invalid.to_string().contains(" must be ")),
    }
    if let Ok(snapshot) = Snapshot::new(raw) {
        let _ = snapshot.pools().filter(Result::is_ok).count();
        let _ = snapshot.servers().filter(Result::is_ok).count();
        let _ = snapshot.devices().filter(Result::is_ok).count();
        let _ = snapshot.older().filter(Result::is_ok).count();
        let _ = snapshot.overrides().filter(Result::is_ok).count();
        let tables = (0..3).filter_map(|pool| snapshot.table(pool));
        let rows: usize = tables.map(|table| table.owners().len()).sum();
        assert!(rows <= snapshot.header().rows as usize);
    }
}

/// What the header's comments ask of an image, tried on each record with a set; and all of it is what
/// the encoders write.
fn is_valid(image: &Image<'_>, raw: &[u8]) {
    let pools: Vec<Pool> = image.pools().map(Result::unwrap).collect();
    let ghosts: Vec<Ghost> = image.ghosts().map(Result::unwrap).collect();
    let servers: Vec<Server> = image.servers().map(Result::unwrap).collect();
    let devices: Vec<Device> = image.devices().map(Result::unwrap).collect();
    let overrides: Vec<Override> = image.overrides().map(Result::unwrap).collect();

    unique(pools.iter().map(|it| it.name));
    unique(devices.iter().map(|it| it.name));
    unique(ghosts.iter().map(|it| it.address));
    unique(servers.iter().map(|it| (it.pool, it.name)));
    unique(servers.iter().map(|it| (it.pool, it.id)));
    let addresses = |it: &Server| {
        let (pool, both) = (
            it.pool,
            [it.address.map(Address::V4), it.address6.map(Address::V6)],
        );
        both.into_iter()
            .flatten()
            .map(move |address| (pool, address))
    };
    let taken = unique(servers.iter().flat_map(addresses));
    unique(overrides.iter().map(|it| (it.pool, it.prefix)));

    let own: BTreeSet<Address> = taken.into_iter().map(|(_, address)| address).collect();
    assert!(ghosts.iter().all(|it| !own.contains(&it.address)));
    let ids = unique(servers.iter().map(|it| (it.pool, it.id)));
    assert!(overrides
        .iter()
        .all(|it| ids.contains(&(it.pool, it.server))));
    for server in &servers {
        let pool = &pools[server.pool as usize];
        let needs = |is_needed: fn(&Ghost) -> bool| {
            let mut its = ghosts.iter().filter(|it| it.pool == server.pool);
            pool.mode != Mode::Broadcast && its.any(is_needed)
        };
        assert!(server.address.is_some() || !needs(|it| matches!(it.address, Address::V4(_))));
        assert!(server.address6.is_some() || !needs(|it| matches!(it.address, Address::V6(_))));
        assert!(pool.kind != Kind::Mod || server.weight == 1);
    }

    let mut written = image.header().encode().to_vec();
    written.extend(pools.iter().flat_map(Pool::encode));
    written.extend(ghosts.iter().flat_map(Ghost::encode));
    written.extend(servers.iter().flat_map(Server::encode));
    written.extend(devices.iter().flat_map(Device::encode));
    written.extend(overrides.iter().flat_map(Override::encode));
    let tables = (0..pools.len() as u32).filter_map(|pool| image.table(pool));
    let owners = tables.flat_map(|table| table.owners().collect::<Vec<_>>());
    written.extend(owners.flat_map(Table::encode));
    assert_eq!(written, raw);
}

fn unique<T: Ord + Debug + Clone>(items: impl Iterator<Item = T>) -> BTreeSet<T> {
    let mut seen = BTreeSet::new();
    for item in items {
        assert!(seen.insert(item.clone()), "{item:?} stands twice");
    }
    seen
}
