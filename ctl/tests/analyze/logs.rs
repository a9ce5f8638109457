// SPDX-License-Identifier: GPL-2.0
//! Logs as they come, and what is wrong with them.

use std::io::Write;

use flate2::write::GzEncoder;
use flate2::Compression;
use serde_json::{json, Value};

use crate::run::{analyze, analyzed, fresh, onehopctl, refused, sample, sample_text, write, Ran};

/// What is said of a text that is a log.
fn of(input: &[u8], arguments: &[&str]) -> Ran {
    let all = [&["-j", "analyze", "--servers", "4", "-"], arguments].concat();
    onehopctl(&all, input)
}

#[track_caller]
fn report(input: impl AsRef<[u8]>) -> Value {
    let ran = of(input.as_ref(), &[]);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    serde_json::from_str(&ran.out).unwrap()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

const LINE: &str =
    "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 7 \"-\" \"-\"\n";

#[test]
fn plain_or_not_whole_or_in_parts() {
    let dir = fresh("parts");
    let text = sample_text();
    let plain = write(&dir, "plain", text.as_bytes());
    let (first, second) = text.split_at(text.find('\n').unwrap() + 1);
    let first = write(&dir, "first", first.as_bytes());
    // Members of gzip one after the other are one text.
    let half = second.len() / 2;
    let members = [&second[..half], &second[half..]].map(|part| gzip(part.as_bytes()));
    let second = write(&dir, "second", &members.concat());
    let whole = analyzed(&["--servers", "16", "--holdout", sample()]);
    assert_eq!(analyzed(&["--servers", "16", "--holdout", &plain]), whole);
    assert_eq!(
        analyzed(&["--servers", "16", "--holdout", &first, &second]),
        whole
    );
    let arguments = ["-j", "analyze", "--servers", "16", "--holdout", "-"];
    for input in [text.as_bytes(), &gzip(text.as_bytes())] {
        let ran = onehopctl(&arguments, input);
        assert_eq!((ran.code, &*ran.err), (0, ""));
        assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), whole);
    }
}

#[test]
fn formats_of_one_log() {
    let lines = [
        "192.0.2.1",
        "198.51.100.7:99",
        "[2001:db8::1]:443",
        "::ffff:192.0.2.1",
        "192.0.2.1",
    ];
    let whole = report(lines.join("\n"));
    assert_eq!(
        (&whole["requests"], &whole["clients"]),
        (&5.into(), &3.into())
    );
    let common = lines.map(|it| format!("{it}{}", &LINE[9..])).concat();
    let json = lines
        .map(|it| format!("{{\"a\":[],\"remote_addr\":\"{it}\",\"size\":3}}\r\n"))
        .concat();
    assert_eq!(report(&common), whole);
    assert_eq!(report(&json), whole);
    let by_bytes = of(common.as_bytes(), &["--by", "bytes", "--format", "common"]);
    let by_bytes: Value = serde_json::from_str(&by_bytes.out).unwrap();
    assert_eq!(by_bytes["load"], 35);
    let ran = of(json.as_bytes(), &["--format", "common"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.err
            .contains("no request in \"-\": lines 5 without an address"),
        "{}",
        ran.err
    );
}

#[test]
fn garbage_is_counted_and_shown() {
    let mut input = Vec::new();
    input.extend(b"crawler.example.com - - [17/May/2015] \"GET / HTTP/1.1\" 200 7\n");
    input.extend(b"\xff\xfe\x1b[2J garbage\n\n   \n\0\0\0\0\n");
    // After a hole and a carriage return, a request still.
    input.extend(format!("\0\0\0{}\r\n", LINE.trim_end()).bytes());
    input.extend(b"fe80::1%eth0\n127.0.0.1\n");
    let report = report(&input);
    assert_eq!(
        (&report["requests"], &report["not_dispatched"]),
        (&1.into(), &2.into())
    );
    let expected = json!({
        "no_address": {
            "lines": 2,
            "examples": ["\u{fffd}\u{fffd}\\u{1b}[2J garbage", "\\0\\0\\0\\0"],
        },
        "names": {
            "lines": 1,
            "examples": ["crawler.example.com - - [17/May/2015] \\\"GET / HTTP/1.1\\\" 200"],
        },
        "no_size": { "lines": 0, "examples": [] },
    });
    let mut left_out = report["left_out"].clone();
    let name = left_out["names"]["examples"][0]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        name.starts_with("crawler.example.com - - [17/May/2015] \\\"GET /"),
        "{name}"
    );
    left_out["names"]["examples"] = expected["names"]["examples"].clone();
    assert_eq!(left_out, expected);
    let ran = onehopctl(&["analyze", "--servers", "4", "-"], &input);
    let line = ran.out.lines().nth(1).unwrap();
    assert!(
        line.starts_with("left out: lines 2 without an address (\""),
        "{line}"
    );
    assert!(
        line.contains(", 1 with a name instead of an address (\"crawler."),
        "{line}"
    );
    assert!(ran
        .out
        .contains("\nleft out: 2 requests of addresses that are not dispatched"));
}

#[test]
fn long_lines() {
    let long = "x".repeat(1 << 20);
    let request = LINE.replace("GET /", &format!("GET /{long}"));
    let garbage = "!".repeat(1 << 20);
    let report = report([&*request, &garbage, "\n", LINE].concat());
    assert_eq!(report["requests"], 2);
    assert_eq!(report["left_out"]["no_address"]["lines"], 1);
    // What is not seen of a line has no size.
    let ran = of([&*request, LINE].concat().as_bytes(), &["--by", "bytes"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&report["load"], &report["left_out"]["no_size"]["lines"]),
        (&7.into(), &1.into())
    );
}

#[test]
fn sizes_that_nothing_has() {
    let most = u64::MAX.to_string();
    let lines =
        [&*most, "1152921504606846976", "7"].map(|size| LINE.replace(" 7 ", &format!(" {size} ")));
    let ran = of(lines.concat().repeat(3).as_bytes(), &["--by", "bytes"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["load"], 1_152_921_504_606_846_976_u64);
    assert_eq!(
        (&report["requests"], &report["left_out"]["no_size"]["lines"]),
        (&1.into(), &8.into())
    );
}

/// What was read counts, and is shown; the exit code tells.
#[test]
fn broken_gzip() {
    let text = sample_text();
    let whole = gzip(text.as_bytes());
    let mut wrong = whole.clone();
    *wrong.last_mut().unwrap() ^= 1;
    let dir = fresh("broken");
    for (name, bytes, why) in [
        (
            "cut",
            &whole[..whole.len() / 2],
            "breaks off: what there is of it was counted",
        ),
        (
            "wrong",
            &wrong,
            "cannot be read on: corrupt gzip stream does not have a matching checksum",
        ),
    ] {
        let log = write(&dir, name, bytes);
        let ran = analyze(&["-j", "--servers", "4", &log, sample()]);
        assert_eq!(ran.code, 1);
        let said = format!("onehopctl: \"{log}\" {why}");
        assert!(ran.err.starts_with(&said), "{}", ran.err);
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        let requests = report["requests"].as_u64().unwrap();
        assert!((13_000..=20_000).contains(&requests), "{requests}");
        assert_eq!(report["broken"].as_array().unwrap().len(), 1);
        assert_eq!(report["left_out"]["no_address"]["lines"], 0);
    }
}

#[test]
fn nothing_to_read() {
    let dir = fresh("nothing");
    let empty = write(&dir, "empty", b"");
    let why = refused(&["--servers", "4", &empty]);
    assert_eq!(
        why,
        format!("no request in \"{empty}\": there is no line in it")
    );
    let hosts = write(&dir, "hosts", b"localhost\n127.0.0.1\n");
    let why = refused(&["--servers", "4", &hosts, &empty]);
    let said = "lines 1 with a name instead of an address (\"localhost\"), \
                1 of addresses that are not dispatched";
    assert_eq!(
        why,
        format!("no request in \"{hosts}\", \"{empty}\": {said}")
    );
    let why = refused(&["--servers", "4", sample(), "/nowhere/log"]);
    assert_eq!(
        why,
        "\"/nowhere/log\" cannot be read: No such file or directory (os error 2)"
    );
    let why = refused(&["--servers", "4", &dir]);
    assert_eq!(
        why,
        format!("\"{dir}\" is a directory: give the logs in it")
    );
    let cut = write(&dir, "cut.gz", &gzip(LINE.as_bytes())[..4]);
    let why = refused(&["--servers", "4", &cut]);
    assert!(why.contains("breaks off") && why.contains(&cut), "{why}");
}

#[test]
fn arguments() {
    for (arguments, code, said) in [
        (&["--servers", "0", "x"][..], 2, "0"),
        (&["--servers", "1025", "x"], 2, "1025"),
        (&["--servers", "4"], 2, "LOG"),
        (&["--servers", "4", "--config", "x", "x"], 2, "--config"),
        (&["--servers", "4", "--format", "xml", "x"], 2, "'xml'"),
        (&["--servers", "4", "--rows", "1000", sample()], 1, "1000"),
        (&["--config", "-", "-"], 1, "give one of them as a file"),
        (&["--config", "/nowhere/conf", sample()], 1, "/nowhere/conf"),
    ] {
        let ran = analyze(arguments);
        assert_eq!((ran.code, &*ran.out), (code, ""), "{arguments:?}");
        assert!(ran.err.contains(said), "{arguments:?}: {}", ran.err);
    }
}
