// SPDX-License-Identifier: GPL-2.0

//! The words of a question stream.

use std::net::IpAddr;

use onehop_dispatch::addr::Address;
use onehop_dispatch::function::Kind;
use onehop_dispatch::hash::{RowCount, NONE};
use onehop_dispatch::prefix::Prefix;
use onehop_dispatch::refusal::Refusal;
use onehop_dispatch::server::{ServerId, State};
use onehop_dispatch::siphash::Keyed;

use super::Result;

pub fn kind(kind: &str, seed: &str, rows: &str) -> Result<Kind> {
    if kind == "mod" {
        return Ok(Kind::Mod);
    }
    let seed = u128::from_str_radix(seed, 16).map_err(|error| error.to_string())?;
    let keyed = Keyed::new(seed.to_be_bytes());
    let rows = refuse(RowCount::new(number(rows)?))?;
    match kind {
        "hash" => Ok(Kind::Hash { keyed, rows }),
        "table" => Ok(Kind::Table { keyed, rows }),
        _ => Err("expected kind hash, mod or table".into()),
    }
}

/// Some rows' owner, and how many rows.
pub fn owners(word: &str) -> Result<(u16, usize)> {
    let (owner, count) = word.split_once('*').unwrap_or((word, "1"));
    let owner = match owner {
        "-" => NONE,
        _ => refuse(ServerId::new(number(owner)?))?.get(),
    };
    Ok((owner, number(count)? as usize))
}

pub fn prefix(word: &str) -> Result<Prefix> {
    let (network, bits) = word.split_once('/').ok_or("expected ADDRESS/BITS")?;
    refuse(Prefix::new(address(network)?, number(bits)?))
}

pub fn state(state: &str) -> Result<State> {
    match state {
        "up" => Ok(State::Up),
        "drain" => Ok(State::Drain),
        "down" => Ok(State::Down),
        _ => Err("expected up, drain or down".into()),
    }
}

pub fn optional(word: &str) -> Result<Option<Address>> {
    match word {
        "-" => Ok(None),
        _ => address(word).map(Some),
    }
}

pub fn address(word: &str) -> Result<Address> {
    match word.parse::<IpAddr>() {
        Ok(IpAddr::V4(v4)) => Ok(Address::V4(v4.octets())),
        Ok(IpAddr::V6(v6)) => Ok(Address::V6(v6.octets())),
        Err(error) => Err(error.to_string()),
    }
}

pub fn number(word: &str) -> Result<u32> {
    word.parse().map_err(|error| format!("\"{word}\": {error}"))
}

pub fn refuse<T>(result: std::result::Result<T, Refusal>) -> Result<T> {
    result.map_err(|refusal| refusal.to_string())
}
