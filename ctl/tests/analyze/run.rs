// SPDX-License-Identifier: GPL-2.0
//! Running the program on logs, without the module.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use flate2::read::GzDecoder;
use serde_json::Value;

/// What the program said, and its exit code.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// The sample log, compressed.
pub fn sample() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/access.log.gz")
}

/// The sample log itself.
pub fn sample_text() -> String {
    let mut text = String::new();
    let mut decoder = GzDecoder::new(File::open(sample()).unwrap());
    decoder.read_to_string(&mut text).unwrap();
    text
}

/// Runs the program with `input`.
pub fn onehopctl(arguments: &[&str], input: &[u8]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_onehopctl"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A program that does not read it all closes the pipe.
        scope.spawn(move || stdin.write_all(input).ok());
        child.wait_with_output().unwrap()
    });
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// Runs analyze.
pub fn analyze(arguments: &[&str]) -> Ran {
    onehopctl(&[&["analyze"], arguments].concat(), b"")
}

/// Runs analyze on what it reads without complaint, for JSON.
#[track_caller]
pub fn analyzed(arguments: &[&str]) -> Value {
    let ran = analyze(&[&["-j"], arguments].concat());
    assert_eq!((ran.code, &*ran.err), (0, ""), "{arguments:?}");
    serde_json::from_str(&ran.out).unwrap()
}

/// Runs analyze on what it refuses; why.
#[track_caller]
pub fn refused(arguments: &[&str]) -> String {
    let ran = analyze(arguments);
    assert_eq!((ran.code, &*ran.out), (1, ""), "{arguments:?}");
    let why = ran.err.strip_prefix("onehopctl: ").unwrap();
    why.trim_end().to_owned()
}

/// Who owns a client by a file.
pub fn lookup(file: &str, client: &str) -> String {
    let ran = onehopctl(&["-j", "lookup", "--offline", file, client], b"");
    assert_eq!((ran.code, &*ran.err), (0, ""));
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    found[0]["owner"].as_str().unwrap().to_owned()
}

/// An empty folder of a test's own.
pub fn fresh(test: &str) -> String {
    let dir = format!("{}/analyze-{test}", env!("CARGO_TARGET_TMPDIR"));
    fs::remove_dir_all(&dir).ok();
    fs::create_dir_all(&dir).unwrap();
    dir
}

/// A new file in a folder.
pub fn write(dir: &str, name: &str, bytes: &[u8]) -> String {
    let path = format!("{dir}/{name}");
    fs::write(&path, bytes).unwrap();
    path
}

/// A pool with servers s1, s2, and so on, whose ids are their numbers.
pub fn config(servers: u16, tables: &str) -> String {
    let mut text = "[pool.web]\nseed = \"00112233445566778899aabbccddeeff\"\nrows = 4096\n\
                    ghosts = [\"192.0.2.80\"]\n"
        .to_owned();
    for id in 1..=servers {
        text += &format!("[pool.web.server.s{id}]\nid = {id}\naddress = \"10.0.0.{id}\"\n");
    }
    text + tables
}
