// SPDX-License-Identifier: GPL-2.0
//! Which pool a verb is about, when it has not been said or has been misspelt.

use onehop_uapi::{Address, Name};

use crate::model::Model;
use crate::Error;

/// The pool that was named, or the only one there is.
pub fn pool(model: &Model, named: Option<Name>) -> Result<Name, Error> {
    if let Some(name) = named {
        return match model.pools.contains_key(&name) {
            true => Ok(name),
            false => Err(Error::Refused(format!(
                "pool \"{name}\" {}",
                not_among(model.pools.keys())
            ))),
        };
    }
    let mut names = model.pools.keys();
    match (names.next(), names.next()) {
        (Some(name), None) => Ok(*name),
        (None, _) => Err(Error::refused(
            "there is no pool yet: add one with onehopctl pool add",
        )),
        (Some(_), Some(_)) => Err(Error::Refused(format!(
            "--pool must be one of {}",
            quoted(model.pools.keys())
        ))),
    }
}

/// The pool that was named, or the only one that has such a server.
pub fn pool_of_server(model: &Model, named: Option<Name>, server: Name) -> Result<Name, Error> {
    if named.is_some() {
        return pool(model, named);
    }
    let groups = model.pools.values();
    let with: Vec<_> = groups
        .filter(|group| group.servers.contains_key(&server))
        .map(|group| &group.pool.name)
        .collect();
    match with[..] {
        [name] => Ok(*name),
        [] => {
            let servers = model.pools.values().flat_map(|group| group.servers.keys());
            Err(Error::Refused(format!(
                "server \"{server}\" {}",
                not_among(servers)
            )))
        }
        _ => Err(Error::Refused(format!(
            "server \"{server}\" is in more than one pool: --pool must be one of {}",
            quoted(with.iter().copied())
        ))),
    }
}

/// The pool that has a ghost.
pub fn pool_of_ghost(model: &Model, ghost: Address) -> Result<Name, Error> {
    model
        .pool_of(ghost)
        .ok_or_else(|| Error::Refused(format!("ghost \"{ghost}\" is not there")))
}

/// Says that a name is not among those there are.
pub fn not_among<'a>(names: impl Iterator<Item = &'a Name>) -> String {
    match quoted(names) {
        names if names.is_empty() => "is not there: there is none".into(),
        names => format!("is not there: there is {names}"),
    }
}

/// Names in quotes, a dozen at most.
pub fn quoted<'a>(names: impl IntoIterator<Item = &'a Name>) -> String {
    let mut names: Vec<_> = names
        .into_iter()
        .map(|name| format!("\"{name}\""))
        .collect();
    names.sort();
    names.dedup();
    if names.len() > 12 {
        names.truncate(12);
        names.push("...".into());
    }
    names.join(", ")
}
