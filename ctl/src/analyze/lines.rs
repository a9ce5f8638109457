// SPDX-License-Identifier: GPL-2.0
//! A stream, line by line, in constant memory.

use std::io::{self, ErrorKind, Read};

use memchr::memchr_iter;

/// How much is read at once; of a longer line only so much is seen.
const CHUNK: usize = 256 << 10;

/// Gives each line, without its end, to `take`, and calls `pause` after each chunk.
///
/// What follows the last end of a line is a line too, except before an error: then nobody knows
/// what is missing of it.
pub fn read(
    reader: &mut dyn Read,
    mut take: impl FnMut(&[u8]),
    mut pause: impl FnMut(),
) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK];
    let mut filled = 0;
    // Whether what is read belongs to a line that has been given away.
    let mut surplus = false;
    loop {
        let count = match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut start = 0;
        for end in memchr_iter(b'\n', &buffer[filled..filled + count]) {
            let end = filled + end;
            if !surplus {
                take(&buffer[start..end]);
            }
            surplus = false;
            start = end + 1;
        }
        buffer.copy_within(start..filled + count, 0);
        filled = filled + count - start;
        if surplus {
            filled = 0;
        } else if filled == CHUNK {
            take(&buffer);
            surplus = true;
            filled = 0;
        }
        pause();
    }
    if filled > 0 {
        take(&buffer[..filled]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives so many bytes at once, then an error if there is to be one.
    struct Drops<'a>(&'a [u8], usize, bool);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() && self.2 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let most = self.1.min(buffer.len());
            self.0.read(&mut buffer[..most])
        }
    }

    fn lengths(text: &[u8], at_once: usize, fails: bool) -> (Vec<usize>, bool) {
        let mut lengths = Vec::new();
        let mut drops = Drops(text, at_once, fails);
        let result = read(&mut drops, |line| lengths.push(line.len()), || ());
        (lengths, result.is_err())
    }

    #[test]
    fn lines() {
        for at_once in [1, 2, 3, 7, usize::MAX] {
            let of = |text: &[u8]| lengths(text, at_once, false);
            assert_eq!(of(b""), (vec![], false));
            assert_eq!(of(b"\n"), (vec![0], false));
            assert_eq!(of(b"a\nbb\n\nccc"), (vec![1, 2, 0, 3], false));
            assert_eq!(lengths(b"a\nbb\nccc", at_once, true), (vec![1, 2], true));
        }
    }

    #[test]
    fn long_lines() {
        for length in [CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 4 * CHUNK + 5] {
            for at_once in [100_000, usize::MAX] {
                let mut text = vec![b'x'; length];
                text.extend(b"\nyy\n");
                let seen = length.min(CHUNK);
                assert_eq!(lengths(&text, at_once, false), (vec![seen, 2], false));
                assert_eq!(
                    lengths(&text[..length], at_once, false),
                    (vec![seen], false)
                );
            }
        }
    }
}
