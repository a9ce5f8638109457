// SPDX-License-Identifier: GPL-2.0
//! Kind table, in files and by pool.

use std::path::Path;

use onehop_uapi::{Kind, Name};
use serde_json::Value;

use crate::fake::Fake;
use crate::run::web;

const HEAD: &str =
    "[pool.web]\nkind = \"table\"\nseed = \"00112233445566778899aabbccddeeff\"\nrows = 256\n";
const SERVERS: &str = "[pool.web.server.s1]\nid = 1\naddress = \"10.0.0.1\"\n\
                       [pool.web.server.s2]\nid = 2\naddress = \"10.0.0.2\"\n";

fn tabled(table: &str) -> Fake {
    let mut fake = Fake::default();
    let text = format!("{HEAD}table = \"\"\"\n{table}\"\"\"\n{SERVERS}");
    let ran = fake.run_with("apply -", &text, false);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    fake
}

fn group(fake: &Fake) -> &crate::fake::Group {
    &fake.pools[&Name::new("name", "web").unwrap()]
}

#[test]
fn rows_have_their_owners() {
    let mut fake = tabled("1*250 2*2 9 - 2*2\n");
    assert_eq!(group(&fake).table[249..], [1, 2, 2, 9, 0xffff, 2, 2]);
    let mut seen = [false; 2];
    for n in 0..200 {
        let out = fake.done(&format!("lookup 198.51.{n}.7"));
        let by_table = out.contains(" by table: row ");
        assert_eq!(by_table, !out.contains(" by hash: row "), "{out}");
        let row: usize = out.split(' ').nth(6).unwrap().parse().unwrap();
        // Row 252 has an owner that is not there, row 253 none.
        assert_eq!(by_table, row != 252 && row != 253, "{out}");
        seen[usize::from(by_table)] = true;
        let expected = if row < 250 { "s1 (id 1)" } else { "s" };
        assert!(out.starts_with(expected), "{out}");
    }
    assert!(seen[1]);
    fake.done("down s1");
    let out = fake.done("lookup 198.51.0.7");
    assert!(out.starts_with("s2 (id 2) by "), "{out}");

    assert!(fake.done("show").contains("table over 256 rows"));
    let out: Value = serde_json::from_str(&fake.done("show -j")).unwrap();
    let rows = |server: usize| &out["pools"][0]["servers"][server]["table_rows"];
    assert_eq!((rows(0), rows(1)), (&Value::from(250), &Value::from(4)));
    assert_eq!(out["pools"][0]["rows"], 256);
    let out = fake.done("dump");
    let runs: Vec<_> = out
        .lines()
        .filter(|line| line.starts_with("table\t"))
        .collect();
    assert_eq!(
        runs,
        [
            "table\tweb\t0\t1\t250",
            "table\tweb\t250\t2\t2",
            "table\tweb\t252\t9\t1",
            "table\tweb\t253\t-\t1",
            "table\tweb\t254\t2\t2",
        ]
    );
}

#[test]
fn a_server_that_comes_back_has_its_rows() {
    let mut fake = tabled("1*128 2*128\n");
    let digest = fake.digest();
    fake.done("server del s2 --now");
    assert!(fake.done("lookup 198.51.0.7").starts_with("s1 "));
    fake.done("server add s2 10.0.0.2 --id 2 --now");
    assert_eq!(fake.digest(), digest);
}

#[test]
fn by_pool_set() {
    let mut fake = web();
    let hash = fake.digest();
    let needs = "kind \"table\" needs the owners of the rows: name them with --table FILE";
    assert_eq!(fake.refused("pool set web --kind table"), needs);
    let ran = fake.run_with(
        "pool set web --kind table --table - --now",
        "1*1000 # ten\n-*24",
        false,
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines: Vec<_> = ran.out.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "~ pool web: kind hash -> table",
            "+ table web: 1000 of 1024 rows have an owner"
        ]
    );
    assert_eq!(
        (group(&fake).pool.kind, group(&fake).table.len()),
        (Kind::Table, 1024)
    );

    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rows");
    let path = file.to_str().unwrap();
    std::fs::write(&file, "1*1000\n2*20\n3*4\n").unwrap();
    let out = fake.done(&format!("pool set web --table {path} --now"));
    assert!(
        out.starts_with("~ table web: 24 of 1024 rows have another owner\n"),
        "{out}"
    );
    assert_eq!(
        fake.done(&format!("pool set web --table {path}")),
        "already so\n"
    );
    assert_eq!(
        fake.done(&format!("pool add web --table {path}")),
        "already so\n"
    );
    std::fs::write(&file, "1*2000\n\n 2*48\n").unwrap();
    let out = fake.done(&format!("pool set web --rows 2048 --table {path} --now"));
    assert!(out.contains("\n~ table web: rows 1024 -> 2048\n"), "{out}");
    fake.done("pool set web --prefix4 24 --now");
    assert_eq!(group(&fake).table.len(), 2048);

    let why = fake.refused("pool set web --rows 4096");
    let told =
        "rows \"4096\" must be 2048, as many as the table has: name another with --table FILE";
    assert_eq!(why, told);
    std::fs::write(&file, "1*2000\n\n s2*48\n").unwrap();
    let why = fake.refused(&format!("pool set web --table {path}"));
    let told = "\"s2*48\" must be the id of a server from 0 to 1023, ID*COUNT, or - (no owner)";
    assert_eq!(why, format!("{path}:3: {told}"));
    let why = fake.refused("pool set web --table /none/at/all");
    assert!(why.starts_with("/none/at/all: No such file"), "{why}");
    let why = fake.refused(&format!("pool set web --kind hash --table {path}"));
    let told = "must be left out with kind hash: it needs --kind table";
    assert_eq!(why, format!("table \"{path}\" {told}"));

    let out = fake.done("pool set web --kind hash --rows 1024 --prefix4 32 --now");
    assert!(out.contains("- table web\n"), "{out}");
    assert!(group(&fake).table.is_empty());
    assert_eq!(fake.digest(), hash);
}

#[test]
fn by_pool_add() {
    let mut fake = Fake::default();
    let ran = fake.run_with(
        "pool add web --kind table --rows 256 --table -",
        "-*256",
        false,
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out
            .contains("+ table web: 0 of 256 rows have an owner\n"),
        "{}",
        ran.out
    );
    fake.done("server add s1 10.0.0.1");
    let all = fake.done("lookup 192.0.2.1");
    assert!(all.starts_with("s1 (id 0) by hash: row "), "{all}");
    let out = fake.done("pool set web --kind mod --now");
    assert!(out.contains("- table web\n"), "{out}");
}

#[test]
fn moved_rows_are_counted() {
    let mut fake = tabled("1*128 2*128\n");
    let text = fake.done("save").replace("1*128 2*128", "1*64 2*192");
    let plan = fake.run_with("-j plan apply -", &text, false).out;
    let plan: Value = serde_json::from_str(&plan).unwrap();
    assert_eq!(
        plan["diff"][0],
        "~ table web: 64 of 256 rows have another owner"
    );
    assert_eq!(plan["pools"][0]["moved_ppm"], 250_000);
    assert_eq!(plan["pools"][0]["servers"][0]["before_ppm"], 500_000);
    assert_eq!(plan["pools"][0]["servers"][0]["after_ppm"], 250_000);
}

#[test]
fn mistakes_in_a_file() {
    #[track_caller]
    fn refused(text: &str, why: &str) {
        let ran = Fake::default().run_with("apply -", text, false);
        assert_eq!(
            (ran.code, &*ran.err),
            (1, &*format!("onehopctl: <stdin>:{why}\n"))
        );
    }
    let lacks = "1: pool.web has no table: give it the owners of its rows, or leave kind hash to choose them";
    refused(HEAD, lacks);
    let table = |text: &str, why: &str| refused(&format!("{HEAD}table = {text}\n{SERVERS}"), why);
    let word = "must be the id of a server from 0 to 1023, ID*COUNT, or - (no owner)";
    table(
        "\"\"\"\n1*100\n2*100 1024\n-*55\"\"\"",
        &format!("7: pool.web.table \"1024\" {word}"),
    );
    table("\"1*255 s1\"", &format!("5: pool.web.table \"s1\" {word}"));
    let short = "5: pool.web.table \"255\" rows must be 256, as many as the pool has";
    table("\"1*255\"", short);
    let long = "6: pool.web.table \"2\" must not be there: the pool has 256 rows";
    table("\"\"\"1*256\n2\"\"\"", long);
    table(
        "[1]",
        "5: pool.web.table \"[1]\" must be a string: the owners of rows",
    );
    let hash = HEAD.replace("\"table\"", "\"hash\"");
    let out = "5: pool.web.table \"1*256\" must be left out without kind table";
    refused(&format!("{hash}table = \"1*256\"\n"), out);
    let odd = HEAD.replace("256", "300");
    let rows = "4: pool.web.rows \"300\" must be a power of two from 256 to 65536 with kind table";
    refused(&format!("{odd}table = \"1*300\"\n"), rows);
}
