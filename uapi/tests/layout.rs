// SPDX-License-Identifier: GPL-2.0
//! Structures made in Rust are, byte by byte, those that C makes of onehop.h.

mod compiler;
mod replies;

use std::collections::BTreeMap;

use onehop_uapi::*;
use replies::*;

fn dumped_server() -> [u8; Server::SIZE] {
    let server = Server {
        name: name("s1"),
        pool: 7,
        id: 513,
        weight: 258,
        admin: Admin::Down,
        start_down: true,
        address: Some([10, 1, 2, 3]),
        address6: Some([32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6]),
    };
    server.encode_dumped(&Status {
        leaving: true,
        health: Health::Down,
        reach: Some(Reach::Local),
        reach6: Some(Reach::Link),
        ifindex: 9,
        ifindex6: 10,
        drain_left: 14,
        changed_at: 11,
        packets: 12,
        bytes: 13,
        author: author("watchd", "no answer"),
    })
}

fn event(what: What) -> [u8; Event::SIZE] {
    pool_event(what, None)
}

fn pool_event(what: What, pool: Option<&str>) -> [u8; Event::SIZE] {
    let event = Event {
        time: 0,
        generation: 0,
        what,
        pool: pool.map(name),
        server: None,
        author: Author::default(),
    };
    assert_eq!(Event::decode(&event.encode()), Ok(event));
    event.encode()
}

fn in_rust() -> BTreeMap<&'static str, Vec<u8>> {
    let header = Header {
        pools: 2,
        ghosts: 3,
        servers: 4,
        devices: 5,
        older: 6,
        overrides: 7,
        rows: 512,
    };
    let pool = Pool {
        name: name("web"),
        mode: Mode::Broadcast,
        shape: Some(Shape::Igmp),
        method: None,
        kind: Kind::Hash,
        policy: Policy::Reject,
        prefix4: 24,
        prefix6: 56,
        rows: 4096,
        seed: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
    };
    let chance = Pool {
        mode: Mode::Router,
        shape: None,
        method: Some(Method::Chance),
        kind: Kind::Mod,
        policy: Policy::Drop,
        rows: 0,
        seed: [0; 16],
        ..pool
    };
    let mut seed = [0; 16];
    seed[0] = 1;
    let table = Pool {
        mode: Mode::Peer,
        method: None,
        kind: Kind::Table,
        rows: 512,
        seed,
        ..chance
    };
    let older = Older {
        pool: 7,
        flows: 8,
        digest: 9,
        remaining: Some(10),
        moved: 11,
    };
    let endless = Older {
        pool: 0,
        flows: 0,
        digest: 0,
        remaining: None,
        moved: 0,
    };
    let ghost = |address| Ghost { pool: 7, address };
    let override_ = |address, bits| Override {
        pool: 7,
        prefix: Prefix::new(address, bits).unwrap(),
        server: 513,
    };
    let device = Device {
        name: DeviceName::new("eth0.100").unwrap(),
    };
    let info = Info {
        abi: limits::ABI,
        enabled: true,
        generation: 21,
        digest: 22,
        pools: 23,
        ghosts: 24,
        servers: 25,
        counters: 26,
        devices: 27,
        answer: true,
        version: Text::new("version", "0.1.0").unwrap(),
    };
    let lookup4 = Found {
        generation: 61,
        row: 62,
        owner: Some(63),
        verdict: Verdict::Draining,
        rule: Rule::Table,
        bits: 0,
        runners_up: [Some(64), Some(65), None, None],
        older: [Some(66), None, Some(67), None, None, None, Some(68)],
        oldest: Some(69),
    };
    let lookup6 = Found {
        generation: 0,
        row: 0,
        owner: None,
        verdict: Verdict::None,
        rule: Rule::Override,
        bits: 48,
        runners_up: [Some(0), Some(1), Some(2), Some(3)],
        older: [4, 5, 6, 7, 8, 9, 10].map(Some),
        oldest: None,
    };
    let client6 = [32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5];
    let even6 = [32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4];
    let stats = Stats {
        counters: 71,
        count: 72,
    };
    let reached = Event {
        time: 81,
        generation: 82,
        what: What::Reach(Reach::Link),
        pool: Some(name("web")),
        server: Some(name("s1")),
        author: author("kernel", "route"),
    };
    BTreeMap::from([
        ("header", header.encode().to_vec()),
        (
            "pool",
            pool.encode_dumped(0x1122334455667788, 4097).to_vec(),
        ),
        ("method", chance.encode().to_vec()),
        ("table", table.encode().to_vec()),
        ("older", older.encode().to_vec()),
        ("endless", endless.encode().to_vec()),
        (
            "ghost4",
            ghost(Address::V4([192, 0, 2, 80])).encode().to_vec(),
        ),
        (
            "override4",
            override_(Address::V4([203, 0, 113, 0]), 24)
                .encode()
                .to_vec(),
        ),
        (
            "override6",
            override_(Address::V6(even6), 127).encode().to_vec(),
        ),
        ("ghost6", ghost(Address::V6(client6)).encode().to_vec()),
        ("device", device.encode_dumped(8).to_vec()),
        ("server", dumped_server().to_vec()),
        ("info", info.encode().to_vec()),
        ("apply", replied_apply().to_vec()),
        ("answer", replied_answer().to_vec()),
        ("dump", replied_dump().to_vec()),
        ("set", replied_set().to_vec()),
        ("extend", replied_transition().to_vec()),
        ("commit", transition(Verb::Commit).to_vec()),
        ("abort", transition(Verb::Abort).to_vec()),
        ("health", health_set().to_vec()),
        (
            "lookup4",
            replied_lookup(Address::V4([198, 51, 100, 7]), lookup4, "no").to_vec(),
        ),
        (
            "lookup6",
            replied_lookup(Address::V6(client6), lookup6, "").to_vec(),
        ),
        ("stats", stats.encode().to_vec()),
        ("reached", reached.encode().to_vec()),
        ("applied", event(What::Applied).to_vec()),
        ("admin", event(What::Admin(Admin::Up)).to_vec()),
        ("health_event", event(What::Health(Health::Down)).to_vec()),
        ("lost", event(What::Lost(70000)).to_vec()),
        ("answered", event(What::Answer(true)).to_vec()),
        ("begun", pool_event(What::Begun(2), Some("web")).to_vec()),
        (
            "ending",
            pool_event(What::Ending(300), Some("web")).to_vec(),
        ),
        (
            "retired",
            pool_event(What::Retired(1), Some("web")).to_vec(),
        ),
        (
            "track_full",
            pool_event(What::TrackFull(65536), Some("web")).to_vec(),
        ),
        ("drained", pool_event(What::Drained, Some("web")).to_vec()),
    ])
}

#[test]
fn structures_are_those_of_c() {
    let printed = compiler::output("structures", include_str!("sample/structures.c"));
    let ours = in_rust();
    let mut compared = 0;
    for line in printed.lines() {
        let (name, theirs) = line.split_once(' ').unwrap();
        let ours: String = ours[name]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(ours, theirs, "{name}");
        compared += 1;
    }
    assert_eq!(compared, ours.len());
}
