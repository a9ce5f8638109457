// SPDX-License-Identifier: GPL-2.0
//! Clients, as logs write them.

use std::net::Ipv6Addr;

use onehop_dispatch::addr::Address;
use onehop_dispatch::{ipv4, ipv6};

/// The address of a word, be it in brackets, or with a port or a zone.
///
/// IPv4 is read by hand, as nearly all of it comes by here.
pub fn parse(word: &[u8]) -> Option<Address> {
    match v4(word) {
        Some((address, [])) => Some(Address::V4(address)),
        Some((address, [b':', port @ ..])) if is_number(port) => Some(Address::V4(address)),
        Some(_) => None,
        None => v6(word),
    }
}

/// Whether a packet of such a client is dispatched at all.
pub fn is_dispatched(client: Address) -> bool {
    match client {
        Address::V4(bytes) => ipv4::is_client(bytes),
        Address::V6(bytes) => ipv6::is_client(bytes),
    }
}

/// Whether a word looks like the name of a host.
pub fn is_name(word: &[u8]) -> bool {
    word.len() > 1
        && word.iter().any(u8::is_ascii_alphabetic)
        && word
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._:".contains(byte))
}

/// Four numbers, and what stands behind them.
fn v4(text: &[u8]) -> Option<([u8; 4], &[u8])> {
    let mut rest = text;
    let mut address = [0; 4];
    for (place, byte) in address.iter_mut().enumerate() {
        if place > 0 {
            rest = rest.strip_prefix(b".")?;
        }
        let mut number = 0;
        let mut digits = 0;
        while let [digit @ b'0'..=b'9', behind @ ..] = rest {
            number = number * 10 + u32::from(digit - b'0');
            digits += 1;
            rest = behind;
            if digits > 3 {
                return None;
            }
        }
        if digits == 0 {
            return None;
        }
        *byte = u8::try_from(number).ok()?;
    }
    Some((address, rest))
}

fn v6(word: &[u8]) -> Option<Address> {
    let text = match word {
        [b'[', rest @ ..] => {
            let end = rest.iter().position(|byte| *byte == b']')?;
            match &rest[end + 1..] {
                [] => {}
                [b':', port @ ..] if is_number(port) => {}
                _ => return None,
            }
            &rest[..end]
        }
        _ => word,
    };
    let zone = text.iter().position(|byte| *byte == b'%');
    let text = std::str::from_utf8(&text[..zone.unwrap_or(text.len())]).ok()?;
    let address: Ipv6Addr = text.parse().ok()?;
    // A server that listens on :: sees IPv4 clients so; on the wire they are IPv4.
    Some(match address.to_ipv4_mapped() {
        Some(mapped) => Address::V4(mapped.octets()),
        None => Address::V6(address.octets()),
    })
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    #[track_caller]
    fn is(word: &str, address: &str) {
        let address = match address.parse().unwrap() {
            IpAddr::V4(address) => Address::V4(address.octets()),
            IpAddr::V6(address) => Address::V6(address.octets()),
        };
        assert_eq!(parse(word.as_bytes()), Some(address), "{word}");
    }

    #[test]
    fn addresses() {
        is("192.0.2.1", "192.0.2.1");
        is("255.255.255.255", "255.255.255.255");
        is("192.0.2.1:5678", "192.0.2.1");
        is("::ffff:192.0.2.1", "192.0.2.1");
        is("[::ffff:192.0.2.1]:80", "192.0.2.1");
        is("2001:db8::1", "2001:db8::1");
        is("[2001:db8::1]", "2001:db8::1");
        is("[::1]:443", "::1");
        is("fe80::1%eth0", "fe80::1");
        is("[fe80::1%eth0]:443", "fe80::1");
        is("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8");
    }

    #[test]
    fn no_addresses() {
        for word in [
            "",
            "-",
            "1",
            "1.2.3",
            "1.2.3.",
            "1.2.3.4.",
            "1.2.3.4.5",
            "1.2.3.256",
            "1.2.3.4444",
            "1.2.3.4:",
            "1.2.3.4:http",
            "1.2.3.4,",
            ".1.2.3.4",
            "1..2.3",
            "[::1",
            "[::1]x",
            "[::1]:",
            "[]",
            "::1]",
            ":::",
            "2001:db8::1/64",
            "example.com",
            "é",
            "1.2.3.4\0",
        ] {
            assert_eq!(parse(word.as_bytes()), None, "{word}");
        }
        assert_eq!(parse(b"\xff\xfe::1"), None);
    }

    #[test]
    fn names() {
        for name in ["localhost", "www.example.com", "example.com:80", "a-1.b_2"] {
            assert!(is_name(name.as_bytes()), "{name}");
        }
        for word in ["", "-", "a", "192.0.2", "\"GET", "[foo]", "a/b"] {
            assert!(!is_name(word.as_bytes()), "{word}");
        }
    }
}
