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
}

fn server() -> impl Strategy<Value = Server> {
    let admin = proptest::sample::select(&["up", "drain", "down"][..]);
    (0u16..1024, 1u16..=1000, admin, any::<bool>()).prop_map(|(id, weight, admin, start_down)| {
        Server {
            id,
            weight,
            admin,
            start_down,
        }
    })
}

/// The text of a pool. Addresses of servers are made of their ids.
fn pool(number: usize) -> impl Strategy<Value = String> {
    let hash = (any::<u128>(), 8u32..10)
        .prop_map(|(seed, log)| format!("seed = \"{seed:032x}\"\nrows = {}\n", 1u32 << log));
    let kind = prop_oneof![hash, Just("kind = \"mod\"\n".to_owned())];
    let servers = proptest::collection::vec(server(), 0..6);
    let ghosts = proptest::collection::btree_set(1u8..255, 0..4);
    let name = "[a-zA-Z0-9._-]{1,30}";
    let prefixes = (1u8..=32, 1u8..=128);
    (name, kind, prefixes, servers, ghosts).prop_map(move |it| {
        let (name, kind, (prefix4, prefix6), mut servers, ghosts) = it;
        // The number keeps the names apart.
        let name = format!("{number}{name}");
        let ghosts: Vec<_> = ghosts
            .iter()
            .map(|last| format!("\"192.0.{number}.{last}\""))
            .collect();
        let mut text = format!("[pool.\"{name}\"]\n{kind}prefix4 = {prefix4}\n");
        text += &format!("prefix6 = {prefix6}\nghosts = [{}]\n", ghosts.join(","));
        servers.sort_by_key(|server| server.id);
        servers.dedup_by_key(|server| server.id);
        for server in servers {
            let Server {
                id,
                admin,
                start_down,
                ..
            } = server;
            let weight = if kind.contains("mod") {
                1
            } else {
                server.weight
            };
            text += &format!("[pool.\"{name}\".server.s{id}]\nid = {id}\nweight = {weight}\n");
            text += &format!("address = \"10.{number}.{}.{}\"\n", id / 256, id % 256);
            text += &format!("admin = \"{admin}\"\nstart-down = {start_down}\n");
        }
        text
    })
}

fn configuration() -> impl Strategy<Value = String> {
    (0usize..4).prop_flat_map(|pools| {
        let pools: Vec<_> = (0..pools).map(pool).collect();
        pools.prop_map(|pools| pools.concat())
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
            let healthy = |fake: &mut Fake| fake.done("dump").lines().map(|line| {
                // Without the digests, which depend on health, and without health.
                let columns: Vec<_> = line.split('\t').collect();
                let line = match columns[0] {
                    "server" => columns[..7].to_vec(),
                    "pool" => columns[..9].to_vec(),
                    "state" => vec![],
                    _ => columns,
                };
                line.join("\t")
            }).collect::<Vec<_>>();
            prop_assert_eq!(healthy(&mut other), healthy(&mut fake));
            prop_assert_eq!(fake.digest(), digest);
        }
    }
}
