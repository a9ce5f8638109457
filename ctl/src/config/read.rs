// SPDX-License-Identifier: GPL-2.0
//! From the text of a configuration file to a model.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use onehop_uapi::{
    Address, Admin, DeviceName, Invalid, Kind, Method, Mode, Name, Place, Policy, Pool, Server,
    Shape,
};
use toml::de::DeTable;

use super::explicit;
use super::node::{Node, Source, Table};
use crate::model::{Group, Model};
use crate::{seed, Error};

const POOL_KEYS: [&str; 13] = [
    "mode", "shape", "method", "kind", "seed", "rows", "prefix4", "prefix6", "policy", "ghosts",
    "server", "table", "override",
];
const SERVER_KEYS: [&str; 6] = ["id", "address", "address6", "weight", "admin", "start-down"];

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
    let nodes = root.known(&["devices", "pool"])?;
    if let Some(devices) = nodes.get("devices") {
        for device in devices.elements("an array of device names")? {
            let name = device.parsed("a device name", |text| DeviceName::new(text).ok())?;
            device.note_as(name.as_str());
            model.devices.push(name);
        }
        model.devices.sort_unstable();
    }
    if let Some(pools) = nodes.get("pool") {
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
    let kind = choice(&nodes, "kind", "mod, hash or table", Kind::from_name)?.unwrap_or(Kind::Hash);
    let seed = match nodes.get("seed") {
        Some(node) => Some(node.parsed(seed::EXPECTED, seed::parse)?),
        None => None,
    };
    let rows = integer(&nodes, "rows", "a power of two from 256 to 65536")?;
    let (seed, rows) = match kind {
        Kind::Hash | Kind::Table => (
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
    let mode = choice(&nodes, "mode", "router, broadcast or peer", Mode::from_name)?
        .unwrap_or(Mode::Router);
    let mut group = Group::new(Pool {
        name,
        mode,
        shape: shape(&nodes, mode)?,
        method: method(&nodes, mode)?,
        kind,
        policy: choice(&nodes, "policy", "drop or reject", Policy::from_name)?
            .unwrap_or(Policy::Drop),
        prefix4: integer(&nodes, "prefix4", "from 1 to 32")?.unwrap_or(32),
        prefix6: integer(&nodes, "prefix6", "from 1 to 128")?.unwrap_or(64),
        rows,
        seed,
    });
    if let Some(ghosts) = nodes.get("ghosts") {
        for ghost in ghosts.elements("an array of addresses")? {
            let parse = |text: &str| text.parse::<IpAddr>().ok();
            let address = Address::from(ghost.parsed("an IPv4 or IPv6 address", parse)?);
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
    group.table = explicit::table(table, &nodes, &group.pool)?;
    if let Some(node) = nodes.get("override") {
        group.overrides = explicit::overrides(node, &group.servers)?;
    }
    Ok(group)
}

fn shape(nodes: &Nodes<'_>, mode: Mode) -> Result<Option<Shape>, Error> {
    let shapes = "broadcast, multicast or igmp";
    match (mode, nodes.get("shape")) {
        (Mode::Broadcast, _) => {
            let shape = choice(nodes, "shape", shapes, Shape::from_name)?;
            Ok(Some(shape.unwrap_or(Shape::Broadcast)))
        }
        (_, Some(node)) => Err(node.must_be("left out without mode broadcast")),
        (_, None) => Ok(None),
    }
}

fn method(nodes: &Nodes<'_>, mode: Mode) -> Result<Option<Method>, Error> {
    match (mode, nodes.get("method")) {
        (Mode::Router, _) => {
            let method = choice(nodes, "method", "track or chance", Method::from_name)?;
            Ok(Some(method.unwrap_or(Method::Track)))
        }
        (_, Some(node)) => Err(node.must_be("left out without mode router")),
        (_, None) => Ok(None),
    }
}

fn server(name: Name, table: &Table<'_>) -> Result<Server, Error> {
    let nodes = table.known(&SERVER_KEYS)?;
    let id = integer(&nodes, "id", "from 0 to 1023")?.ok_or_else(|| {
        table.lacks(
            "id",
            "give it one of its own, from 0 to 1023, the same on every machine",
        )
    })?;
    let parse = |text: &str| Some(text.parse::<Ipv4Addr>().ok()?.octets());
    let address = choice(&nodes, "address", "an IPv4 address", parse)?;
    let parse = |text: &str| Some(text.parse::<Ipv6Addr>().ok()?.octets());
    let address6 = choice(&nodes, "address6", "an IPv6 address", parse)?;
    if address.is_none() && address6.is_none() {
        let advice = "give it the server's own IPv4 address, or address6 with its IPv6 address";
        return Err(table.lacks("address", advice));
    }
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
        address,
        address6,
    })
}

pub(super) type Nodes<'a> = BTreeMap<&'a str, Node<'a>>;

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
        Place::Call | Place::Image | Place::Older(_) | Place::Leaving => None,
        // Their mistakes were found where they were read.
        Place::Override(_) | Place::Row(_) => None,
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
        Place::Device(index) => model
            .devices
            .get(index as usize)
            .map(|device| ("devices".to_owned(), format!("devices.{device}"))),
    };
    match paths {
        Some((path, line)) => {
            let why = format!("{path}{} must be {}", invalid.value, invalid.expected);
            source.refuse_path(&line, &why)
        }
        None => source.refuse(0, &invalid.to_string()),
    }
}
