// SPDX-License-Identifier: GPL-2.0
//! From the text of a configuration file to a model.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use onehop_uapi::{Admin, Invalid, Kind, Mode, Name, Place, Policy, Pool, Server};
use toml::de::DeTable;

use super::node::{Node, Source, Table};
use crate::model::{Group, Model};
use crate::{seed, Error};

const POOL_KEYS: [&str; 9] = [
    "mode", "kind", "seed", "rows", "prefix4", "prefix6", "policy", "ghosts", "server",
];
const SERVER_KEYS: [&str; 5] = ["id", "address", "weight", "admin", "start-down"];

/// Reads a configuration, and checks it as the module would.
pub fn parse(file: &str, text: &str) -> Result<Model, Error> {
    let source = Source::new(file, text);
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        // Some messages have several lines; an error has one.
        source.refuse(at, &error.message().replace('\n', ", "))
    })?;
    let mut model = Model::default();
    let root = Table::root(&source, document.get_ref());
    if let Some(pools) = root.known(&["pool"])?.remove("pool") {
        for (name, node) in pools.table()?.entries() {
            let name = named(&node, name)?;
            model.pools.insert(name, group(name, &node.table()?)?);
        }
    }
    match model.check() {
        Ok(()) => Ok(model),
        Err(invalid) => Err(refuse(&source, &model, &invalid)),
    }
}

fn named(node: &Node<'_>, name: &str) -> Result<Name, Error> {
    Name::new("name", name).map_err(|invalid| {
        let why = format!("{}: {invalid}", node.path);
        node.source.refuse_path(&node.path, &why)
    })
}

fn group(name: Name, table: &Table<'_>) -> Result<Group, Error> {
    let nodes = table.known(&POOL_KEYS)?;
    let kind = choice(&nodes, "kind", "mod or hash", Kind::from_name)?.unwrap_or(Kind::Hash);
    let seed = match nodes.get("seed") {
        Some(node) => Some(node.parsed(seed::EXPECTED, seed::parse)?),
        None => None,
    };
    let rows = integer(&nodes, "rows", "a power of two from 256 to 65536")?;
    let (seed, rows) = match kind {
        Kind::Hash => (
            seed.map_or_else(|| Err(no_seed(table)), Ok)?,
            rows.unwrap_or(65536),
        ),
        Kind::Mod => {
            if let Some(node) = nodes.get("seed").or(nodes.get("rows")) {
                return Err(node.must_be("left out with kind mod"));
            }
            ([0; 16], 0)
        }
    };
    let mut group = Group::new(Pool {
        name,
        mode: choice(&nodes, "mode", "router", Mode::from_name)?.unwrap_or(Mode::Router),
        kind,
        policy: choice(&nodes, "policy", "drop or reject", Policy::from_name)?
            .unwrap_or(Policy::Drop),
        prefix4: integer(&nodes, "prefix4", "from 1 to 32")?.unwrap_or(32),
        prefix6: integer(&nodes, "prefix6", "from 1 to 128")?.unwrap_or(64),
        rows,
        seed,
    });
    if let Some(ghosts) = nodes.get("ghosts") {
        for ghost in ghosts.elements("an array of IPv4 addresses")? {
            let address = address(&ghost)?;
            ghost.note_as(&address.to_string());
            group.ghosts.push(address);
        }
        group.ghosts.sort_unstable();
    }
    if let Some(servers) = nodes.get("server") {
        for (name, node) in servers.table()?.entries() {
            let name = named(&node, name)?;
            group.servers.insert(name, server(name, &node.table()?)?);
        }
    }
    Ok(group)
}

fn server(name: Name, table: &Table<'_>) -> Result<Server, Error> {
    let nodes = table.known(&SERVER_KEYS)?;
    let id = integer(&nodes, "id", "from 0 to 1023")?.ok_or_else(|| {
        table.lacks(
            "id",
            "give it one of its own, from 0 to 1023, the same on every machine",
        )
    })?;
    let address = match nodes.get("address") {
        Some(node) => address(node)?,
        None => return Err(table.lacks("address", "give it the server's own IPv4 address")),
    };
    Ok(Server {
        name,
        pool: 0,
        id,
        weight: integer(&nodes, "weight", "from 1 to 1000")?.unwrap_or(1),
        admin: choice(&nodes, "admin", "up, drain or down", Admin::from_name)?.unwrap_or(Admin::Up),
        start_down: match nodes.get("start-down") {
            Some(node) => node.boolean()?,
            None => false,
        },
        address: address.octets(),
    })
}

type Nodes<'a> = BTreeMap<&'a str, Node<'a>>;

fn integer<T: TryFrom<i64>>(
    nodes: &Nodes<'_>,
    key: &str,
    expected: &str,
) -> Result<Option<T>, Error> {
    let node = nodes.get(key);
    node.map(|node| node.integer(expected)).transpose()
}

fn choice<T>(
    nodes: &Nodes<'_>,
    key: &str,
    expected: &str,
    parse: fn(&str) -> Option<T>,
) -> Result<Option<T>, Error> {
    let node = nodes.get(key);
    node.map(|node| node.parsed(expected, parse)).transpose()
}

fn address(node: &Node<'_>) -> Result<Ipv4Addr, Error> {
    node.parsed("an IPv4 address", |text| text.parse().ok())
}

fn no_seed(table: &Table<'_>) -> Error {
    match seed::fresh() {
        Ok(fresh) => {
            let seed = seed::format(fresh);
            let advice = format!("it takes the same on every machine; a fresh one: \"{seed}\"");
            table.lacks("seed", &advice)
        }
        Err(error) => table.lacks("seed", &format!("and none can be drawn: {error}")),
    }
}

/// Tells a mistake in an image by where it comes from in the file.
fn refuse(source: &Source<'_>, model: &Model, invalid: &Invalid) -> Error {
    let field = invalid.field;
    // The path to show, and the one to look the line up with.
    let paths = match invalid.place {
        Place::Call | Place::Image => None,
        Place::Pool(index) => model.pools.values().nth(index as usize).map(|group| {
            let path = format!("pool.{}.{field}", group.pool.name);
            (path.clone(), path)
        }),
        Place::Ghost(index) => model.ghosts().nth(index as usize).map(|(_, group, ghost)| {
            let path = format!("pool.{}.ghosts", group.pool.name);
            (path.clone(), format!("{path}.{ghost}"))
        }),
        Place::Server(index) => model
            .servers()
            .nth(index as usize)
            .map(|(_, group, server)| {
                let path = format!("pool.{}.server.{}.{field}", group.pool.name, server.name);
                (path.clone(), path)
            }),
    };
    match paths {
        Some((path, line)) => {
            let why = format!("{path}{} must be {}", invalid.value, invalid.expected);
            source.refuse_path(&line, &why)
        }
        None => source.refuse(0, &invalid.to_string()),
    }
}
