// SPDX-License-Identifier: GPL-2.0

//! What becomes of each kind of packet, for all chains, hosts and claims there can be.

mod common;
mod segment;

use common::{equal, id};
use onehop_dispatch::addr::{Address, Prefixes};
use onehop_dispatch::bitmap::Bitmap;
use onehop_dispatch::chain::{Chain, Link};
use onehop_dispatch::course::{broadcast, chance, track, Course};
use onehop_dispatch::flow::Flow;
use onehop_dispatch::function::Owner;
use onehop_dispatch::function::{Function, Kind, Law};
use onehop_dispatch::hash::{RowCount, NONE};
use onehop_dispatch::server::ServerId;
use onehop_dispatch::siphash::Keyed;
use onehop_dispatch::transition::Past;
use segment::{segment, ACK, PORTS, SYN};

/// Servers 0..4 are there; 4 stands for a host that is none of a chain.
const SERVERS: u32 = 5;

/// The chain of a client whose owners, by the functions from the newest on, are these.
fn chain(owners: &[Option<u32>], settling: usize) -> Chain {
    let (keyed, rows) = (Keyed::new([0; 16]), RowCount::new(256).unwrap());
    let servers = equal(SERVERS);
    let law = Law::new(Kind::Hash { keyed, rows }, Prefixes::default(), &servers).unwrap();
    let row = |owner: &Option<u32>| vec![owner.map_or(NONE, |id| id as u16); 256];
    let tables: Vec<Vec<u16>> = owners.iter().map(row).collect();
    let functions: Vec<Function<'_>> = tables
        .iter()
        .map(|rows| Function::new(&law, &servers, rows, &[]))
        .collect();
    let older = functions[1..].iter();
    let older = older.map(|function| Past::new(*function, &Bitmap::EMPTY, true));
    Chain::of(&functions[0], older, Address::V4([192, 0, 2, 1]), settling)
}

/// All chains of up to three functions over servers 0..3 or nobody, settled or not.
fn chains() -> Vec<Chain> {
    let owners = [None, Some(0), Some(1), Some(2), Some(3)];
    let mut chains = Vec::new();
    for a in owners {
        chains.push(chain(&[a], 0));
        for b in owners {
            for settling in 0..=1 {
                chains.push(chain(&[a, b], settling));
            }
            for c in owners {
                for settling in 0..=2 {
                    chains.push(chain(&[a, b, c], settling));
                }
            }
        }
    }
    chains
}

fn syn() -> Flow {
    Flow::Segment(segment(7, 0, SYN, 0))
}

fn data() -> Flow {
    Flow::Segment(segment(7, 9, ACK, 10))
}

/// Those that a socket can claim.
fn claimed() -> [Flow; 2] {
    [data(), Flow::Quoted(PORTS)]
}

fn all() -> [Flow; 5] {
    [
        syn(),
        data(),
        Flow::Quoted(PORTS),
        Flow::LaterFragment,
        Flow::Other,
    ]
}

fn link_of(chain: &Chain, server: ServerId) -> Link {
    let found = chain.links().iter().find(|link| link.server == server);
    *found.unwrap()
}

#[test]
fn of_all_servers_that_have_it() {
    for chain in chains() {
        for flow in all() {
            for holder in (0..SERVERS).map(id) {
                for me in (0..SERVERS).map(id) {
                    let course = broadcast(&chain, &flow, |id| id == me, || me == holder);
                    let keeps = match flow {
                        _ if !chain.is_moved() => chain.names(me),
                        _ if flow == syn() => chain.fresh() == Some(me),
                        Flow::Segment(_) | Flow::Quoted(_) => chain.names(me) && me == holder,
                        Flow::LaterFragment => chain.names(me),
                        Flow::Other => chain.oldest() == Some(me),
                    };
                    let expected = match course {
                        _ if keeps => Course::Keep(link_of(&chain, me)),
                        _ if chain.links().is_empty() => Course::Nobody,
                        _ if !chain.names(me) => Course::NotOwner,
                        _ if claimed().contains(&flow) => Course::Unclaimed,
                        _ if flow == syn() && chain.fresh().is_none() => Course::Nobody,
                        _ => Course::NotOwner,
                    };
                    assert_eq!(course, expected, "{chain:?} {flow:?} {me:?} {holder:?}");
                }
            }
        }
    }
}

/// A host may be several of a pool's servers.
#[test]
fn one_host_is_two_servers() {
    let chain = chain(&[Some(2), Some(1), Some(0)], 1);
    let is_me = |server: ServerId| server == id(1) || server == id(2);
    let kept = |server| Course::Keep(link_of(&chain, id(server)));
    assert_eq!(broadcast(&chain, &syn(), is_me, || false), kept(1));
    assert_eq!(broadcast(&chain, &data(), is_me, || true), kept(2));
    let from_anywhere = |flow| chance(&chain, &flow, is_me, true, false, |_| false, || false);
    assert_eq!(from_anywhere(syn()), kept(1));
    let link = link_of(&chain, id(1));
    let passed = Course::Send { link, passed: true };
    assert_eq!(from_anywhere(data()), passed);
}

/// Follows a packet from host to host, `entry` being a server or none. Who keeps it at last, if
/// anyone; `holder` has a socket for it.
fn walk(chain: &Chain, flow: &Flow, entry: Option<ServerId>, holder: Option<ServerId>) -> Course {
    let (mut at, mut sender) = (entry, None);
    for hop in 0..=4 {
        let is_me = |id| at == Some(id);
        let sent_by = |id| sender == Some(id);
        let claims = || at == holder;
        let from_peer = sender.is_some();
        let course = chance(chain, flow, is_me, at.is_some(), from_peer, sent_by, claims);
        let Course::Send { link, passed } = course else {
            return course;
        };
        assert_ne!(Some(link.server), sender, "sent back");
        assert_ne!(Some(link.server), at, "sent to itself");
        assert!(chain.names(link.server) && link == link_of(chain, link.server));
        let starts = chain.links().first().map(|link| link.server);
        let was_asked = sender.is_some() || at == starts;
        assert_eq!(passed, was_asked && claimed().contains(flow), "{hop}");
        (at, sender) = (Some(link.server), at);
    }
    panic!("it goes round");
}

fn entries() -> impl Iterator<Item = Option<ServerId>> {
    (0..SERVERS).map(id).map(Some).chain([None])
}

/// Wherever it begins, a packet comes to the server that has its connection, or to nobody.
#[test]
fn from_host_to_host() {
    for chain in chains() {
        let keeps = |server: Option<ServerId>| {
            server.map_or(Course::Nobody, |server| {
                Course::Keep(link_of(&chain, server))
            })
        };
        for entry in entries() {
            for flow in claimed() {
                for link in chain.links() {
                    let holder = Some(link.server);
                    assert_eq!(
                        walk(&chain, &flow, entry, holder),
                        keeps(holder),
                        "{chain:?}"
                    );
                }
                let nobody = match chain.links() {
                    [] => Course::Nobody,
                    [link] if !chain.is_moved() => Course::Keep(*link),
                    _ => Course::Unclaimed,
                };
                assert_eq!(
                    walk(&chain, &flow, entry, None),
                    nobody,
                    "{chain:?} {entry:?}"
                );
            }
            for holder in entries() {
                assert_eq!(walk(&chain, &syn(), entry, holder), keeps(chain.fresh()));
                assert_eq!(
                    walk(&chain, &Flow::Other, entry, holder),
                    keeps(chain.oldest())
                );
                let fragment = walk(&chain, &Flow::LaterFragment, entry, holder);
                assert_eq!(fragment, keeps(chain.oldest()));
            }
        }
    }
}

/// Another server's functions may not be this one's.
#[test]
fn what_a_peer_sent_is_kept_or_dropped() {
    for chain in chains() {
        for flow in all() {
            for me in (0..SERVERS).map(id) {
                let course = chance(&chain, &flow, |id| id == me, true, true, |_| true, || false);
                let owner = match flow {
                    _ if flow == syn() => chain.fresh(),
                    Flow::LaterFragment | Flow::Other => chain.oldest(),
                    _ => chain.oldest(),
                };
                let expected = match owner {
                    None => Course::Nobody,
                    Some(_) if !chain.names(me) => Course::Misdirected,
                    Some(_) if claimed().contains(&flow) && chain.is_moved() => Course::Unclaimed,
                    Some(_) => Course::Keep(link_of(&chain, me)),
                };
                assert_eq!(course, expected, "{chain:?} {flow:?} {me:?}");
            }
        }
    }
    // A dispatcher that is no server sends on what servers send.
    let chain = chain(&[Some(1), Some(0)], 0);
    let link = link_of(&chain, id(1));
    let sent = Course::Send {
        link,
        passed: false,
    };
    assert_eq!(
        chance(&chain, &syn(), |_| false, false, true, |_| true, || false),
        sent
    );
    assert_eq!(
        chance(&chain, &data(), |_| true, false, true, |_| true, || true),
        sent
    );
}

#[test]
fn by_records() {
    for chain in chains() {
        let link = |server| link_of(&chain, server);
        let sends = |server: Option<ServerId>| {
            server.map_or(Course::Nobody, |server| Course::Send {
                link: link(server),
                passed: false,
            })
        };
        // Where nobody has ever been live nobody is asked.
        let Some(first) = chain.oldest() else {
            continue;
        };
        let oldest = Some(first);
        let track = |flow: &Flow, noted: Option<ServerId>| {
            track(chain.newest(), link(first), flow, noted.map(link))
        };
        for noted in entries() {
            let noted = noted.filter(|server| chain.names(*server));
            for flow in claimed() {
                assert_eq!(track(&flow, noted), sends(noted.or(oldest)));
            }
            for flow in [Flow::LaterFragment, Flow::Other] {
                assert_eq!(track(&flow, noted), sends(oldest));
            }
            let anyone = oldest.filter(|_| chain.newest() != Owner::None);
            assert_eq!(track(&syn(), noted), sends(noted.or(anyone)), "{chain:?}");
        }
    }
}
