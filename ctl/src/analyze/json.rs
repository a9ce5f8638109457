// SPDX-License-Identifier: GPL-2.0
//! A line that is a JSON object.
//!
//! Not parsed into a tree, which would cost more than all the rest of an analysis: read once, for
//! the values of a few keys.

use onehop_dispatch::addr::Address;

use super::client;
use super::garbage::Flaw;
use super::line::{behind_string, number, By};

/// Who asked: the other end of the connection first, as that is whom onehop sees.
const CLIENTS: [&[u8]; 12] = [
    b"remote_addr",
    b"remote_ip",
    b"remoteIp",
    b"client_ip",
    b"clientip",
    b"client_addr",
    b"client",
    b"ClientHost",
    b"ClientAddr",
    b"downstream_remote_address",
    b"remote_host",
    b"ip",
];
/// How much was sent: of bodies first, as in the common format.
const SIZES: [&[u8]; 7] = [
    b"body_bytes_sent",
    b"bytes_sent",
    b"bytes",
    b"size",
    b"response_size",
    b"responseSize",
    b"DownstreamContentSize",
];
/// Objects in the object that are looked into. Not all: the headers of a request are the client's
/// to choose, keys included.
const INNER: [&[u8]; 2] = [b"request", b"httpRequest"];

pub fn parse(line: &[u8], by: By) -> Result<(Address, u64), Flaw> {
    let mut found = Found::default();
    scan(line, &mut found).ok_or(Flaw::Address)?;
    let client = match (found.client, found.named) {
        (Some((_, client)), _) => client,
        (None, true) => return Err(Flaw::Name),
        (None, false) => return Err(Flaw::Address),
    };
    match (by, found.size) {
        (By::Requests, _) => Ok((client, 1)),
        (By::Bytes, Some((_, size))) => Ok((client, size)),
        (By::Bytes, None) => Err(Flaw::Size),
    }
}

/// The best values so far, by the place of their keys.
#[derive(Default)]
struct Found {
    client: Option<(usize, Address)>,
    named: bool,
    size: Option<(usize, u64)>,
}

impl Found {
    fn take(&mut self, key: &[u8], value: &[u8], is_string: bool) {
        if let Some(place) = CLIENTS.iter().position(|name| *name == key) {
            match client::parse(value) {
                // Null is nobody's name.
                _ if !is_string => {}
                Some(client) => better(&mut self.client, place, client),
                None => self.named |= client::is_name(value),
            }
        } else if let Some(place) = SIZES.iter().position(|name| *name == key) {
            if let Some(size) = number(value) {
                better(&mut self.size, place, size);
            }
        }
    }
}

fn better<T>(best: &mut Option<(usize, T)>, place: usize, value: T) {
    if best.as_ref().is_none_or(|(other, _)| place < *other) {
        *best = Some((place, value));
    }
}

/// Goes through a whole object; none if it is not one.
fn scan(line: &[u8], found: &mut Found) -> Option<()> {
    let mut rest = line.strip_prefix(b"{")?;
    let mut depth = 1;
    let mut inner = false;
    while depth > 0 {
        let (first, behind) = rest.split_first()?;
        rest = behind;
        match first {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let key = string(&mut rest)?;
                // Only a key has a colon behind it.
                let Some(value) = rest.trim_ascii_start().strip_prefix(b":") else {
                    continue;
                };
                rest = value.trim_ascii_start();
                if depth == 1 {
                    inner = INNER.contains(&key);
                }
                let (value, is_string) = match rest.first()? {
                    b'{' | b'[' => continue,
                    b'"' => {
                        rest = &rest[1..];
                        (string(&mut rest)?, true)
                    }
                    _ => (scalar(&mut rest), false),
                };
                if depth == 1 || (depth == 2 && inner) {
                    found.take(key, value, is_string);
                }
            }
            _ => {}
        }
    }
    Some(())
}

/// Takes the rest of a string.
fn string<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let behind = behind_string(rest)?;
    let string = &rest[..rest.len() - behind.len() - 1];
    *rest = behind;
    Some(string)
}

/// Takes a number or a word.
fn scalar<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let end = rest.iter().position(|byte| b",}] \t".contains(byte));
    let (scalar, behind) = rest.split_at(end.unwrap_or(rest.len()));
    *rest = behind;
    scalar
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: Address = Address::V4([192, 0, 2, 1]);

    fn read(line: &str) -> Result<(Address, u64), Flaw> {
        parse(line.as_bytes(), By::Bytes)
    }

    #[test]
    fn objects() {
        for line in [
            r#"{"remote_addr":"192.0.2.1","bytes_sent":7}"#,
            r#"{ "ip" : "10.0.0.1", "size" : "7" , "remote_addr" : "192.0.2.1:99" }"#,
            r#"{"size":3,"body_bytes_sent":7,"a":[1,{"b":"}\\"}],"client_ip":"192.0.2.1"}"#,
            r#"{"request":{"remote_ip":"192.0.2.1","headers":{"client":["10.0.0.1"]}},"size":7}"#,
            r#"{"agent":"\",\"remote_addr\":\"10.0.0.1","client":"192.0.2.1","bytes":7}"#,
            r#"{"remote_addr":"www.example.com","ip":"192.0.2.1","bytes":7}"#,
        ] {
            assert_eq!(read(line), Ok((CLIENT, 7)), "{line}");
        }
    }

    #[test]
    fn flaws() {
        for line in [
            r#"{"remote_addr":"192.0.2.1","#,
            r#"{"remote_addr":"192.0.2.1"#,
            r#"{"headers":{"remote_addr":"192.0.2.1"}}"#,
            r#"{"request":{"x":{"remote_addr":"192.0.2.1"}}}"#,
            r#"{"request":1,"other":{"remote_addr":"192.0.2.1"}}"#,
            r#"["remote_addr","192.0.2.1"]"#,
            r#"{"list":["remote_addr","192.0.2.1"]}"#,
            r#"{"remote_addr":null}"#,
            r#"{"remote_addr":"#,
            "{}",
            "{",
        ] {
            assert_eq!(read(line), Err(Flaw::Address), "{line}");
        }
        let named = r#"{"client":"www.example.com"}"#;
        assert_eq!(read(named), Err(Flaw::Name));
        let no_size = r#"{"client":"192.0.2.1","size":-1}"#;
        assert_eq!(read(no_size), Err(Flaw::Size));
    }
}
