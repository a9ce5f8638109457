// SPDX-License-Identifier: GPL-2.0
//! Tables: whose they are, how long, and what may stand in them.

mod sample;

use onehop_uapi::*;
use sample::{check, name, sample, Sample};

const ERANGE: i32 = 34;
const EMSGSIZE: i32 = 90;

/// Between two pools with a table one that has none.
fn tabled() -> Sample {
    let mut sample = sample();
    let rows = |pool: &mut Pool, rows| (pool.kind, pool.rows) = (Kind::Table, rows);
    rows(&mut sample.pools[0], 512);
    let mut last = Pool {
        name: name("last"),
        ..sample.pools[0]
    };
    rows(&mut last, 256);
    sample.pools.push(last);
    // An id that no server has, and no owner.
    let owners = [1, 2, 1023, limits::NO_SERVER].into_iter().cycle();
    sample.tables = vec![owners.take(512).collect(), (0..256).collect()];
    sample
}

#[track_caller]
fn spoiled(spoil: impl FnOnce(&mut Sample), errno: i32, sentence: &str) {
    let mut sample = tabled();
    assert_eq!(check(&sample.encode()), Ok(()));
    spoil(&mut sample);
    let invalid = check(&sample.encode()).unwrap_err();
    assert_eq!((invalid.errno(), &*invalid.to_string()), (errno, sentence));
}

#[test]
fn they_are_read_as_they_were_written() {
    let (sample, raw) = (tabled(), tabled().encode());
    let (image, snapshot) = (Image::new(&raw).unwrap(), Snapshot::new(&raw).unwrap());
    let owners = |table: Option<Table<'_>>| table.map(|table| table.owners().collect::<Vec<_>>());
    for read in [
        &(|pool| owners(image.table(pool))) as &dyn Fn(u32) -> Option<Vec<u16>>,
        &|pool| owners(snapshot.table(pool)),
    ] {
        assert_eq!(read(0).as_ref(), Some(&sample.tables[0]));
        assert_eq!(read(1), None);
        assert_eq!(read(2).as_ref(), Some(&sample.tables[1]));
        assert_eq!(read(3), None);
    }
}

#[test]
fn as_long_as_the_pools_say() {
    let short = |it: &mut Sample| it.tables[1].truncate(255);
    spoiled(short, EMSGSIZE, "image: rows \"767\" must be 768");
    let long = |it: &mut Sample| it.tables[0].push(1);
    spoiled(long, EMSGSIZE, "image: rows \"769\" must be 768");
    let foreign = |it: &mut Sample| it.pools[2].kind = Kind::Hash;
    spoiled(foreign, EMSGSIZE, "image: rows \"768\" must be 512");
}

#[test]
fn owners_are_ids_or_none() {
    for owner in [1024, 65534] {
        let sentence = format!(
            "row 255 of pool \"last\": owner \"{owner}\" must be from 0 to 1023, or 65535 (none)"
        );
        spoiled(|it| it.tables[1][255] = owner, ERANGE, &sentence);
    }
    let first = "row 0 of pool \"web\": owner \"1024\" must be from 0 to 1023, or 65535 (none)";
    spoiled(|it| it.tables[0][0] = 1024, ERANGE, first);
}

#[test]
fn they_count_for_the_length_of_an_image() {
    let mut sample = tabled();
    sample.pools.truncate(1);
    sample.ghosts.clear();
    sample.servers.clear();
    sample.devices.clear();
    let pool = sample.pools[0];
    sample.pools = (0..128)
        .map(|index| Pool {
            name: name(&format!("pool{index}")),
            rows: 65536,
            ..pool
        })
        .collect();
    sample.tables = vec![vec![limits::NO_SERVER; 65536]; 127];
    sample.pools.pop();
    assert_eq!(check(&sample.encode()), Ok(()));
    sample.pools.push(Pool {
        name: name("more"),
        rows: 65536,
        ..pool
    });
    sample.tables.push(vec![limits::NO_SERVER; 65536]);
    let raw = sample.encode();
    let invalid = check(&raw).unwrap_err();
    assert_eq!(invalid.cause, Cause::TooMany);
    // A dump has no such bound.
    assert!(Snapshot::new(&raw).unwrap().table(127).is_some());
}
