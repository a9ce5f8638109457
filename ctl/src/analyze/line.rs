// SPDX-License-Identifier: GPL-2.0
//! A line of a log: who asked, and how much that weighs.

use memchr::{memchr, memchr2};
use onehop_dispatch::addr::Address;

use super::client;
use super::garbage::Flaw;
use super::json;

/// How a log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Each line as it looks
    #[default]
    Auto,
    /// The common or combined log format
    Common,
    /// A JSON object a line
    Json,
    /// An address a line
    Plain,
}

/// What is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    /// Each request as one
    #[default]
    Requests,
    /// The bytes that were sent
    Bytes,
}

impl By {
    /// As reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Bytes => "bytes",
        }
    }
}

/// The client of a line, and its weight; none for a blank line.
pub fn parse(line: &[u8], format: Format, by: By) -> Result<Option<(Address, u64)>, Flaw> {
    // A log that is truncated while it is written begins with a hole.
    let hole = line.iter().take_while(|byte| **byte == 0).count();
    let line = line[hole..].trim_ascii();
    if line.is_empty() && hole == 0 {
        return Ok(None);
    }
    let entry = match (format, line.first()) {
        (Format::Json, _) | (Format::Auto, Some(b'{')) => json::parse(line, by),
        (Format::Plain, _) => plain(line, by),
        (Format::Common, _) => common(line, by),
        (Format::Auto, _) => match memchr(b' ', line) {
            Some(_) => common(line, by),
            None => plain(line, by),
        },
    };
    entry.map(Some)
}

fn plain(line: &[u8], by: By) -> Result<(Address, u64), Flaw> {
    let client = address(line)?;
    match by {
        By::Requests => Ok((client, 1)),
        By::Bytes => Err(Flaw::Size),
    }
}

/// `ADDRESS IDENT USER [TIME] "REQUEST" STATUS BYTES ...`, perhaps with the virtual host in front.
fn common(line: &[u8], by: By) -> Result<(Address, u64), Flaw> {
    let (word, rest) = word(line);
    let (client, rest) = match address(word) {
        Ok(client) => (client, rest),
        Err(flaw) => {
            let (word, rest) = self::word(rest);
            (address(word).map_err(|_| flaw)?, rest)
        }
    };
    // The time in brackets, then the request: other texts may begin with an address too.
    let time = memchr2(b'[', b'"', rest).filter(|at| rest[*at] == b'[');
    let time = time.ok_or(Flaw::Address)?;
    let request = memchr(b'"', &rest[time..]).ok_or(Flaw::Address)?;
    match by {
        By::Requests => Ok((client, 1)),
        By::Bytes => {
            let behind = behind_string(&rest[time + request + 1..]).ok_or(Flaw::Size)?;
            Ok((client, size(behind).ok_or(Flaw::Size)?))
        }
    }
}

fn address(word: &[u8]) -> Result<Address, Flaw> {
    client::parse(word).ok_or(match client::is_name(word) {
        true => Flaw::Name,
        false => Flaw::Address,
    })
}

fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr(b' ', text).unwrap_or(text.len());
    (&text[..end], text.get(end + 1..).unwrap_or_default())
}

/// What stands behind a string that has begun. A quote in it has a backslash in front.
pub fn behind_string(text: &[u8]) -> Option<&[u8]> {
    let mut from = 0;
    loop {
        let quote = from + memchr(b'"', &text[from..])?;
        let before = text[from..quote].iter().rev();
        if before.take_while(|byte| **byte == b'\\').count() % 2 == 0 {
            return Some(&text[quote + 1..]);
        }
        from = quote + 1;
    }
}

/// The second of two words: the first is the status.
fn size(text: &[u8]) -> Option<u64> {
    let (_, rest) = word(text.strip_prefix(b" ")?);
    number(word(rest).0)
}

/// A number, or `-` for none.
pub fn number(word: &[u8]) -> Option<u64> {
    match word {
        [] => None,
        b"-" => Some(0),
        digits => digits.iter().try_fold(0u64, |number, digit| {
            let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
            number.checked_mul(10)?.checked_add(digit)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: Address = Address::V4([192, 0, 2, 1]);

    fn auto(line: &str) -> Result<Option<(Address, u64)>, Flaw> {
        parse(line.as_bytes(), Format::Auto, By::Requests)
    }

    fn bytes(line: &str) -> Result<Option<(Address, u64)>, Flaw> {
        parse(line.as_bytes(), Format::Auto, By::Bytes)
    }

    #[test]
    fn lines() {
        let line = r#"192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /\"a\\" 200 203 "-" "x""#;
        assert_eq!(auto(line), Ok(Some((CLIENT, 1))));
        assert_eq!(bytes(line), Ok(Some((CLIENT, 203))));
        let none = line.replace("203", "-");
        assert_eq!(bytes(&none), Ok(Some((CLIENT, 0))));
        assert_eq!(auto(&format!("{line}\r")), Ok(Some((CLIENT, 1))));
        assert_eq!(auto(&format!("\0\0\0{line}")), Ok(Some((CLIENT, 1))));
        let open = line.replace(r"\\", r"\");
        assert_eq!(auto(&open), Ok(Some((CLIENT, 1))));
        assert_eq!(bytes(&open), Err(Flaw::Size));
        let host = format!("www.example.com:443 {line}");
        assert_eq!(bytes(&host), Ok(Some((CLIENT, 203))));
        assert_eq!(auto("192.0.2.1"), Ok(Some((CLIENT, 1))));
        assert_eq!(auto("  [::ffff:192.0.2.1]:80 \r"), Ok(Some((CLIENT, 1))));
        assert_eq!(auto(""), Ok(None));
        assert_eq!(auto(" \r"), Ok(None));
    }

    #[test]
    fn flaws() {
        assert_eq!(auto("www.example.com"), Err(Flaw::Name));
        assert_eq!(
            auto("www.example.com - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1"),
            Err(Flaw::Name)
        );
        assert_eq!(auto("192.0.2.1 is down"), Err(Flaw::Address));
        assert_eq!(auto("192.0.2.1 - - [17/May/2015:10:0"), Err(Flaw::Address));
        assert_eq!(auto("192.0.2.1 - - \"[\""), Err(Flaw::Address));
        assert_eq!(auto("\0\0\0"), Err(Flaw::Address));
        assert_eq!(auto("- - - [x] \"\" 200 1"), Err(Flaw::Address));
        assert_eq!(bytes("192.0.2.1"), Err(Flaw::Size));
        for behind in [
            "",
            " 200",
            " 200 ",
            " 200 x",
            " 200 99999999999999999999",
            "200 1",
        ] {
            let line = format!("192.0.2.1 - - [17/May/2015] \"GET /\"{behind}");
            assert_eq!(bytes(&line), Err(Flaw::Size), "{line}");
        }
        let json = br#"{"remote_addr":"192.0.2.1"}"#;
        assert_eq!(
            parse(json, Format::Json, By::Requests),
            Ok(Some((CLIENT, 1)))
        );
        assert_eq!(parse(json, Format::Plain, By::Requests), Err(Flaw::Address));
        assert_eq!(
            parse(b"192.0.2.1", Format::Json, By::Requests),
            Err(Flaw::Address)
        );
        assert_eq!(
            parse(b"192.0.2.1", Format::Common, By::Requests),
            Err(Flaw::Address)
        );
    }
}
