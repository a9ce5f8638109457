// SPDX-License-Identifier: GPL-2.0
//! Two cursors over the bytes of a structure.

use super::invalid::{Cause, Expected, Invalid, Value};

/// Reads the fields of a structure one after another.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(raw: &'a [u8]) -> Self {
        Self { rest: raw }
    }

    pub(super) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Invalid> {
        match self.rest.split_first_chunk() {
            Some((head, tail)) => {
                self.rest = tail;
                Ok(*head)
            }
            None => Err(Invalid::new(
                Cause::Length,
                "structure",
                Value::None,
                Expected::Is("complete"),
            )),
        }
    }

    pub(super) fn u8(&mut self) -> Result<u8, Invalid> {
        self.bytes().map(u8::from_ne_bytes)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Invalid> {
        self.bytes().map(u16::from_ne_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Invalid> {
        self.bytes().map(u32::from_ne_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Invalid> {
        self.bytes().map(u64::from_ne_bytes)
    }

    /// Reads bytes that have to be zero: padding, or an `[out]` field of a request.
    pub(super) fn zero<const N: usize>(&mut self, field: &'static str) -> Result<(), Invalid> {
        let bytes: [u8; N] = self.bytes()?;
        match bytes.iter().find(|&&byte| byte != 0) {
            None => Ok(()),
            Some(&byte) => Err(Invalid::new(
                Cause::Padding,
                field,
                Value::Number(byte.into()),
                Expected::Is("zero in every byte"),
            )),
        }
    }

    /// Passes over bytes that mean nothing to the reader.
    pub(super) fn skip<const N: usize>(&mut self) -> Result<(), Invalid> {
        self.bytes::<N>().map(|_| ())
    }
}

/// Writes the fields of a structure one after another.
///
/// What does not fit is left out: the sizes are constants, and the tests compare
/// each with what the C compiler says.
pub(super) struct Writer<'a> {
    rest: &'a mut [u8],
}

impl<'a> Writer<'a> {
    pub(super) fn new(raw: &'a mut [u8]) -> Self {
        Self { rest: raw }
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        let rest = core::mem::take(&mut self.rest);
        if let Some((head, tail)) = rest.split_at_mut_checked(bytes.len()) {
            head.copy_from_slice(bytes);
            self.rest = tail;
        }
    }

    pub(super) fn u8(&mut self, value: u8) {
        self.bytes(&value.to_ne_bytes());
    }

    pub(super) fn u16(&mut self, value: u16) {
        self.bytes(&value.to_ne_bytes());
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.bytes(&value.to_ne_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.bytes(&value.to_ne_bytes());
    }

    pub(super) fn zero<const N: usize>(&mut self) {
        self.bytes(&[0; N]);
    }

    /// Leaves bytes as they are: the `[in]` fields in front of a reply's.
    pub(super) fn keep<const N: usize>(&mut self) {
        let rest = core::mem::take(&mut self.rest);
        self.rest = rest.get_mut(N..).unwrap_or_default();
    }
}
