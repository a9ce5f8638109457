// SPDX-License-Identifier: GPL-2.0
//! How a change is made: what becomes of connections, by whom, and why.

use clap::Args;
use onehop_uapi::limits::MAX_SECONDS;
use onehop_uapi::{Author, Condition, Span};

use crate::value::AuthorArgs;
use crate::Context;

/// What becomes of existing connections of clients that move.
#[derive(Args)]
pub struct HowArgs {
    /// Move existing connections too, without a transition
    #[arg(long, conflicts_with = "span")]
    pub now: bool,
    /// How long connections stay where they began: seconds, or 90s, 5m, 1h, 2d, or
    /// none (until commit); by default net.onehop.transition_seconds
    #[arg(long = "for", value_name = "TIME", value_parser = span)]
    span: Option<Span>,
}

impl HowArgs {
    pub fn condition(&self) -> Condition {
        Condition {
            now: self.now,
            span: self.span.unwrap_or_default(),
            ..Condition::default()
        }
    }
}

/// The same, and who makes the change, and why.
#[derive(Args)]
pub struct TermsArgs {
    #[command(flatten)]
    pub how: HowArgs,
    #[command(flatten)]
    author: AuthorArgs,
}

impl TermsArgs {
    pub fn terms(&self, context: &Context<'_>) -> Terms {
        Terms {
            condition: self.how.condition(),
            author: self.author.author(context),
        }
    }
}

/// On what terms a change is made.
#[derive(Clone, Copy)]
pub struct Terms {
    pub condition: Condition,
    pub author: Author,
}

/// A time as people write it.
pub fn span(text: &str) -> Result<Span, String> {
    let seconds = match text {
        "none" => return Ok(Span::Forever),
        text => seconds(text).filter(|seconds| (1..=MAX_SECONDS).contains(seconds)),
    };
    seconds.map(Span::Seconds).ok_or_else(|| {
        format!("time \"{text}\" must be from 1s to 7d, as in 90, 90s, 5m, 1h, 2d, or none")
    })
}

fn seconds(text: &str) -> Option<u32> {
    let units = [('s', 1), ('m', 60), ('h', 3600), ('d', 86400)];
    let mut parts = units
        .into_iter()
        .filter_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)));
    let (number, unit) = parts.next().unwrap_or((text, 1));
    // A number may have a sign, a time has none.
    let all_digits = number.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.parse::<u32>().ok().filter(|_| all_digits);
    number?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let good = [
            ("90", 90),
            ("90s", 90),
            ("5m", 300),
            ("1h", 3600),
            ("2d", 172_800),
            ("7d", 604_800),
        ];
        for (text, seconds) in good {
            assert_eq!(span(text), Ok(Span::Seconds(seconds)), "{text}");
        }
        assert_eq!(span("none"), Ok(Span::Forever));
        for text in [
            "",
            "s",
            "0",
            "0s",
            "8d",
            "604801",
            "+5",
            "-5",
            "1.5h",
            "5 m",
            "9999999999d",
        ] {
            let why = format!(
                "time \"{text}\" must be from 1s to 7d, as in 90, 90s, 5m, 1h, 2d, or none"
            );
            assert_eq!(span(text), Err(why));
        }
    }
}
