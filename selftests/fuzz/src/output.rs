// SPDX-License-Identifier: GPL-2.0

//! Whether what the dispatcher has sent is what it ought to have sent.

use crate::address::{is_ghost, is_own, GHOST4};
use crate::bed::{Port, DISPATCHER};
use crate::build::{FRAGMENT, TCP};
use crate::frame::{put, word, Frame, ARP, IPV4, IPV6, LINK};
use crate::law::ends;
use crate::sum::checksum;
use crate::verdict::{Output, Verdict};

/// What is wrong with `sent`, all frames that left because of one that came.
pub fn compare(frame: &Frame, verdict: &Verdict, sent: &[(Port, Frame)]) -> Result<(), String> {
    let mut on = Vec::new();
    for (port, one) in sent {
        if one.ethertype() == Some(ARP) && one.bytes.get(28..32) == Some(&GHOST4.octets()[..]) {
            return Err(format!("ARP in the ghost's name: {one}"));
        }
        // What the dispatcher itself has to say to a ghost is a client's.
        if matches!(ends(one.packet()), Some((from, to)) if is_ghost(to) && !is_own(from)) {
            on.push((*port, one));
        }
    }
    match (on_its_way(frame, verdict, &on), &verdict.other) {
        (Err(wrong), Some(other)) => on_its_way(frame, other, &on).map_err(|_| wrong),
        (result, _) => result,
    }
}

/// What is wrong with what has been sent to a ghost.
fn on_its_way(frame: &Frame, verdict: &Verdict, on: &[(Port, &Frame)]) -> Result<(), String> {
    let Some(output) = &verdict.output else {
        return match on.first() {
            Some((_, one)) => Err(format!("sent on: {one}")),
            None => Ok(()),
        };
    };
    for (port, one) in on {
        addressed(output, *port, one)?;
    }
    let is_many = frame.offloads.kind != 0;
    match on {
        // The device's driver looks at segments before it takes them, and may refuse; so does the
        // stack a checksum within the header, before it cuts the packet. (`ip_check_csum_start`)
        [] if verdict.is_doubtful || is_many || output.is_cut && is_summed_early(frame) => Ok(()),
        [] => Err("not sent on".into()),
        [(_, one)] if !output.is_cut || is_many && same(frame, output, one).is_ok() => {
            same(frame, output, one)
        }
        // Their headers are as various as their payload is not.
        all if is_many && output.is_cut => all.iter().try_for_each(|(_, one)| lives(output, one)),
        all if is_many => all
            .iter()
            .try_for_each(|(_, one)| lives(output, one))
            .and_then(|()| segments(frame, output, all)),
        all if output.is_cut => fragments(frame, output, all),
        _ => Err(format!("sent on {} times", on.len())),
    }
}

fn addressed(output: &Output, port: Port, one: &Frame) -> Result<(), String> {
    let kind = if output.packet[0] >> 4 == 6 {
        IPV6
    } else {
        IPV4
    };
    let is_right = port == output.port
        && one.to() == Some(output.to)
        && one.from() == Some(DISPATCHER)
        && one.ethertype() == Some(kind)
        && ends(one.packet()) == ends(&output.packet);
    if is_right {
        Ok(())
    } else {
        Err(format!(
            "not to {:02x?} on {:?}, but on {port:?}: {one}",
            output.to, output.port
        ))
    }
}

/// Whether a checksum is wanted of more than what is behind the header of IPv4.
fn is_summed_early(frame: &Frame) -> bool {
    let header = usize::from(frame.packet().first().unwrap_or(&0) & 15) * 4;
    frame.offloads.is_checksum_wanting()
        && usize::from(frame.offloads.checksum_start) < LINK + header
}

/// The packet as it ought to go.
fn aged(packet: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    let at = if packet[0] >> 4 == 6 { 7 } else { 8 };
    packet[at] = packet[at].wrapping_sub(1);
    packet
}

/// Whether two packets are the same but for the checksum of the header, which must be right.
fn same(frame: &Frame, output: &Output, one: &Frame) -> Result<(), String> {
    let (mut expected, mut seen) = (aged(&output.packet), one.packet().to_vec());
    if seen.len() != expected.len() {
        return Err(format!(
            "{} bytes where {} were expected: {one}",
            seen.len(),
            expected.len()
        ));
    }
    header_summed(&seen)?;
    for packet in [&mut expected, &mut seen] {
        mask(packet, frame);
    }
    match expected.iter().zip(&seen).position(|(a, b)| a != b) {
        Some(at) => Err(format!(
            "byte {at} is {:02x} where {:02x} was expected: {one}",
            seen[at], expected[at]
        )),
        None => Ok(()),
    }
}

fn header_summed(packet: &[u8]) -> Result<(), String> {
    let header = usize::from(packet[0] & 15) * 4;
    if packet[0] >> 4 == 4 && checksum(&packet[..header]) != 0 {
        return Err("the header's checksum is wrong".into());
    }
    Ok(())
}

/// Clears what may differ: the header's checksum, which has two ways to be right, and a checksum
/// that was still to be put in.
fn mask(packet: &mut [u8], frame: &Frame) {
    if let Some(at) = frame.offloads.checksum_at() {
        if at >= LINK {
            put(packet, at - LINK, 0);
        }
    }
    // Whoever looks at segments whose checksum is there puts it in again.
    if frame.offloads.kind != 0 {
        let (protocol, header) = transport(packet);
        put(packet, header + if protocol == TCP { 16 } else { 6 }, 0);
    }
    if packet[0] >> 4 == 4 {
        put(packet, 10, 0);
    }
}

fn lives(output: &Output, one: &Frame) -> Result<(), String> {
    let at = if output.packet[0] >> 4 == 6 { 7 } else { 8 };
    if one.packet()[at] == output.packet[at].wrapping_sub(1) {
        Ok(())
    } else {
        Err(format!("another time to live: {one}"))
    }
}

/// The pieces of an IPv4 packet: together they have all of it, each once, in their order.
fn fragments(frame: &Frame, output: &Output, all: &[(Port, &Frame)]) -> Result<(), String> {
    let mut whole = output.packet.clone();
    mask(&mut whole, frame);
    let header = usize::from(whole[0] & 15) * 4;
    let place = word(&whole, 6).unwrap_or(0);
    let mut at = header;
    for (number, (_, one)) in all.iter().enumerate() {
        let packet = one.packet();
        let wrong = |what: &str| Err(format!("fragment {number}: {what}: {one}"));
        if packet[..2] != whole[..2] || packet[4..6] != whole[4..6] || packet[9] != whole[9] {
            return wrong("another header");
        }
        header_summed(packet)?;
        lives(output, one)?;
        if packet[20..header] != whole[20..header] {
            return wrong("other options");
        }
        let is_last = number + 1 == all.len();
        let more = place & 0x2000 != 0 || !is_last;
        // What ends beyond 64 kB runs over into the flags.
        let offset = (place & 0x1fff) + ((at - header) / 8) as u16;
        if word(packet, 6) != Some(u16::from(more) << 13 | offset) {
            return wrong("another place");
        }
        if packet.len() > output.port.mtu() {
            return wrong("over the MTU");
        }
        // Taken as a packet of its own, so that what may differ is cleared where it is.
        let mut piece = vec![0x60; at];
        piece.extend(&packet[header..]);
        mask(&mut piece, frame);
        if whole.get(at..piece.len()) != Some(&piece[at..]) {
            return wrong("other bytes");
        }
        at = piece.len();
    }
    match whole.len() - at {
        0 => Ok(()),
        missing => Err(format!("{missing} bytes have not been sent on")),
    }
}

/// The segments of a packet that is many: together they have all its data, in their order.
fn segments(frame: &Frame, output: &Output, all: &[(Port, &Frame)]) -> Result<(), String> {
    // Those of UDP, by the older way, are fragments.
    let is_cut = frame.offloads.kind & 0x7f == 3;
    let mut joined: Vec<u8> = Vec::new();
    for (number, (_, one)) in all.iter().enumerate() {
        header_summed(one.packet())?;
        joined.extend(data(one.packet(), is_cut && number > 0));
    }
    // They are in units of 8 bytes, and what is made of less is not data.
    if joined == data(&output.packet, false) || is_cut && frame.offloads.size < 8 {
        Ok(())
    } else {
        Err(format!(
            "{} segments have other data: {}",
            all.len(),
            all[0].1
        ))
    }
}

/// What is behind the header of TCP or UDP, unless that is in an earlier fragment.
fn data(packet: &[u8], is_later: bool) -> &[u8] {
    let (mut protocol, mut at) = transport(packet);
    if packet[0] >> 4 == 6 && protocol == FRAGMENT {
        protocol = packet.get(at).copied().unwrap_or(0);
        at += 8;
    }
    at += match protocol {
        _ if is_later => 0,
        TCP => usize::from(packet.get(at + 12).unwrap_or(&0) >> 4) * 4,
        _ => 8,
    };
    packet.get(at..).unwrap_or(&[])
}

/// The number of the protocol, and where its header is.
fn transport(packet: &[u8]) -> (u8, usize) {
    match packet[0] >> 4 {
        6 => (packet[6], 40),
        _ => (packet[9], usize::from(packet[0] & 15) * 4),
    }
}
