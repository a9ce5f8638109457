// SPDX-License-Identifier: GPL-2.0
//! Values of the command line.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use clap::Args;
use onehop_uapi::{Address, Author, DeviceName, Name, Prefix, Text};

use crate::{seed, Context};

pub fn name(text: &str) -> Result<Name, String> {
    Name::new("name", text).map_err(|invalid| invalid.to_string())
}

pub fn device(text: &str) -> Result<DeviceName, String> {
    DeviceName::new(text).map_err(|invalid| invalid.to_string())
}

pub fn address(text: &str) -> Result<Address, String> {
    of_either_family("address", text)
}

pub fn client(text: &str) -> Result<Address, String> {
    of_either_family("client", text)
}

fn of_either_family(noun: &str, text: &str) -> Result<Address, String> {
    text.parse::<IpAddr>()
        .map(Address::from)
        .map_err(|_| format!("{noun} \"{text}\" must be an IPv4 or IPv6 address"))
}

/// Clients: an address with a number of bits, or a whole one.
pub fn prefix(text: &str) -> Result<Prefix, String> {
    let (address, bits) = match text.split_once('/') {
        Some((address, bits)) => (address, Some(bits)),
        None => (text, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let address = address.parse::<IpAddr>().ok();
    let bits = match (address, bits) {
        (Some(IpAddr::V4(_)), None) => Some(32),
        (Some(IpAddr::V6(_)), None) => Some(128),
        (_, bits) => bits.and_then(|bits| bits.parse::<u8>().ok().filter(|_| digits(bits))),
    };
    let Some((address, bits)) = address.zip(bits) else {
        return Err(format!(
            "prefix \"{text}\" must be an IPv4 or IPv6 address and its bits, as in 203.0.113.0/24"
        ));
    };
    Prefix::new(address.into(), bits).map_err(|invalid| match invalid.field {
        // Which prefix it is of the sentence would not say.
        "bits" => format!("prefix \"{text}\": {invalid}"),
        _ => invalid.to_string(),
    })
}

/// An address of one family that a server shall have, or none.
#[derive(Clone, Copy)]
pub struct Own<const N: usize>(pub Option<[u8; N]>);

pub fn own4(text: &str) -> Result<Own<4>, String> {
    own(text, |text| Some(text.parse::<Ipv4Addr>().ok()?.octets()))
        .ok_or_else(|| format!("address \"{text}\" must be an IPv4 address or none"))
}

pub fn own6(text: &str) -> Result<Own<16>, String> {
    own(text, |text| Some(text.parse::<Ipv6Addr>().ok()?.octets()))
        .ok_or_else(|| format!("address6 \"{text}\" must be an IPv6 address or none"))
}

fn own<const N: usize>(text: &str, parse: fn(&str) -> Option<[u8; N]>) -> Option<Own<N>> {
    match text {
        "none" => Some(Own(None)),
        text => parse(text).map(|address| Own(Some(address))),
    }
}

pub fn seed(text: &str) -> Result<[u8; 16], String> {
    seed::parse(text).ok_or_else(|| format!("seed \"{text}\" must be {}", seed::EXPECTED))
}

pub fn answer(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("answer \"{text}\" must be on or off")),
    }
}

/// A parser of an enumeration, by the names that it has for people.
macro_rules! named {
    ($($function:ident $type:ident)*) => {$(
        pub fn $function(text: &str) -> Result<onehop_uapi::$type, String> {
            onehop_uapi::$type::from_name(text).ok_or_else(|| {
                let names: Vec<_> = onehop_uapi::$type::ALL.iter().map(|it| it.name()).collect();
                let field = stringify!($function);
                format!("{field} \"{text}\" must be {}", names.join(" or "))
            })
        }
    )*};
}

named!(mode Mode shape Shape method Method kind Kind policy Policy admin Admin);

/// Who makes a change, and why.
#[derive(Args)]
pub struct AuthorArgs {
    /// Why; kept and shown with the change (the first 63 bytes)
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    reason: String,
    /// Who; by default the calling process, as name(pid) (the first 31 bytes)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    actor: Option<String>,
}

impl AuthorArgs {
    /// Cut to fit rather than refused: a watchdog that reports a server down with
    /// a long excuse is to be heard.
    pub fn author(&self, context: &Context<'_>) -> Author {
        Author {
            actor: cut(self.actor.as_ref().unwrap_or(&context.caller)),
            reason: cut(&self.reason),
        }
    }
}

fn cut<const N: usize>(text: &str) -> Text<N> {
    let printable = |c: char| Text::<N>::new("text", c.encode_utf8(&mut [0; 4])).is_ok();
    let text: String = text
        .chars()
        .map(|c| if printable(c) { c } else { '?' })
        .collect();
    Text::clipped(text)
}
