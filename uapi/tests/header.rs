// SPDX-License-Identifier: GPL-2.0
//! The numbers of this crate are those that the C compiler finds in onehop.h.

mod compiler;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use onehop_uapi as uapi;
use onehop_uapi::{ioctl, limits, Counter};

/// The value of each C expression, as a C program prints it.
fn evaluate(name: &str, expressions: &[String]) -> BTreeMap<String, u64> {
    let mut source = String::from("#include <stdio.h>\n#include \"onehop.h\"\nint main(void) {\n");
    for expression in expressions {
        let text = format!("printf(\"%s=%llu\\n\", \"{expression}\", ");
        writeln!(source, "{text}(unsigned long long)({expression}));").unwrap();
    }
    source.push_str("return 0;\n}\n");
    compiler::output(name, &source)
        .lines()
        .map(|line| {
            let (expression, value) = line.rsplit_once('=').unwrap();
            (expression.to_owned(), value.parse().unwrap())
        })
        .collect()
}

/// Compares pairs of a C expression and the number it has in Rust.
fn compare(name: &str, pairs: &[(String, u64)]) {
    let expressions: Vec<_> = pairs.iter().map(|(text, _)| text.clone()).collect();
    let values = evaluate(name, &expressions);
    for (expression, ours) in pairs {
        assert_eq!(values[expression], *ours, "{expression}");
    }
}

fn pair(expression: &str, value: impl TryInto<u64>) -> (String, u64) {
    let value = value.try_into().unwrap_or_else(|_| panic!("{expression}"));
    (expression.to_owned(), value)
}

#[test]
fn sizes_are_those_of_the_header() {
    compare(
        "sizes",
        &[
            pair("sizeof(struct onehop_image)", uapi::Header::SIZE),
            pair("sizeof(struct onehop_pool)", uapi::Pool::SIZE),
            pair("sizeof(struct onehop_ghost)", uapi::Ghost::SIZE),
            pair("sizeof(struct onehop_server)", uapi::Server::SIZE),
            pair("sizeof(struct onehop_device)", uapi::Device::SIZE),
            pair("sizeof(struct onehop_override)", uapi::Override::SIZE),
            pair("sizeof(__u16)", uapi::Table::ROW),
            pair("sizeof(struct onehop_info)", uapi::Info::SIZE),
            pair("sizeof(struct onehop_apply)", uapi::Apply::SIZE),
            pair("sizeof(struct onehop_dump)", uapi::Dump::SIZE),
            pair("sizeof(struct onehop_set)", uapi::Set::SIZE),
            pair("sizeof(struct onehop_lookup)", uapi::Lookup::SIZE),
            pair("sizeof(struct onehop_stats)", uapi::Stats::SIZE),
            pair("sizeof(struct onehop_answer)", uapi::Answer::SIZE),
            pair("sizeof(struct onehop_older)", uapi::Older::SIZE),
            pair("sizeof(struct onehop_transition)", uapi::Transition::SIZE),
            pair("sizeof(struct onehop_event)", uapi::Event::SIZE),
        ],
    );
}

#[test]
fn constants_are_those_of_the_header() {
    compare(
        "constants",
        &[
            pair("ONEHOP_ABI", limits::ABI),
            pair("ONEHOP_NAME_LEN", limits::NAME_LEN),
            pair("ONEHOP_REASON_LEN", limits::REASON_LEN),
            pair("ONEHOP_MESSAGE_LEN", limits::MESSAGE_LEN),
            pair("ONEHOP_DEVICE_LEN", limits::DEVICE_LEN),
            pair("ONEHOP_MAX_POOLS", limits::MAX_POOLS),
            pair("ONEHOP_MAX_GHOSTS", limits::MAX_GHOSTS),
            pair("ONEHOP_MAX_DEVICES", limits::MAX_DEVICES),
            pair("ONEHOP_MAX_OVERRIDES", limits::MAX_OVERRIDES),
            pair("ONEHOP_MAX_SERVERS", limits::MAX_SERVERS),
            pair("ONEHOP_MAX_WEIGHT", limits::MAX_WEIGHT),
            pair("ONEHOP_MIN_ROWS", limits::MIN_ROWS),
            pair("ONEHOP_MAX_ROWS", limits::MAX_ROWS),
            pair("ONEHOP_MAX_IMAGE", limits::MAX_IMAGE),
            pair("ONEHOP_NO_SERVER", limits::NO_SERVER),
            pair("ONEHOP_RUNNERS_UP", limits::RUNNERS_UP),
            pair("ONEHOP_MAX_FUNCTIONS", limits::MAX_FUNCTIONS),
            pair("ONEHOP_MAX_SECONDS", limits::MAX_SECONDS),
            pair("ONEHOP_FOREVER", limits::FOREVER),
            pair("ONEHOP_SERVER_LEAVING", limits::SERVER_LEAVING),
            pair("ONEHOP_NOW", limits::NOW),
            pair("ONEHOP_SERVER_START_DOWN", limits::SERVER_START_DOWN),
            pair("ONEHOP_DRY_RUN", limits::DRY_RUN),
            pair("ONEHOP_EXPECT", limits::EXPECT),
            pair("ONEHOP_IOC_INFO", ioctl::INFO),
            pair("ONEHOP_IOC_APPLY", ioctl::APPLY),
            pair("ONEHOP_IOC_DUMP", ioctl::DUMP),
            pair("ONEHOP_IOC_SERVER", ioctl::SERVER),
            pair("ONEHOP_IOC_LOOKUP", ioctl::LOOKUP),
            pair("ONEHOP_IOC_STATS", ioctl::STATS),
            pair("ONEHOP_IOC_ANSWER", ioctl::ANSWER),
            pair("ONEHOP_IOC_TRANSITION", ioctl::TRANSITION),
        ],
    );
}

#[test]
fn enumerations_are_those_of_the_header() {
    let mut pairs = vec![pair("ONEHOP_COUNTERS", Counter::COUNT)];
    for counter in Counter::ALL {
        let name = counter.name().to_uppercase();
        pairs.push(pair(&format!("ONEHOP_{name}"), counter.index()));
    }
    macro_rules! all {
        ($($type:ident)*) => {$(
            for value in uapi::$type::ALL {
                let name = format!("ONEHOP_{}_{}", stringify!($type), value.name());
                pairs.push(pair(&name.to_uppercase(), value.number()));
            }
        )*};
    }
    all!(Mode Shape Method Kind Policy Admin Health Reach Rule Verdict);
    compare("enumerations", &pairs);
}
