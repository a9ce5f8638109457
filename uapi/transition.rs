// SPDX-License-Identifier: GPL-2.0
//! `struct onehop_transition`.

use core::fmt;

use super::change::{self, Author, Condition, Outcome};
use super::invalid::{Cause, Expected, Invalid, Value};
use super::limits::EXPECT;
use super::name::Name;
use super::span::Span;
use super::text::Message;
use super::wire::{Reader, Writer};

/// What becomes of the older functions of a pool (`enum onehop_verb` and the seconds).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// `ONEHOP_VERB_COMMIT`: all are retired now.
    Commit,
    /// `ONEHOP_VERB_ABORT`: the oldest becomes the newest again.
    Abort,
    /// `ONEHOP_VERB_EXTEND`: none is retired for so long.
    Extend(Span),
}

const VERBS: &[(&str, u8)] = &[("commit", 1), ("abort", 2), ("extend", 3)];

impl Verb {
    fn decode(number: u8, span: Span) -> Result<Self, Invalid> {
        let refuse = |words| {
            let value = Value::Number(span.number().into());
            let expected = Expected::Is(words);
            Err(Invalid::new(Cause::Range, "seconds", value, expected))
        };
        match (number, span) {
            (1, Span::Default) => Ok(Self::Commit),
            (2, Span::Default) => Ok(Self::Abort),
            (3, Span::Seconds(_) | Span::Forever) => Ok(Self::Extend(span)),
            (1 | 2, _) => refuse("0 without verb extend"),
            (3, Span::Default) => {
                refuse("from 1 to 604800, or 4294967295 (until commit), with verb extend")
            }
            _ => Err(Invalid::new(
                Cause::Enumeration,
                "verb",
                Value::Number(number.into()),
                Expected::OneOf(VERBS),
            )),
        }
    }

    fn numbers(self) -> (u8, Span) {
        match self {
            Self::Commit => (1, Span::Default),
            Self::Abort => (2, Span::Default),
            Self::Extend(span) => (3, span),
        }
    }
}

/// The request to end, to undo or to lengthen a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Of this pool.
    pub pool: Name,
    /// What to do.
    pub verb: Verb,
    /// When to do it. There is nothing but the expected generation.
    pub condition: Condition,
    /// Who wants it, and why.
    pub author: Author,
}

impl Transition {
    /// Bytes of the structure.
    pub const SIZE: usize = 432;

    /// Reads a request.
    ///
    /// # Errors
    ///
    /// The first field that is not valid.
    pub fn decode(raw: &[u8; Self::SIZE]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(raw);
        let pool = Name::decode("pool", reader.bytes()?)?;
        let verb = reader.u8()?;
        reader.zero::<3>("pad")?;
        let (condition, author) = change::decode_request(&mut reader, EXPECT, "pad2")?;
        Ok(Self {
            pool,
            verb: Verb::decode(verb, condition.span)?,
            condition: Condition {
                span: Span::Default,
                ..condition
            },
            author,
        })
    }

    /// Writes a request.
    pub fn encode(&self) -> [u8; Self::SIZE] {
        let (verb, span) = self.verb.numbers();
        let condition = Condition {
            span,
            ..self.condition
        };
        let mut raw = [0; Self::SIZE];
        let mut writer = Writer::new(&mut raw);
        writer.bytes(self.pool.bytes());
        writer.u8(verb);
        writer.zero::<3>();
        change::encode_request(&mut writer, &condition, &self.author);
        raw
    }

    /// Makes a request the reply to it.
    pub fn reply(raw: &mut [u8; Self::SIZE], outcome: &Outcome) {
        let mut writer = Writer::new(raw);
        writer.keep::<36>();
        change::encode_reply(&mut writer, outcome);
    }

    /// Says in a request why it is refused.
    pub fn refuse(raw: &mut [u8; Self::SIZE], why: impl fmt::Display) {
        change::encode_message(raw, why);
    }

    /// Reads the reply of a call that succeeded.
    ///
    /// # Errors
    ///
    /// None that the module's replies could cause.
    pub fn outcome(raw: &[u8; Self::SIZE]) -> Result<Outcome, Invalid> {
        let mut reader = Reader::new(raw);
        reader.skip::<36>()?;
        change::decode_reply(&mut reader)
    }

    /// Reads the message of a call that failed.
    pub fn message(raw: &[u8; Self::SIZE]) -> Message {
        change::decode_message(raw)
    }
}
