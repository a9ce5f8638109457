#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Send frames for a ghost that are not all as they should be, straight to a device.

	odd_frames.py DEVICE LINK-ADDRESS GHOST CLIENT... [--from LINK-ADDRESS...]

Each client sends one of each kind, in an order that is always the same: whole
packets, and padded, cut short, tagged, misaddressed, broken, fragmented, expired
and oversized ones, and such as are no client's. Each of the link addresses of
--from sends a whole one of the last client's. Tells how many there have been.
"""

import socket
import struct
import sys

import wire
import wire6

OTHER = bytes.fromhex("020000000099")
BROADCAST = b"\xff" * 6
VLAN = 0x8100
UDP, ICMP, ICMPV6, NOBODYS = 17, 1, 58, 253
MANY_OPTIONS = bytes.fromhex("01010144080500000000000000")


def link(text):
    return bytes.fromhex(text.replace(":", ""))


def put(packet, at, data, summed=True):
    """An IPv4 packet with other bytes there, and the checksum that goes with them."""
    packet = packet[:at] + data + packet[at + len(data) :]
    if not summed:
        return packet
    size = (packet[0] & 15) * 4 if (packet[0] & 15) >= 5 else 20
    bare = packet[:10] + b"\0\0" + packet[12:]
    return bare[:10] + struct.pack("!H", wire.checksum(bare[:size])) + bare[12:]


def icmp_summed(message):
    return message[:2] + struct.pack("!H", wire.checksum(message)) + message[4:]


def odd4(client, ghost):
    def made(size=64, protocol=UDP, **more):
        payload = wire.udp(40000, 9, size) if protocol == UDP else b"o" * size
        return wire.ipv4(client, ghost, protocol, payload, **more)

    whole = made()
    yield whole
    # Filled up: to 46 bytes, by a tail that is not zeros, and beyond what a link would.
    yield made(4) + b"\xa5" * 14
    yield made(1) + b"\xa5" * 900
    # Other protocols, and what takes a look beyond the header.
    yield made(16, protocol=NOBODYS)
    yield wire.ipv4(client, ghost, ICMP, icmp_summed(b"\x08\0\0\0\0\1\0\1" + b"o" * 40))
    quote = wire.ipv4(ghost, client, 6, b"o" * 20)
    yield wire.ipv4("10.0.0.254", ghost, ICMP, wire.frag_needed(1400, quote[:28]))
    # Options, then with a checksum that is wrong.
    optional = made(options=MANY_OPTIONS)
    yield optional
    yield put(optional, 10, b"\x12\x34", False)
    # A header that is not right: checksum, version, its own length, the packet's, and none.
    yield put(whole, 10, b"\x12\x34", False)
    yield put(whole, 0, b"\x65")
    yield put(whole, 0, b"\x44")
    yield put(whole, 2, b"\x03\xe8")
    yield put(whole, 2, b"\0\x13")
    yield put(whole, 2, b"\0\0")
    yield whole[:19]
    yield whole[:12]
    # Fragments, the later one first.
    yield made(64, flags=0, offset=20)
    yield made(64, flags=1)
    # Time to live.
    for ttl in (0, 1, 2):
        yield made(ttl=ttl)
    # Over the MTU to one of the servers.
    yield made(1430, flags=2)
    yield made(1430)
    # Nobody's.
    for source in (ghost, "0.0.0.0", "127.0.0.1", "169.254.1.1", "224.0.0.1", "255.255.255.255"):
        yield wire.ipv4(source, ghost, UDP, wire.udp(40000, 9, 64))


def odd6(client, ghost):
    source, to = wire6.address(client), wire6.address(ghost)

    def made(size=64, names=(), protocol=UDP, hop_limit=64, source=source):
        data = struct.pack("!HHHH", 40000, 9, 8 + size, 0) + b"o" * size
        data = wire6.summed(source, to, UDP, data, 6) if protocol == UDP else b"o" * size
        protocol, data = wire6.chain(names, protocol, data)
        return wire6.ipv6(source, to, protocol, data, hop_limit)

    def fragment(first, more):
        return wire6.ipv6(source, to, wire6.FRAGMENT, struct.pack("!BBHI", UDP, 0, first | more, 7) + b"o" * 64)

    def message(data, source=source):
        return wire6.ipv6(source, to, ICMPV6, wire6.summed(source, to, ICMPV6, data, 2))

    whole = made()
    yield whole
    yield made(4) + b"\xa5" * 14
    yield made(1) + b"\xa5" * 900
    yield made(16, protocol=NOBODYS)
    yield message(b"\x80\0\0\0\0\1\0\1" + b"o" * 40)
    router = wire6.address("2001:db8::254")
    yield message(b"\2\0\0\0\0\0\5\x78" + wire6.ipv6(to, source, 6, b"o" * 20), router)
    for name in ("hop", "destination", "routing"):
        yield made(names=(name,))
    # Version, the packet's length, none, and no more header.
    yield b"\x45" + whole[1:]
    yield whole[:4] + b"\x03\xe8" + whole[6:]
    yield whole[:4] + b"\0\0" + whole[6:]
    yield whole[:4] + b"\0\0\x3b" + whole[7:40]
    yield whole[:39]
    yield whole[:12]
    yield fragment(64, 0)
    yield fragment(0, 1)
    for limit in (0, 1, 2):
        yield made(hop_limit=limit)
    yield made(1430)
    for text in (ghost, "::", "::1", "fe80::1", "ff02::1", "::ffff:10.2.0.1"):
        yield made(source=wire6.address(text))


def main():
    cut = sys.argv.index("--from") if "--from" in sys.argv else len(sys.argv)
    name, to, ghost, *clients = sys.argv[1:cut]
    is_ipv6 = ":" in ghost
    ethertype = struct.pack("!H", 0x86DD if is_ipv6 else 0x0800)
    odd = odd6 if is_ipv6 else odd4
    device = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    device.bind((name, 0))
    own = device.getsockname()[4]

    sent = 0

    def send(packet, tag=b"", to=link(to), own=own):
        nonlocal sent
        device.send(to + own + tag + ethertype + packet)
        sent += 1

    for client in clients:
        whole = next(odd(client, ghost))
        for packet in odd(client, ghost):
            send(packet)
        # To another host, to all; of a VLAN that nobody is in, and of none but with a priority.
        send(whole, to=OTHER)
        send(whole, to=BROADCAST)
        send(whole, struct.pack("!HH", VLAN, 10))
        send(whole, struct.pack("!HH", VLAN, 5 << 13))
    for text in sys.argv[cut + 1 :]:
        send(whole, own=link(text))
    print(sent)


if __name__ == "__main__":
    main()
