// SPDX-License-Identifier: GPL-2.0
//! From a model to the text of a configuration file.

use std::net::Ipv4Addr;

use onehop_uapi::{Kind, Name, Pool, Server};

use crate::model::Model;
use crate::seed;

/// Writes a configuration that [`super::parse`] reads as the same model.
pub fn save(model: &Model) -> String {
    let mut text = String::new();
    for group in model.pools.values() {
        if !text.is_empty() {
            text.push('\n');
        }
        let pool_key = key(group.pool.name);
        let ghosts: Vec<_> = group
            .ghosts
            .iter()
            .map(|ghost| format!("\"{ghost}\""))
            .collect();
        text += &format!("[pool.{pool_key}]\n{}", pool(&group.pool));
        text += &format!("ghosts = [{}]\n", ghosts.join(", "));
        for it in group.by_id() {
            text += &format!(
                "\n[pool.{pool_key}.server.{}]\n{}",
                key(it.name),
                server(it)
            );
        }
    }
    text
}

fn pool(pool: &Pool) -> String {
    let mut text = format!("mode = \"{}\"\nkind = \"{}\"\n", pool.mode, pool.kind);
    if pool.kind == Kind::Hash {
        let seed = seed::format(pool.seed);
        text += &format!("seed = \"{seed}\"\nrows = {}\n", pool.rows);
    }
    text += &format!("prefix4 = {}\nprefix6 = {}\n", pool.prefix4, pool.prefix6);
    text += &format!("policy = \"{}\"\n", pool.policy);
    text
}

fn server(server: &Server) -> String {
    let address = Ipv4Addr::from(server.address);
    let mut text = format!("id = {}\naddress = \"{address}\"\n", server.id);
    text += &format!("weight = {}\nadmin = \"{}\"\n", server.weight, server.admin);
    if server.start_down {
        text += "start-down = true\n";
    }
    text
}

/// A name as a key: in quotes if it has a dot.
fn key(name: Name) -> String {
    match name.as_str() {
        dotted if dotted.contains('.') => format!("\"{dotted}\""),
        bare => bare.into(),
    }
}
