// SPDX-License-Identifier: GPL-2.0

//! The dispatcher's devices from their other side: two taps that `taps.py` has opened.

use crate::bed::Port;
use crate::frame::Frame;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;

/// More than any frame, with what is before it.
const ROOM: usize = 1 << 17;

pub struct Wire {
    taps: [(Port, File); 2],
    buffer: Vec<u8>,
}

impl Wire {
    /// The taps come as standard input and output: no other file that is open already can be had
    /// without unsafe code, and to open a tap takes an ioctl, which is none either.
    ///
    /// # Errors
    ///
    /// They are closed.
    pub fn open() -> io::Result<Self> {
        let wire = io::stdin().as_fd().try_clone_to_owned()?;
        let small = io::stdout().as_fd().try_clone_to_owned()?;
        Ok(Self {
            taps: [(Port::Wire, wire.into()), (Port::Small, small.into())],
            buffer: vec![0; ROOM],
        })
    }

    /// Has a frame come in on the wire. False if the tap refuses it, as it does what it cannot make a
    /// packet of.
    ///
    /// # Errors
    ///
    /// The device is down, or gone.
    pub fn send(&mut self, frame: &Frame) -> io::Result<bool> {
        match self.taps[0].1.write(&frame.encode()) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What has gone out meanwhile.
    ///
    /// # Errors
    ///
    /// As for [`send`](Self::send).
    pub fn sent(&mut self) -> io::Result<Vec<(Port, Frame)>> {
        let mut all = Vec::new();
        for (port, tap) in &mut self.taps {
            loop {
                match tap.read(&mut self.buffer) {
                    Ok(length) => {
                        all.extend(Frame::parse(&self.buffer[..length]).map(|it| (*port, it)))
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(all)
    }
}
