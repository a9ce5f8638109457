// SPDX-License-Identifier: GPL-2.0
//! What the calls that change the configuration, APPLY, SERVER and TRANSITION, have in common.
//!
//! Their structures end alike, from `flags` to `message`.

use core::fmt;

use super::invalid::{Cause, Expected, Invalid, Value};
use super::limits::{DRY_RUN, EXPECT, MESSAGE_LEN, NOW};
use super::span::Span;
use super::text::{Actor, Message, Reason};
use super::wire::{Reader, Writer};

/// Who makes a change, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Author {
    /// Who.
    pub actor: Actor,
    /// And why.
    pub reason: Reason,
}

impl Author {
    pub(super) fn decode(reader: &mut Reader<'_>) -> Result<Self, Invalid> {
        Ok(Self {
            actor: Actor::decode("actor", reader.bytes()?)?,
            reason: Reason::decode("reason", reader.bytes()?)?,
        })
    }

    pub(super) fn encode(&self, writer: &mut Writer<'_>) {
        writer.bytes(self.actor.bytes());
        writer.bytes(self.reason.bytes());
    }
}

/// Under which condition a change is to be made, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Validate and report only.
    pub dry_run: bool,
    /// Only if this generation still stands.
    pub expected: Option<u64>,
    /// Without a transition: older functions of the pools that change end.
    pub now: bool,
    /// How long a transition lasts.
    pub span: Span,
}

impl Condition {
    /// Whether the generation that stands is the expected one, if one is.
    ///
    /// # Errors
    ///
    /// [`Cause::Stale`] if it is another.
    pub fn holds(&self, stands: u64) -> Result<(), Invalid> {
        match self.expected {
            Some(expected) if expected != stands => Err(Invalid::stale(expected, stands)),
            _ => Ok(()),
        }
    }
}

/// What a change has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The generation after the change.
    pub generation: u64,
    /// The digest after the change.
    pub digest: u64,
    /// Whether there was anything to change.
    pub changed: bool,
    /// Clients with another owner than before, in parts per million.
    pub moved: u32,
}

/// The flags of a call that changes what is wanted.
pub(super) const ALL_FLAGS: u32 = DRY_RUN | EXPECT | NOW;

/// Reads the end of a request. `allowed` are the flags that the call knows, `pad`
/// is the name of the padding behind the seconds.
pub(super) fn decode_request(
    reader: &mut Reader<'_>,
    allowed: u32,
    pad: &'static str,
) -> Result<(Condition, Author), Invalid> {
    let flags = reader.u32()?;
    if flags & !allowed != 0 {
        let words = if allowed == ALL_FLAGS {
            "a sum of 1 (dry run), 2 (expect) and 4 (now)"
        } else {
            "0 or 2 (expect)"
        };
        let value = Value::Number(flags.into());
        return Err(Invalid::new(
            Cause::Flag,
            "flags",
            value,
            Expected::Is(words),
        ));
    }
    let expected = reader.u64()?;
    if flags & EXPECT == 0 && expected != 0 {
        return Err(Invalid::new(
            Cause::Padding,
            "expected",
            Value::Number(expected),
            Expected::Is("0 without the flag 2 (expect)"),
        ));
    }
    let span = Span::decode(reader.u32()?)?;
    reader.zero::<4>(pad)?;
    reader.zero::<8>("generation")?;
    reader.zero::<8>("digest")?;
    reader.zero::<4>("changed")?;
    reader.zero::<4>("moved")?;
    let author = Author::decode(reader)?;
    reader.zero::<MESSAGE_LEN>("message")?;
    let condition = Condition {
        dry_run: flags & DRY_RUN != 0,
        expected: (flags & EXPECT != 0).then_some(expected),
        now: flags & NOW != 0,
        span,
    };
    Ok((condition, author))
}

/// Writes the end of a request.
pub(super) fn encode_request(writer: &mut Writer<'_>, condition: &Condition, author: &Author) {
    let flags = [
        (condition.dry_run, DRY_RUN),
        (condition.expected.is_some(), EXPECT),
        (condition.now, NOW),
    ];
    let set = flags.into_iter().filter(|(set, _)| *set);
    writer.u32(set.fold(0, |sum, (_, flag)| sum | flag));
    writer.u64(condition.expected.unwrap_or(0));
    writer.u32(condition.span.number());
    writer.zero::<28>();
    author.encode(writer);
}

/// Reads the end of a reply.
pub(super) fn decode_reply(reader: &mut Reader<'_>) -> Result<Outcome, Invalid> {
    reader.skip::<20>()?;
    Ok(Outcome {
        generation: reader.u64()?,
        digest: reader.u64()?,
        changed: reader.u32()? != 0,
        moved: reader.u32()?,
    })
}

/// Writes the `[out]` fields at the end of a reply over the request.
pub(super) fn encode_reply(writer: &mut Writer<'_>, outcome: &Outcome) {
    writer.keep::<20>();
    writer.u64(outcome.generation);
    writer.u64(outcome.digest);
    writer.u32(outcome.changed.into());
    writer.u32(outcome.moved);
}

/// Writes the message, which ends every structure that has one.
pub(super) fn encode_message(raw: &mut [u8], why: impl fmt::Display) {
    if let Some(message) = raw.last_chunk_mut() {
        *message = *Message::clipped(why).bytes();
    }
}

/// Reads the message of a reply. An unreadable one is as good as none.
pub(super) fn decode_message(raw: &[u8]) -> Message {
    raw.last_chunk()
        .and_then(|message| Message::decode("message", *message).ok())
        .unwrap_or_default()
}
