// SPDX-License-Identifier: GPL-2.0
//! What a pool names itself: the owners of rows, and servers for some clients.

use std::collections::BTreeMap;

use onehop_uapi::{Kind, Name, Pool, Prefix, Server};

use super::node::{Node, Table};
use super::read::Nodes;
use crate::pick::quoted;
use crate::{table as rows, value, Error};

/// The owners of the rows of a pool of kind table.
pub fn table(pool: &Table<'_>, nodes: &Nodes<'_>, wanted: &Pool) -> Result<Vec<u16>, Error> {
    match (wanted.kind, nodes.get("table")) {
        (Kind::Table, None) => {
            let advice = "give it the owners of its rows, or leave kind hash to choose them";
            Err(pool.lacks("table", advice))
        }
        (Kind::Table, Some(node)) => {
            let (text, start) = node.text("the owners of rows")?;
            rows::parse(text, wanted.rows).map_err(|mistake| {
                let why = format!("{} {}", node.path, mistake.why);
                node.source.refuse(start + mistake.at, &why)
            })
        }
        (Kind::Mod | Kind::Hash, Some(node)) => Err(node.must_be("left out without kind table")),
        (Kind::Mod | Kind::Hash, None) => Ok(Vec::new()),
    }
}

/// The servers of some clients.
pub fn overrides(
    node: &Node<'_>,
    servers: &BTreeMap<Name, Server>,
) -> Result<BTreeMap<Prefix, Name>, Error> {
    let names = quoted(servers.keys());
    let mut overrides = BTreeMap::new();
    for (text, server) in node.table()?.entries() {
        let refuse = |why: &str| {
            let why = format!("{}: {why}", node.path);
            server.source.refuse_path(&server.path, &why)
        };
        let prefix = value::prefix(text).map_err(|why| refuse(&why))?;
        let is_one = |text: &str| {
            let name = Name::new("server", text).ok()?;
            servers.contains_key(&name).then_some(name)
        };
        let expected = match &*names {
            "" => "the name of a server of the pool, which has none".into(),
            names => format!("the name of a server of the pool: {names}"),
        };
        let name = server.parsed(&expected, is_one)?;
        if overrides.insert(prefix, name).is_some() {
            let why = format!("prefix \"{prefix}\" must be unique in its pool");
            return Err(refuse(&why));
        }
    }
    Ok(overrides)
}
