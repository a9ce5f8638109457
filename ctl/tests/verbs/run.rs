// SPDX-License-Identifier: GPL-2.0
//! Running the tool on the kernel in memory.

use std::io;

use onehop_uapi::Counter;
use onehopctl::{Context, Ran as RanProgram, System};

use crate::fake::{Fake, NOW};

/// What the tool said, and its exit code.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub code: u8,
    pub out: String,
    pub err: String,
}

/// A host without programs, with net.onehop.transition_seconds.
struct Settings(Option<u32>);

impl System for Settings {
    fn file(&mut self, path: &str) -> Option<String> {
        let seconds = self.0?;
        (path == "/proc/sys/net/onehop/transition_seconds").then(|| format!("{seconds}\n"))
    }

    fn run(&mut self, _: &str, _: &[&str], _: &str) -> io::Result<RanProgram> {
        Err(io::ErrorKind::NotFound.into())
    }
}

impl Fake {
    /// Runs the tool with arguments as a shell would split them.
    pub fn run(&mut self, arguments: &str) -> Ran {
        self.run_with(arguments, "", false)
    }

    pub fn run_with(&mut self, arguments: &str, input: &str, colour: bool) -> Ran {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut system = Settings(self.transition_seconds);
        let mut context = Context {
            kernel: self,
            system: &mut system,
            out: &mut out,
            err: &mut err,
            input: &mut input.as_bytes(),
            colour,
            terminal: false,
            json: false,
            plan: false,
            logs: Vec::new(),
            now: NOW + 90_000_000_000,
            caller: "cargo(7)".into(),
        };
        let arguments = ["onehopctl"]
            .into_iter()
            .chain(arguments.split_whitespace());
        let code = onehopctl::run(arguments, &mut context);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran {
            code,
            out: text(out),
            err: text(err),
        }
    }

    /// Runs what has to succeed.
    #[track_caller]
    pub fn done(&mut self, arguments: &str) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
        ran.out
    }

    /// Runs what has to be refused, with one line that says why.
    #[track_caller]
    pub fn refused(&mut self, arguments: &str) -> String {
        let ran = self.run(arguments);
        assert_eq!((ran.code, &*ran.out), (1, ""), "{arguments}");
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
        let why = ran.err.trim_end().strip_prefix("onehopctl: ");
        why.expect("the program's name in front").to_owned()
    }
}

/// Pool web with three servers and a ghost; the seed is fixed.
pub fn web() -> Fake {
    let mut fake = Fake::default();
    let text = "[pool.web]\nseed = \"00112233445566778899aabbccddeeff\"\nrows = 1024\n\
                ghosts = [\"192.0.2.80\"]\n\
                [pool.web.server.s1]\nid = 1\naddress = \"10.0.0.1\"\n\
                [pool.web.server.s2]\nid = 2\naddress = \"10.0.0.2\"\n\
                [pool.web.server.s3]\nid = 3\naddress = \"10.0.0.3\"\nweight = 2\n";
    let ran = fake.run_with("apply -", text, false);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    fake.applied.clear();
    fake.events.clear();
    fake.counters = (100..).take(Counter::COUNT).collect();
    fake
}
