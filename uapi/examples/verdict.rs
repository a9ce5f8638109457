// SPDX-License-Identifier: GPL-2.0

//! What the interface says of requests before anybody looks at what stands: the code that the
//! module runs, asked on the host's side of it. `selftests/calls.py` compares the two.
//!
//! Reads lines `KIND HEX`, KIND being IMAGE or the name of a command. Writes a line each: the errno,
//! 0 if the bytes are valid, and the message.

use std::io::{self, BufRead, Error, ErrorKind, Write};

use onehop_uapi::{
    check, Answer, Apply, Dump, Image, Info, Invalid, Lookup, Set, Stats, Transition,
};

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        match line.split_once(' ').and_then(|(kind, hex)| ask(kind, hex)) {
            Some(Ok(())) => writeln!(output, "0")?,
            Some(Err(invalid)) => writeln!(output, "{} {invalid}", invalid.errno())?,
            None => {
                let why = format!("'{line:.60}' must be a kind and as many bytes in hex as it has");
                return Err(Error::new(ErrorKind::InvalidData, why));
            }
        }
        output.flush()?;
    }
    Ok(())
}

/// None: no question.
fn ask(kind: &str, hex: &str) -> Option<Result<(), Invalid>> {
    let raw = bytes(hex)?;
    Some(match kind {
        "IMAGE" => image(&raw),
        "INFO" => Info::check(raw.first_chunk()?),
        "APPLY" => Apply::decode(raw.first_chunk()?).map(drop),
        "DUMP" => Dump::decode(raw.first_chunk()?).map(drop),
        "SERVER" => Set::decode(raw.first_chunk()?).map(drop),
        "TRANSITION" => Transition::decode(raw.first_chunk()?).map(drop),
        "LOOKUP" => Lookup::decode(raw.first_chunk()?).map(drop),
        "ANSWER" => Answer::decode(raw.first_chunk()?).map(drop),
        "STATS" => Stats::decode(raw.first_chunk()?).map(drop),
        _ => return None,
    })
}

fn image(raw: &[u8]) -> Result<(), Invalid> {
    let image = Image::new(raw)?;
    check::image(&image, &mut vec![0; check::scratch_len(&image)])
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = hex.as_bytes().chunks(2).map(|pair| match *pair {
        [high, low] => u8::try_from(digit(high)? << 4 | digit(low)?).ok(),
        _ => None,
    });
    pairs.collect()
}
