// SPDX-License-Identifier: GPL-2.0
//! Calls as they come back: requests with the replies to them.

use onehop_uapi::*;

pub fn name(text: &str) -> Name {
    Name::new("name", text).unwrap()
}

pub fn author(actor: &str, reason: &str) -> Author {
    Author {
        actor: Actor::new("actor", actor).unwrap(),
        reason: Reason::new("reason", reason).unwrap(),
    }
}

pub fn replied_apply() -> [u8; Apply::SIZE] {
    let request = Apply {
        image: 31,
        len: 32,
        condition: Condition {
            dry_run: true,
            expected: Some(33),
            now: true,
            span: Span::Seconds(37),
        },
        author: author("root", "why"),
    };
    let outcome = Outcome {
        generation: 34,
        digest: 35,
        changed: true,
        moved: 36,
    };
    let mut raw = request.encode();
    assert_eq!(Apply::decode(&raw), Ok(request));
    Apply::reply(&mut raw, &outcome);
    Apply::refuse(&mut raw, "no");
    assert_eq!(Apply::outcome(&raw), Ok(outcome));
    assert_eq!(Apply::message(&raw).as_str(), "no");
    raw
}

pub fn replied_set() -> [u8; Set::SIZE] {
    let request = Set {
        pool: name("web"),
        server: name("s1"),
        state: State::Admin(Admin::Drain),
        condition: Condition {
            expected: Some(51),
            span: Span::Forever,
            ..Condition::default()
        },
        author: author("root", "why"),
    };
    let outcome = Outcome {
        generation: 52,
        digest: 53,
        changed: true,
        moved: 54,
    };
    let mut raw = request.encode();
    assert_eq!(Set::decode(&raw), Ok(request));
    Set::reply(&mut raw, &outcome);
    Set::refuse(&mut raw, "no");
    assert_eq!(Set::outcome(&raw), Ok(outcome));
    assert_eq!(Set::message(&raw).as_str(), "no");
    raw
}

pub fn replied_transition() -> [u8; Transition::SIZE] {
    let request = Transition {
        pool: name("web"),
        verb: Verb::Extend(Span::Seconds(56)),
        condition: Condition {
            expected: Some(55),
            ..Condition::default()
        },
        author: author("root", "why"),
    };
    let outcome = Outcome {
        generation: 57,
        digest: 58,
        changed: true,
        moved: 59,
    };
    let mut raw = request.encode();
    assert_eq!(Transition::decode(&raw), Ok(request));
    Transition::reply(&mut raw, &outcome);
    Transition::refuse(&mut raw, "no");
    assert_eq!(Transition::outcome(&raw), Ok(outcome));
    assert_eq!(Transition::message(&raw).as_str(), "no");
    raw
}

pub fn transition(verb: Verb) -> [u8; Transition::SIZE] {
    let request = Transition {
        pool: name("web"),
        verb,
        condition: Condition::default(),
        author: Author::default(),
    };
    assert_eq!(Transition::decode(&request.encode()), Ok(request));
    request.encode()
}

pub fn health_set() -> [u8; Set::SIZE] {
    let request = Set {
        pool: name("web"),
        server: name("s1"),
        state: State::Health(Health::Down),
        condition: Condition::default(),
        author: Author::default(),
    };
    assert_eq!(Set::decode(&request.encode()), Ok(request));
    request.encode()
}

pub fn replied_dump() -> [u8; Dump::SIZE] {
    let request = Dump { image: 41, len: 40 };
    let dumped = Dumped {
        len: 42,
        generation: 43,
        digest: 44,
    };
    let mut raw = request.encode();
    assert_eq!(Dump::decode(&raw), Ok(request));
    Dump::reply(&mut raw, &dumped);
    Dump::refuse(&mut raw, "no");
    assert_eq!(Dump::dumped(&raw), Ok(dumped));
    assert_eq!(Dump::message(&raw).as_str(), "no");
    raw
}

pub fn replied_answer() -> [u8; Answer::SIZE] {
    let request = Answer {
        answer: true,
        author: author("root", "why"),
    };
    let mut raw = request.encode();
    assert_eq!(Answer::decode(&raw), Ok(request));
    Answer::reply(&mut raw, true);
    Answer::refuse(&mut raw, "no");
    assert_eq!(Answer::changed(&raw), Ok(true));
    assert_eq!(Answer::message(&raw).as_str(), "no");
    raw
}

pub fn replied_lookup(client: Address, found: Found, message: &str) -> [u8; Lookup::SIZE] {
    let pool = name("web");
    let request = Lookup { pool, client };
    let mut raw = request.encode();
    assert_eq!(Lookup::decode(&raw), Ok(request));
    Lookup::reply(&mut raw, &found);
    Lookup::refuse(&mut raw, message);
    assert_eq!(Lookup::found(&raw), Ok(found));
    assert_eq!(Lookup::message(&raw).as_str(), message);
    raw
}
