// SPDX-License-Identifier: GPL-2.0
//! A file becomes an image, a state, a dump and a file again, and nothing is lost.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};

use onehop_uapi::{Address, Name};
use proptest::prelude::*;

use crate::fake::Fake;

const ROWS: usize = 256;

/// Runs of owners, as many rows as the pool has; 1024 stands for none.
fn table() -> impl Strategy<Value = Vec<u16>> {
    let runs = proptest::collection::vec((0u16..1025, 1usize..40), 1..40);
    runs.prop_map(|runs| {
        let owners = runs.into_iter();
        let rows = owners.flat_map(|(owner, count)| std::iter::repeat_n(owner, count));
        rows.chain(std::iter::repeat(1024)).take(ROWS).collect()
    })
}

/// Prefixes as people write them, and the number of their server.
fn overrides() -> impl Strategy<Value = BTreeMap<String, u16>> {
    let v4 = (any::<u32>(), 1u32..=32).prop_map(|(address, bits)| {
        let address = address & (u32::MAX << (32 - bits));
        format!("{}/{bits}", Ipv4Addr::from(address))
    });
    // None is within ::ffff:0:0/96.
    let v6 = (any::<u128>(), 1u32..=128).prop_map(|(address, bits)| {
        let address = (address | 1 << 127) & (u128::MAX << (128 - bits));
        format!("{}/{bits}", Ipv6Addr::from(address))
    });
    proptest::collection::btree_map(prop_oneof![v4, v6], 0u16..3, 0..20)
}

fn file(table: Option<&[u16]>, overrides: &BTreeMap<String, u16>) -> String {
    let mut text = String::from(
        "[pool.\"a.b\"]\nseed = \"00112233445566778899aabbccddeeff\"\nrows = 256\n\
         ghosts = [\"192.0.2.80\"]\n",
    );
    if let Some(table) = table {
        let word = |owner: &u16| match owner {
            1024 => "-".to_owned(),
            id => id.to_string(),
        };
        let words: Vec<_> = table.iter().map(word).collect();
        text += &format!("kind = \"table\"\ntable = \"{}\"\n", words.join(" "));
    }
    text += "[pool.\"a.b\".override]\n";
    for (prefix, server) in overrides {
        text += &format!("\"{prefix}\" = \"s.{server}\"\n");
    }
    for server in 0..3 {
        text += &format!("[pool.\"a.b\".server.\"s.{server}\"]\n");
        text += &format!("id = {server}\naddress = \"10.0.0.{server}\"\n");
    }
    text
}

fn applied(text: &str) -> Fake {
    let mut fake = Fake::default();
    let ran = fake.run_with("apply -", text, false);
    assert_eq!((ran.code, &*ran.err), (0, ""), "{text}");
    fake
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_file(table in proptest::option::of(table()), overrides in overrides()) {
        let text = file(table.as_deref(), &overrides);
        let mut fake = applied(&text);
        let pool = &fake.pools[&Name::new("name", "a.b").unwrap()];

        // What was written is what the kernel has.
        let owner = |owner: u16| if owner == 1024 { 0xffff } else { owner };
        let rows: Vec<_> = table.unwrap_or_default().into_iter().map(owner).collect();
        prop_assert_eq!(&pool.table, &rows);
        let stands: BTreeMap<_, _> = pool
            .overrides
            .iter()
            .map(|it| {
                let address = match it.prefix.address() {
                    Address::V4(address) => Ipv4Addr::from(address).to_string(),
                    Address::V6(address) => Ipv6Addr::from(address).to_string(),
                };
                (format!("{address}/{}", it.prefix.bits()), it.server)
            })
            .collect();
        prop_assert_eq!(&stands, &overrides);

        // What is saved is the same, to the kernel and to itself.
        let saved = fake.done("save");
        prop_assert!(saved.lines().all(|line| line.len() <= 100), "{}", saved);
        prop_assert_eq!(fake.run_with("apply -", &saved, false).out, "already so\n");
        let mut again = applied(&saved);
        prop_assert_eq!(again.digest(), fake.digest());
        prop_assert_eq!(&again.done("save"), &saved);
        prop_assert_eq!(again.done("dump"), fake.done("dump"));

        // And so is what is decided, with the module and without.
        let clients: Vec<_> = (0u32..20)
            .map(|n| Ipv4Addr::from(n.wrapping_mul(0x9e37_79b1)).to_string())
            .chain(stands.keys().map(|prefix| prefix.split('/').next().unwrap().to_owned()))
            .collect();
        let clients = clients.join(" ");
        let online = fake.done(&format!("lookup {clients}"));
        let offline = fake.run_with(&format!("lookup --offline - {clients}"), &saved, false);
        prop_assert_eq!(offline.out, online);
    }
}
