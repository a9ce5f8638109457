// SPDX-License-Identifier: GPL-2.0

//! Lines of access logs.

#![no_main]

use std::net::IpAddr;

use onehop_dispatch::addr::Address;
use onehopctl::analyze::line::{parse, By, Format};
use serde_json::Value;

libfuzzer_sys::fuzz_target!(|line: &[u8]| {
    for format in [Format::Auto, Format::Common, Format::Json, Format::Plain] {
        let requests = parse(line, format, By::Requests);
        if let Ok(Some((_, weight))) = requests {
            assert_eq!(weight, 1);
        }
        // Who asked does not depend on what is counted.
        if let Ok(bytes) = parse(line, format, By::Bytes) {
            let client = |it: Option<(Address, u64)>| it.map(|(client, _)| client);
            assert_eq!(requests.map(client), Ok(client(bytes)));
        }
        let ended = [line, b"\r"].concat();
        assert_eq!(parse(&ended, format, By::Requests), requests);
    }
    if let Some(client) = named(line) {
        let found = parse(line, Format::Json, By::Requests);
        assert_eq!(found, Ok(Some((client, 1))), "{}", line.escape_ascii());
    }
});

/// The client of a JSON object that has it where it counts first, read by another parser. None also
/// for what is read only by that: with escapes, or a key twice.
fn named(line: &[u8]) -> Option<Address> {
    let text = std::str::from_utf8(line).ok()?;
    if text.contains('\\') || text.matches("remote_addr").count() != 1 {
        return None;
    }
    let Value::Object(object) = serde_json::from_str(text).ok()? else {
        return None;
    };
    let address: IpAddr = object.get("remote_addr")?.as_str()?.parse().ok()?;
    Some(match address.to_canonical() {
        IpAddr::V4(address) => Address::V4(address.octets()),
        IpAddr::V6(address) => Address::V6(address.octets()),
    })
}
