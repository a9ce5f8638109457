// SPDX-License-Identifier: GPL-2.0
//! From a model to the text of a configuration file.

use onehop_uapi::{Address, Name, Pool, Server};

use crate::model::Model;
use crate::{seed, table};

/// Writes a configuration that [`super::parse`] reads as the same model.
pub fn save(model: &Model) -> String {
    let mut text = String::new();
    if !model.devices.is_empty() {
        text += &format!("devices = [{}]\n", strings(&model.devices));
    }
    for group in model.pools.values() {
        if !text.is_empty() {
            text.push('\n');
        }
        let pool_key = key(group.pool.name);
        text += &format!("[pool.{pool_key}]\n{}", pool(&group.pool));
        text += &format!("ghosts = [{}]\n", strings(&group.ghosts));
        if !group.table.is_empty() {
            // The line break behind the quotes is not part of the string.
            let rows = table::format(&group.table);
            text += &format!("table = \"\"\"\n{rows}\"\"\"\n");
        }
        for it in group.by_id() {
            text += &format!(
                "\n[pool.{pool_key}.server.{}]\n{}",
                key(it.name),
                server(it)
            );
        }
        if !group.overrides.is_empty() {
            text += &format!("\n[pool.{pool_key}.override]\n");
        }
        for (prefix, name) in &group.overrides {
            text += &format!("\"{prefix}\" = \"{name}\"\n");
        }
    }
    text
}

fn pool(pool: &Pool) -> String {
    let mut text = format!("mode = \"{}\"\n", pool.mode);
    if let Some(shape) = pool.shape {
        text += &format!("shape = \"{shape}\"\n");
    }
    if let Some(method) = pool.method {
        text += &format!("method = \"{method}\"\n");
    }
    text += &format!("kind = \"{}\"\n", pool.kind);
    if pool.kind.has_rows() {
        let seed = seed::format(pool.seed);
        text += &format!("seed = \"{seed}\"\nrows = {}\n", pool.rows);
    }
    text += &format!("prefix4 = {}\nprefix6 = {}\n", pool.prefix4, pool.prefix6);
    text += &format!("policy = \"{}\"\n", pool.policy);
    text
}

fn server(server: &Server) -> String {
    let mut text = format!("id = {}\n", server.id);
    if let Some(address) = server.address.map(Address::V4) {
        text += &format!("address = \"{address}\"\n");
    }
    if let Some(address) = server.address6.map(Address::V6) {
        text += &format!("address6 = \"{address}\"\n");
    }
    text += &format!("weight = {}\nadmin = \"{}\"\n", server.weight, server.admin);
    if server.start_down {
        text += "start-down = true\n";
    }
    text
}

/// The elements of an array of strings.
fn strings(items: &[impl ToString]) -> String {
    let quote = |item: &dyn ToString| {
        let text = item.to_string();
        // Names of devices may have these two.
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
    };
    let items: Vec<_> = items.iter().map(|item| quote(item)).collect();
    items.join(", ")
}

/// A name as a key: in quotes if it has a dot.
fn key(name: Name) -> String {
    match name.as_str() {
        dotted if dotted.contains('.') => format!("\"{dotted}\""),
        bare => bare.into(),
    }
}
