// SPDX-License-Identifier: GPL-2.0
//! The program itself, as far as it goes without the module.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Output, Stdio};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/onehop.conf");

fn onehopctl(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onehopctl"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    onehopctl(arguments).output().unwrap()
}

/// The answers of dispatch/oracle to the example, with s3 draining.
#[test]
fn the_example_as_the_oracle_has_it() {
    let output = run(&[
        "lookup",
        "-j",
        "--offline",
        EXAMPLE,
        "192.0.2.1",
        "2001:db8::1",
    ]);
    assert!(output.status.success());
    let answers: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answers[0]["owner"], "s1");
    assert_eq!(
        answers[0]["runners_up"],
        serde_json::json!(["s2", "s4", "s3"])
    );
    assert_eq!(answers[1]["owner"], "s2");
    assert_eq!(
        answers[1]["runners_up"],
        serde_json::json!(["s1", "s4", "s3"])
    );
}

#[test]
fn standard_input() {
    let mut child = onehopctl(&["lookup", "--offline", "-", "192.0.2.1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = b"[pool.web]\nkind = \"mod\"\npolicy = \"reject\"\n";
    child.stdin.take().unwrap().write_all(text).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stdout, b"none: no server lives, policy reject\n");
}

#[test]
fn exit_codes() {
    assert_eq!(run(&["--help"]).status.code(), Some(0));
    assert_eq!(run(&["--version"]).status.code(), Some(0));
    assert_eq!(run(&["frobnicate"]).status.code(), Some(2));
    let output = run(&["lookup", "--offline", "/nowhere", "192.0.2.1"]);
    assert_eq!(output.status.code(), Some(1));
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        err,
        "onehopctl: /nowhere: No such file or directory (os error 2)\n"
    );
}

/// `onehopctl ... | head -1` is no reason to complain.
#[test]
fn a_reader_that_has_gone() {
    let (reader, writer) = UnixStream::pair().unwrap();
    drop(reader);
    let output = onehopctl(&["lookup", "--offline", EXAMPLE, "192.0.2.1"])
        .stdout(OwnedFd::from(writer))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}
