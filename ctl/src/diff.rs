// SPDX-License-Identifier: GPL-2.0
//! What a change adds, removes and alters.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use onehop_uapi::{limits::NO_SERVER, Address, Name};

use crate::model::Model;
use crate::seed;
use crate::style::Tone;

/// A line of a diff.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    sign: Sign,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Added,
    Removed,
    Altered,
}

impl Line {
    pub fn tone(&self) -> Tone {
        match self.sign {
            Sign::Added => Tone::Good,
            Sign::Removed => Tone::Bad,
            Sign::Altered => Tone::Careful,
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.sign {
            Sign::Added => '+',
            Sign::Removed => '-',
            Sign::Altered => '~',
        };
        write!(f, "{sign} {}", self.text)
    }
}

/// The difference between two models.
pub fn diff(old: &Model, new: &Model) -> Vec<Line> {
    let mut lines = tables(old, new);
    let (old, new) = (records(old), records(new));
    for (key, fields) in &old {
        if !new.contains_key(key) {
            lines.insert(key.clone(), line(Sign::Removed, key, String::new()));
        } else if let Some(altered) = altered(fields, &new[key]) {
            lines.insert(key.clone(), line(Sign::Altered, key, altered));
        }
    }
    for (key, fields) in &new {
        if !old.contains_key(key) {
            let fields: Vec<_> = fields
                .iter()
                .filter_map(|(name, it)| Some(format!("{name} {}", it.as_ref()?)))
                .collect();
            lines.insert(key.clone(), line(Sign::Added, key, fields.join(", ")));
        }
    }
    lines.into_values().collect()
}

/// What a record is called: its noun, in the order of the image, and its name.
type Key = (u8, String);
/// The fields of a record, by name. One that its kind does not have is none.
type Fields = Vec<(&'static str, Option<String>)>;

const NOUNS: [&str; 6] = ["pool", "table", "ghost", "server", "override", "device"];

fn records(model: &Model) -> BTreeMap<Key, Fields> {
    let mut records = BTreeMap::new();
    for group in model.pools.values() {
        let pool = &group.pool;
        let hash = pool.kind.has_rows();
        let fields = vec![
            ("mode", Some(pool.mode.to_string())),
            ("shape", pool.shape.map(|shape| shape.to_string())),
            ("method", pool.method.map(|method| method.to_string())),
            ("kind", Some(pool.kind.to_string())),
            ("seed", hash.then(|| seed::format(pool.seed))),
            ("rows", hash.then(|| pool.rows.to_string())),
            ("prefix4", Some(pool.prefix4.to_string())),
            ("prefix6", Some(pool.prefix6.to_string())),
            ("policy", Some(pool.policy.to_string())),
        ];
        records.insert((0, pool.name.to_string()), fields);
    }
    for (_, group, ghost) in model.ghosts() {
        let fields = vec![("pool", Some(group.pool.name.to_string()))];
        records.insert((2, ghost.to_string()), fields);
    }
    for (_, group, server) in model.servers() {
        let fields = vec![
            ("id", Some(server.id.to_string())),
            ("address", text(server.address.map(Address::V4))),
            ("address6", text(server.address6.map(Address::V6))),
            ("weight", Some(server.weight.to_string())),
            ("admin", Some(server.admin.to_string())),
            ("start-down", Some(server.start_down.to_string())),
        ];
        let key = (3, format!("{}/{}", group.pool.name, server.name));
        records.insert(key, fields);
    }
    for group in model.pools.values() {
        for (prefix, server) in &group.overrides {
            let key = (4, format!("{}/{prefix}", group.pool.name));
            records.insert(key, vec![("server", Some(server.to_string()))]);
        }
    }
    for device in &model.devices {
        records.insert((5, device.to_string()), Vec::new());
    }
    records
}

/// What is to be said of tables. They are too long to be shown: their rows are counted.
fn tables(old: &Model, new: &Model) -> BTreeMap<Key, Line> {
    let names: BTreeSet<_> = old.pools.keys().chain(new.pools.keys()).collect();
    let lines = names.into_iter().filter_map(|name| {
        let [old, new] = [old, new].map(|model| rows(model, name));
        let (sign, text) = match (old.len(), new.len()) {
            _ if old == new => return None,
            (_, 0) => (Sign::Removed, String::new()),
            (0, all) => {
                let owned = new.iter().filter(|owner| **owner != NO_SERVER).count();
                (Sign::Added, format!("{owned} of {all} rows have an owner"))
            }
            (before, all) if before != all => (Sign::Altered, format!("rows {before} -> {all}")),
            (_, all) => {
                let differ = old.iter().zip(new).filter(|(a, b)| a != b).count();
                let text = format!("{differ} of {all} rows have another owner");
                (Sign::Altered, text)
            }
        };
        let key = (1, name.to_string());
        let line = line(sign, &key, text);
        Some((key, line))
    });
    lines.collect()
}

fn rows<'a>(model: &'a Model, pool: &Name) -> &'a [u16] {
    model.pools.get(pool).map_or(&[], |group| &group.table)
}

fn text(address: Option<Address>) -> Option<String> {
    address.map(|address| address.to_string())
}

fn altered(old: &Fields, new: &Fields) -> Option<String> {
    let text = |field: &Option<String>| field.clone().unwrap_or_else(|| "none".into());
    let pairs = old.iter().zip(new);
    let altered: Vec<_> = pairs
        .filter(|(old, new)| old != new)
        .map(|((name, old), (_, new))| format!("{name} {} -> {}", text(old), text(new)))
        .collect();
    (!altered.is_empty()).then(|| altered.join(", "))
}

fn line(sign: Sign, (noun, name): &Key, fields: String) -> Line {
    let colon = if fields.is_empty() { "" } else { ": " };
    let noun = NOUNS[usize::from(*noun)];
    Line {
        sign,
        text: format!("{noun} {name}{colon}{fields}"),
    }
}
