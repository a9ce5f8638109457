// SPDX-License-Identifier: GPL-2.0
//! What `save` prints is what was applied, whatever that was.

use proptest::prelude::*;

use crate::fake::Fake;

#[derive(Clone, Debug)]
struct Server {
    id: u16,
    weight: u16,
    admin: &'static str,
    start_down: bool,
    families: Families,
}

/// Which addresses a server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Families {
    V4,
    V6,
    Both,
}

fn server() -> impl Strategy<Value = Server> {
    let admin = proptest::sample::select(&["up", "drain", "down"][..]);
    let families = [Families::V4, Families::V6, Families::Both];
    let families = proptest::sample::select(families.to_vec());
    (0u16..1024, 1u16..=1000, admin, any::<bool>(), families).prop_map(
        |(id, weight, admin, start_down, families)| Server {
            id,
            weight,
            admin,
            start_down,
            families,
        },
    )
}

/// The text of a pool. Addresses of servers are made of their ids.
fn pool(number: usize) -> impl Strategy<Value = String> {
    let hash = (any::<u128>(), 8u32..10)
        .prop_map(|(seed, log)| format!("seed = \"{seed:032x}\"\nrows = {}\n", 1u32 << log));
    let kind = prop_oneof![hash, Just("kind = \"mod\"\n".to_owned())];
    let servers = proptest::collection::vec(server(), 0..6);
    let ghosts = proptest::collection::btree_set(1u8..255, 0..4);
    let ghosts6 = proptest::collection::btree_set(1u16.., 0..3);
    let modes = [
        "",
        "mode = \"router\"\n",
        "mode = \"peer\"\n",
        "mode = \"broadcast\"\n",
        "mode = \"broadcast\"\nshape = \"multicast\"\n",
        "mode = \"broadcast\"\nshape = \"igmp\"\n",
    ];
    let mode = proptest::sample::select(modes.to_vec());
    let name = "[a-zA-Z0-9._-]{1,30}";
    let prefixes = (1u8..=32, 1u8..=128);
    (name, (mode, kind), prefixes, servers, (ghosts, ghosts6)).prop_map(move |it| {
        let (name, (mode, kind), (prefix4, prefix6), mut servers, (ghosts, ghosts6)) = it;
        // The number keeps the names apart.
        let name = format!("{number}{name}");
        let (has4, has6) = (!ghosts.is_empty(), !ghosts6.is_empty());
        let ghosts = ghosts
            .iter()
            .map(|last| format!("\"192.0.{number}.{last}\""));
        let ghosts6 = ghosts6
            .iter()
            .map(|last| format!("\"2001:db8:{number}::{last:x}\""));
        let ghosts: Vec<_> = ghosts6.chain(ghosts).collect();
        let mut text = format!("[pool.\"{name}\"]\n{mode}{kind}prefix4 = {prefix4}\n");
        text += &format!("prefix6 = {prefix6}\nghosts = [{}]\n", ghosts.join(","));
        servers.sort_by_key(|server| server.id);
        servers.dedup_by_key(|server| server.id);
        for server in servers {
            let Server {
                id,
                admin,
                start_down,
                families,
                ..
            } = server;
            let broadcast = mode.contains("broadcast");
            let v4 = families != Families::V6 || !broadcast && has4;
            let v6 = families != Families::V4 || !broadcast && has6;
            let weight = if kind.contains("mod") {
                1
            } else {
                server.weight
            };
            text += &format!("[pool.\"{name}\".server.s{id}]\nid = {id}\nweight = {weight}\n");
            if v4 {
                text += &format!("address = \"10.{number}.{}.{}\"\n", id / 256, id % 256);
            }
            if v6 {
                text += &format!("address6 = \"2001:db8:{number}:1::{id:x}\"\n");
            }
            text += &format!("admin = \"{admin}\"\nstart-down = {start_down}\n");
        }
        text
    })
}

fn configuration() -> impl Strategy<Value = String> {
    let devices = proptest::collection::btree_set("[!-.0-9;-~]{3,15}", 1..=16);
    (0usize..4, devices).prop_flat_map(|(pools, devices)| {
        let devices = devices.iter().map(|name| {
            let name = name.replace('\\', "\\\\").replace('"', "\\\"");
            format!("\"{name}\"")
        });
        let devices: Vec<_> = devices.collect();
        let pools: Vec<_> = (0..pools).map(pool).collect();
        pools
            .prop_map(move |pools| format!("devices = [{}]\n{}", devices.join(","), pools.concat()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Ten configurations in turn, each on top of the one before.
    #[test]
    fn save_and_apply(texts in proptest::collection::vec(configuration(), 10)) {
        let mut fake = Fake::default();
        for text in texts {
            let ran = fake.run_with("apply -", &text, false);
            prop_assert_eq!(ran.code, 0, "{}{}", ran.err, text);
            let saved = fake.done("save");
            let (generation, digest) = (fake.generation, fake.digest());

            let ran = fake.run_with("apply -", &saved, false);
            prop_assert_eq!(&*ran.out, "already so\n");
            prop_assert_eq!(fake.generation, generation);

            // On a machine that knows nothing it makes the same state.
            let mut other = Fake::default();
            let ran = other.run_with("apply -", &saved, false);
            prop_assert_eq!(ran.code, 0);
            prop_assert_eq!(other.done("save"), saved);
            let healthy = |fake: &mut Fake| fake.done("dump").lines().filter_map(|line| {
                // Without the digests, which depend on health, and without health; and without what
                // is left of the configuration before, where a pool has kept its name.
                let columns: Vec<_> = line.split('\t').collect();
                let line = match columns[0] {
                    "server" if columns[20] == "true" => return None,
                    "older" => return None,
                    "server" => columns[..7].to_vec(),
                    "pool" => columns[..9].to_vec(),
                    "state" => vec![],
                    _ => columns,
                };
                Some(line.join("\t"))
            }).collect::<Vec<_>>();
            prop_assert_eq!(healthy(&mut other), healthy(&mut fake));
            prop_assert_eq!(fake.digest(), digest);
        }
    }
}
