// SPDX-License-Identifier: GPL-2.0
//! The door to the kernel: the only place with `unsafe` code.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;

use onehop_uapi::{
    ioctl, Answer, Apply, Author, Condition, Counter, Dump, Dumped, Event, Found, Info, Lookup,
    Message, Outcome, Set, Stats, Transition,
};

use crate::{Error, Kernel};

const PATH: &str = "/dev/onehop";

/// `/dev/onehop`, opened when it is first needed: some verbs can do without.
#[derive(Default)]
pub struct Device {
    file: Option<File>,
}

impl Device {
    fn open(&mut self) -> Result<&mut File, Error> {
        match self.file {
            Some(ref mut file) => Ok(file),
            None => {
                let file = File::options().read(true).write(true).open(PATH);
                Ok(self.file.insert(file.map_err(not_open)?))
            }
        }
    }

    /// Makes a call. `raw` is the request and becomes the reply.
    fn call(&mut self, command: u32, raw: &mut [u8]) -> Result<(), Failure> {
        let file = self.open().map_err(Failure::Other)?;
        // SAFETY: `command` has the size of its structure in it, and is made by
        // `onehop_uapi::ioctl` of the same constant as the length of `raw`. The
        // callers see to it that pointers within it are good.
        let result = unsafe {
            libc::ioctl(
                file.as_raw_fd(),
                libc::Ioctl::from(command),
                raw.as_mut_ptr(),
            )
        };
        if result < 0 {
            Err(Failure::Errno(io::Error::last_os_error()))
        } else {
            Ok(())
        }
    }
}

/// Lets a packet socket see what the host receives and nothing else. What it sends would be cloned
/// first and filtered then: 1000 instructions a packet (`bench/top.sh`).
///
/// # Errors
///
/// Another kind of socket; a kernel before 4.20.
pub fn ignore_outgoing(socket: &impl AsRawFd) -> io::Result<()> {
    let yes: libc::c_int = 1;
    // SAFETY: the option is read from an int, which lives for the call, and the length is an int's.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            libc::PACKET_IGNORE_OUTGOING,
            (&raw const yes).cast(),
            size_of_val(&yes) as libc::socklen_t,
        )
    };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// A call that failed.
enum Failure {
    Errno(io::Error),
    Other(Error),
}

impl Failure {
    fn has_errno(&self, errno: i32) -> bool {
        matches!(self, Self::Errno(error) if error.raw_os_error() == Some(errno))
    }

    /// What to tell the user. The module's own words are best, if it has any.
    fn explain(self, message: Message) -> Error {
        let error = match self {
            Self::Other(error) => return error,
            Self::Errno(error) => error,
        };
        let errno = error.raw_os_error();
        let words = match errno {
            _ if !message.is_empty() => message.to_string(),
            Some(libc::EPERM) => {
                "not permitted: needs CAP_NET_ADMIN in this network namespace; run as root".into()
            }
            Some(libc::ENOTTY) => format!(
                "{PATH}: the module has another version of the interface; load the one that came \
                 with this onehopctl"
            ),
            _ => format!("{PATH}: {error}"),
        };
        match errno {
            Some(libc::ESTALE) => Error::Stale(words),
            _ => Error::Refused(words),
        }
    }
}

fn not_open(error: io::Error) -> Error {
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::ENXIO | libc::ENODEV) => Error::Absent(format!(
            "{PATH}: not there; load the module first: modprobe onehop"
        )),
        Some(libc::EACCES | libc::EPERM) => {
            Error::Refused(format!("{PATH}: not permitted; run as root"))
        }
        _ => Error::Refused(format!("{PATH}: {error}")),
    }
}

impl Kernel for Device {
    fn info(&mut self) -> Result<Info, Error> {
        let mut raw = [0; Info::SIZE];
        self.call(ioctl::INFO, &mut raw)
            .map_err(|failure| failure.explain(Message::EMPTY))?;
        Ok(Info::decode(&raw)?)
    }

    fn apply(
        &mut self,
        image: &[u8],
        condition: Condition,
        author: Author,
    ) -> Result<Outcome, Error> {
        let request = Apply {
            image: image.as_ptr().expose_provenance() as u64,
            len: u32::try_from(image.len())
                .map_err(|_| Error::refused("the configuration is too large"))?,
            condition,
            author,
        };
        let mut raw = request.encode();
        self.call(ioctl::APPLY, &mut raw)
            .map_err(|failure| failure.explain(Apply::message(&raw)))?;
        Ok(Apply::outcome(&raw)?)
    }

    fn dump(&mut self) -> Result<(Dumped, Vec<u8>), Error> {
        let mut len = 1 << 16;
        loop {
            let mut image = vec![0u8; len as usize];
            let request = Dump {
                image: image.as_mut_ptr().expose_provenance() as u64,
                len,
            };
            let mut raw = request.encode();
            let result = self.call(ioctl::DUMP, &mut raw);
            let dumped = Dump::dumped(&raw)?;
            match result {
                Ok(()) => {
                    image.truncate(dumped.len as usize);
                    return Ok((dumped, image));
                }
                // It grows only until it fits, or until the module says nonsense.
                Err(failure) if failure.has_errno(libc::ENOSPC) && dumped.len > len => {
                    len = dumped.len;
                }
                Err(failure) => return Err(failure.explain(Dump::message(&raw))),
            }
        }
    }

    fn set(&mut self, request: &Set) -> Result<Outcome, Error> {
        let mut raw = request.encode();
        self.call(ioctl::SERVER, &mut raw)
            .map_err(|failure| failure.explain(Set::message(&raw)))?;
        Ok(Set::outcome(&raw)?)
    }

    fn transition(&mut self, request: &Transition) -> Result<Outcome, Error> {
        let mut raw = request.encode();
        self.call(ioctl::TRANSITION, &mut raw)
            .map_err(|failure| failure.explain(Transition::message(&raw)))?;
        Ok(Transition::outcome(&raw)?)
    }

    fn answer(&mut self, request: &Answer) -> Result<bool, Error> {
        let mut raw = request.encode();
        self.call(ioctl::ANSWER, &mut raw)
            .map_err(|failure| failure.explain(Answer::message(&raw)))?;
        Ok(Answer::changed(&raw)?)
    }

    fn lookup(&mut self, request: &Lookup) -> Result<Found, Error> {
        let mut raw = request.encode();
        self.call(ioctl::LOOKUP, &mut raw)
            .map_err(|failure| failure.explain(Lookup::message(&raw)))?;
        Ok(Lookup::found(&raw)?)
    }

    fn counters(&mut self) -> Result<Vec<u64>, Error> {
        // Room for those of newer modules too.
        let mut counters = vec![0u64; 4 * Counter::COUNT];
        let request = Stats {
            counters: counters.as_mut_ptr().expose_provenance() as u64,
            count: counters.len() as u32,
        };
        let mut raw = request.encode();
        self.call(ioctl::STATS, &mut raw)
            .map_err(|failure| failure.explain(Message::EMPTY))?;
        counters.truncate(Stats::decode(&raw)?.count as usize);
        Ok(counters)
    }

    fn event(&mut self) -> Result<Event, Error> {
        let mut raw = [0; Event::SIZE];
        self.open()?
            .read_exact(&mut raw)
            .map_err(|error| Error::Refused(format!("{PATH}: {error}")))?;
        Ok(Event::decode(&raw)?)
    }

    fn device(&mut self, ifindex: u32) -> Option<String> {
        let mut name = [0u8; libc::IF_NAMESIZE];
        // SAFETY: the buffer has the IF_NAMESIZE bytes that the function may write.
        let result = unsafe { libc::if_indextoname(ifindex, name.as_mut_ptr().cast()) };
        if result.is_null() {
            return None;
        }
        let name = CStr::from_bytes_until_nul(&name).ok()?;
        Some(name.to_string_lossy().into_owned())
    }
}
