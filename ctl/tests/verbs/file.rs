// SPDX-License-Identifier: GPL-2.0
//! Mistakes in configuration files: each is told with file, line and value.

use crate::fake::Fake;

const WEB: &str = "[pool.web]\nseed = \"00112233445566778899aabbccddeeff\"\n";
const S1: &str = "[pool.web.server.s1]\nid = 1\naddress = \"10.0.0.1\"\n";

#[track_caller]
fn refused(text: &str, why: &str) {
    let mut fake = Fake::default();
    let ran = fake.run_with("apply -", text, false);
    assert_eq!((ran.code, &*ran.out), (1, ""), "{text}");
    assert_eq!(ran.err, format!("onehopctl: <stdin>:{why}\n"), "{text}");
    assert_eq!(fake.generation, 0);
}

#[track_caller]
fn web(line: &str, why: &str) {
    refused(&format!("{WEB}{line}\n"), &format!("3: {why}"));
}

#[track_caller]
fn s1(line: &str, why: &str) {
    refused(&format!("{WEB}{S1}{line}\n"), &format!("6: {why}"));
}

#[test]
fn syntax() {
    refused("[pool.web\n", "1: unclosed table, expected `]`");
    refused("\n\nx = = 1\n", "3: extra `=`, expected nothing");
    refused(&format!("{WEB}{WEB}"), "3: duplicate key");
}

#[test]
fn keys() {
    refused(
        "[pol.web]\n",
        "1: unknown key \"pol\", the nearest is \"pool\"",
    );
    web(
        "row = 256",
        "pool.web: unknown key \"row\", the nearest is \"rows\"",
    );
    s1(
        "wieght = 2",
        "pool.web.server.s1: unknown key \"wieght\", the nearest is \"weight\"",
    );
    s1(
        "start_down = true",
        "pool.web.server.s1: unknown key \"start_down\", the nearest is \"start-down\"",
    );
    refused("pool = 7\n", "1: pool \"7\" must be a table");
    refused("[pool]\nweb = 7\n", "2: pool.web \"7\" must be a table");
    web("server = []", "pool.web.server \"[]\" must be a table");
    let name = "name \"a b\" must be 1 to 31 characters of A-Z a-z 0-9 . _ -";
    refused("[pool.\"a b\"]\n", &format!("1: pool.a b: {name}"));
    web(
        "[pool.web.server.\"a b\"]",
        &format!("pool.web.server.a b: {name}"),
    );
}

#[test]
fn pools() {
    web(
        "mode = \"rooter\"",
        "pool.web.mode \"rooter\" must be router, broadcast or peer",
    );
    web(
        "kind = \"hush\"",
        "pool.web.kind \"hush\" must be mod, hash or table",
    );
    web(
        "kind = 1",
        "pool.web.kind \"1\" must be a string: mod, hash or table",
    );
    web(
        "policy = \"accept\"",
        "pool.web.policy \"accept\" must be drop or reject",
    );
    let rows = "must be a power of two from 256 to 65536";
    web(
        "rows = 300",
        &format!("pool.web.rows \"300\" {rows} with kind hash"),
    );
    web("rows = -1", &format!("pool.web.rows \"-1\" {rows}"));
    web("rows = \"many\"", &format!("pool.web.rows \"many\" {rows}"));
    web(
        "prefix4 = 33",
        "pool.web.prefix4 \"33\" must be from 1 to 32",
    );
    web(
        "prefix4 = 300",
        "pool.web.prefix4 \"300\" must be from 1 to 32",
    );
    web(
        "prefix6 = 0",
        "pool.web.prefix6 \"0\" must be from 1 to 128",
    );
    web(
        "ghosts = 7",
        "pool.web.ghosts \"7\" must be an array of addresses",
    );
    let ghost = "pool.web.ghosts \"2001:db8::g\" must be an IPv4 or IPv6 address";
    web("ghosts = [\"2001:db8::g\"]", ghost);
    let ghost = "pool.web.ghosts \"fe80::1\" must be an address that a host can have on a network";
    web("ghosts = [\"2001:db8::1\", \"fe80::1\"]", ghost);
    let ghost =
        "pool.web.ghosts \"127.0.0.1\" must be an address that a host can have on a network";
    web("ghosts = [\"192.0.2.1\", \"127.0.0.1\"]", ghost);
    let ghost = "4: pool.web.ghosts \"192.0.2.1\" must be a ghost of one pool, once";
    refused(
        &format!("{WEB}ghosts = [\"192.0.2.1\",\n\"192.0.2.1\"]\n"),
        ghost,
    );
}

#[test]
fn seeds() {
    let seed = |text: &str, why: &str| refused(&format!("[pool.web]\nseed = {text}\n"), why);
    let expected = "must be 32 hexadecimal digits";
    seed("\"12\"", &format!("2: pool.web.seed \"12\" {expected}"));
    let plus = format!("+{}", "1".repeat(31));
    seed(
        &format!("\"{plus}\""),
        &format!("2: pool.web.seed \"{plus}\" {expected}"),
    );
    let kind = "[pool.web]\nkind = \"mod\"\n";
    let text = format!("{kind}rows = 256\n");
    refused(
        &text,
        "3: pool.web.rows \"256\" must be left out with kind mod",
    );
    let zero = "0".repeat(32);
    let text = format!("{kind}seed = \"{zero}\"\n");
    refused(
        &text,
        &format!("3: pool.web.seed \"{zero}\" must be left out with kind mod"),
    );

    // Without one, a fresh one is offered, and taken.
    let mut fake = Fake::default();
    let ran = fake.run_with("apply -", "\n[pool.web]\n", false);
    let (why, fresh) = ran.err.rsplit_once(": ").unwrap();
    let lacks = "onehopctl: <stdin>:2: pool.web has no seed: it takes the same on every machine; a fresh one";
    assert_eq!(why, lacks);
    let text = format!("[pool.web]\nseed = {fresh}");
    assert_eq!(fake.run_with("apply -", &text, false).code, 0);
}

#[test]
fn servers() {
    let at = "pool.web.server.s1";
    s1(
        "weight = 0",
        &format!("{at}.weight \"0\" must be from 1 to 1000"),
    );
    s1(
        "weight = 70000",
        &format!("{at}.weight \"70000\" must be from 1 to 1000"),
    );
    s1(
        "admin = \"away\"",
        &format!("{at}.admin \"away\" must be up, drain or down"),
    );
    s1(
        "start-down = 1",
        &format!("{at}.start-down \"1\" must be true or false"),
    );
    let server = |line: &str, why: &str| {
        refused(&format!("{WEB}[{at}]\n{line}\n"), why);
    };
    let id = "give it one of its own, from 0 to 1023, the same on every machine";
    server(
        "address = \"10.0.0.1\"",
        &format!("3: {at} has no id: {id}"),
    );
    server(
        "id = 1",
        &format!("3: {at} has no address: give it the server's own IPv4 address, or address6 with its IPv6 address"),
    );
    let id = "4: pool.web.server.s1.id \"1024\" must be from 0 to 1023";
    server("id = 1024\naddress = \"10.0.0.1\"", id);
    let address = "5: pool.web.server.s1.address \"10.0.0\" must be an IPv4 address";
    server("id = 1\naddress = \"10.0.0\"", address);
    let address =
        "5: pool.web.server.s1.address \"224.0.0.1\" must be an address that a host can have on a network";
    server("id = 1\naddress = \"224.0.0.1\"", address);
    let address = "5: pool.web.server.s1.address6 \"10.0.0.1\" must be an IPv6 address";
    server("id = 1\naddress6 = \"10.0.0.1\"", address);
    let address =
        "5: pool.web.server.s1.address6 \"::1\" must be an address that a host can have on a network";
    server("id = 1\naddress6 = \"::1\"", address);
}

#[test]
fn modes() {
    web(
        "shape = \"igmp\"",
        "pool.web.shape \"igmp\" must be left out without mode broadcast",
    );
    web(
        "method = \"magic\"",
        "pool.web.method \"magic\" must be track or chance",
    );
    let peer = format!("{WEB}mode = \"peer\"\nmethod = \"chance\"\n");
    refused(
        &peer,
        "4: pool.web.method \"chance\" must be left out without mode router",
    );
    let broadcast = format!("{WEB}mode = \"broadcast\"\n");
    refused(
        &format!("{broadcast}shape = \"star\"\n"),
        "4: pool.web.shape \"star\" must be broadcast, multicast or igmp",
    );
    refused(
        &format!("{broadcast}shape = \"igmp\"\n"),
        "4: pool.web.shape \"igmp\" must be broadcast until a device is named",
    );
    let needs = |ghost: &str, why: &str| {
        let text = format!("{WEB}ghosts = [\"{ghost}\"]\n{S1}");
        refused(&text, &format!("4: pool.web.server.s1.{why}"));
    };
    let why = "address6 must be given, as its pool has an IPv6 ghost";
    needs("2001:db8::80", why);
    let text = format!("{WEB}ghosts = [\"192.0.2.80\"]\n{S1}").replace("10.0.0.1", "2001:db8::1");
    refused(
        &text.replace("address", "address6"),
        "4: pool.web.server.s1.address must be given, as its pool has an IPv4 ghost",
    );
}

#[test]
fn devices() {
    let names = "must be a device name";
    refused(
        "devices = 7\n",
        "1: devices \"7\" must be an array of device names",
    );
    refused(
        "devices = [\"a/b\"]\n",
        &format!("1: devices \"a/b\" {names}"),
    );
    refused(
        "devices = [7]\n",
        "1: devices \"7\" must be a string: a device name",
    );
    let twice = "2: devices \"eth0\" must be unique";
    refused("devices = [\"eth0\",\n\"eth0\"]\n", twice);
    let seventeen: Vec<_> = (0..17).map(|n| format!("\"eth{n}\"")).collect();
    let text = format!("devices = [{}]\n", seventeen.join(", "));
    refused(&text, "1: image: devices \"17\" must be at most 16");
}

#[test]
fn collisions() {
    let s2 = |id: u16, last: u8| {
        format!("{WEB}{S1}[pool.web.server.s2]\nid = {id}\naddress = \"10.0.0.{last}\"\n")
    };
    refused(
        &s2(1, 2),
        "7: pool.web.server.s2.id \"1\" must be unique in its pool",
    );
    let twice = "8: pool.web.server.s2.address \"10.0.0.1\" must be unique in its pool";
    refused(&s2(2, 1), twice);
    let both = "3: pool.web.ghosts \"10.0.0.1\" must be an address that no server has as its own";
    refused(&format!("{WEB}ghosts = [\"10.0.0.1\"]\n{S1}"), both);
    let mail = "[pool.mail]\nkind = \"mod\"\n[pool.mail.server.m]\nid = 1\naddress = \"10.0.0.9\"\nweight = 2\n";
    refused(
        mail,
        "6: pool.mail.server.m.weight \"2\" must be 1 with kind mod",
    );
}
