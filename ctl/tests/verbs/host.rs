// SPDX-License-Identifier: GPL-2.0
//! A host in memory, as ip, ethtool and /proc tell of it.

use std::collections::BTreeMap;
use std::io;

use onehopctl::{Context, System};
use serde_json::{json, Value};

use crate::fake::{Fake, NOW};
use crate::run::Ran;

/// A host that has nothing but what is asked for. By default it is server s1 of
/// [`FILE`], on eth0, with the ghosts on lo and ARP silenced.
pub struct Host {
    pub links: Vec<Value>,
    /// The routes of a question to ip, by the question.
    pub routes: BTreeMap<&'static str, Value>,
    /// The way to an address, or `ADDRESS vrf NAME`.
    pub ways: BTreeMap<&'static str, Value>,
    pub files: BTreeMap<&'static str, &'static str>,
    pub lro: Option<&'static str>,
    /// What ip says instead, and whether that is a success.
    pub ip: Option<io::Result<(bool, &'static str)>>,
}

/// The file of that server.
pub const FILE: &str = "devices = [\"eth0\"]\n\
    [pool.web]\nseed = \"00112233445566778899aabbccddeeff\"\nrows = 1024\n\
    ghosts = [\"192.0.2.80\", \"2001:db8:2::80\"]\n\
    [pool.web.server.s1]\nid = 1\naddress = \"10.0.0.1\"\naddress6 = \"2001:db8::1\"\n\
    [pool.web.server.s2]\nid = 2\naddress = \"10.0.0.2\"\naddress6 = \"2001:db8::2\"\n";

/// A device, as ip has it.
pub fn link(name: &str, flags: &[&str], addresses: &[(&str, u8)]) -> Value {
    let addresses = addresses.iter().map(|(address, prefix)| {
        json!({ "family": "inet", "local": address, "prefixlen": prefix, "scope": "global" })
    });
    json!({
        "ifindex": 2, "ifname": name, "flags": flags, "mtu": 1500, "operstate": "UP",
        "link_type": "ether", "addr_info": addresses.collect::<Vec<_>>(),
    })
}

impl Default for Host {
    fn default() -> Self {
        let up = ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"];
        let ghosts = [("192.0.2.80", 32), ("2001:db8:2::80", 128)];
        let own = [("10.0.0.1", 24), ("2001:db8::1", 64)];
        let way = json!({ "dev": "eth0", "prefsrc": "10.0.0.1", "flags": [], "cache": [] });
        let default = json!([{ "dst": "default", "gateway": "10.0.0.254", "dev": "eth0" }]);
        Self {
            links: vec![
                link("lo", &["LOOPBACK", "UP", "LOWER_UP"], &ghosts),
                link("eth0", &up, &own),
            ],
            routes: [("-j -4 route show default", default)].into(),
            ways: [("10.0.0.2", way.clone()), ("2001:db8::2", way)].into(),
            files: [
                ("/proc/sys/net/ipv4/conf/all/arp_ignore", "1\n"),
                ("/proc/sys/net/ipv4/conf/eth0/arp_announce", "2\n"),
            ]
            .into(),
            lro: Some("off [fixed]"),
            ip: None,
        }
    }
}

impl System for Host {
    fn file(&mut self, path: &str) -> Option<String> {
        self.files.get(path).map(|text| (*text).to_owned())
    }

    fn run(
        &mut self,
        program: &str,
        arguments: &[&str],
        input: &str,
    ) -> io::Result<onehopctl::Ran> {
        let ran = |success, out: String| {
            let err = "Object \"-d\" is unknown.\nmore".to_owned();
            Ok(onehopctl::Ran { success, out, err })
        };
        if program == "ethtool" {
            let lro = self.lro.ok_or(io::ErrorKind::NotFound)?;
            let out = format!("Features for eth0:\n\tlarge-receive-offload: {lro}\nntuple: off\n");
            return ran(true, out);
        }
        if let Some(said) = self.ip.take() {
            let (success, out) = said?;
            return ran(success, out.to_owned());
        }
        match &*arguments.join(" ") {
            "-j -d address show" => ran(true, Value::from(self.links.clone()).to_string()),
            "-j -force -batch -" => {
                let questions = input
                    .lines()
                    .map(|line| line.strip_prefix("route get ").unwrap());
                let answers = questions.filter_map(|question| {
                    let mut way = self.ways.get(question)?.clone();
                    way["dst"] = question.split(' ').next()?.into();
                    Some(format!("{}\n", json!([way])))
                });
                ran(false, answers.collect())
            }
            question => ran(
                true,
                self.routes.get(question).unwrap_or(&json!([])).to_string(),
            ),
        }
    }
}

/// Runs check on a host, with arguments as a shell would split them.
pub fn check(fake: &mut Fake, host: &mut Host, arguments: &str, input: &str) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut context = Context {
        kernel: fake,
        system: host,
        out: &mut out,
        err: &mut err,
        input: &mut input.as_bytes(),
        colour: false,
        terminal: false,
        json: false,
        plan: false,
        logs: Vec::new(),
        now: NOW,
        caller: "cargo(7)".into(),
    };
    let verb = ["onehopctl", "check"].into_iter();
    let code = onehopctl::run(verb.chain(arguments.split_whitespace()), &mut context);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran {
        code,
        out: text(out),
        err: text(err),
    }
}

pub fn without_module() -> Fake {
    Fake {
        absent: true,
        ..Fake::default()
    }
}

/// A server without the module, by the file.
pub fn plain(host: &mut Host) -> Ran {
    let mut fake = without_module();
    check(&mut fake, host, "--config -", FILE)
}

/// Severities, names and subjects.
pub fn told(ran: &Ran) -> Vec<String> {
    let lines = ran.out.lines().filter(|line| *line != "no problem found");
    let told = lines.map(|line| line.splitn(3, ": ").take(2).collect::<Vec<_>>().join(": "));
    told.collect()
}

/// The same file with another mode, and these lines in the pool besides.
pub fn file_with(lines: &str) -> String {
    FILE.replace("[pool.web]\n", &format!("[pool.web]\n{lines}\n"))
}
