#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Frames of every kind for the ghosts, sent round and round from one processor each.

	traffic.py DEVICE CPU

Some hundred a second, so that others get to run: bursts with pauses between. Stopped and
continued by signals.
"""

import os
import random
import socket
import struct
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from wire import checksum, frag_needed, ipv4, udp  # noqa: E402
from wire6 import FRAGMENT, ICMPV6, TCP, UDP, address, ipv6, summed  # noqa: E402

NUMBER = 3000
BURST, PAUSE = 8, 0.004
SYN, ACK, FIN = 2, 16, 1
# Of the dispatchers, now or at another time, and everybody's.
LINKS = [bytes([2, 0, 0, 0, which, number]) for which in (1, 2) for number in (1, 2)] * 3 + [b"\xff" * 6]


def segment(chance):
    flags = chance.choice((SYN, SYN, ACK, ACK, ACK | FIN))
    return struct.pack("!HHIIBBHHH", chance.randrange(30000, 31000), 80, chance.randrange(1 << 32), 1, 0x50, flags,
                       1000, 0, 0) + b"o" * chance.choice((0, 0, 100))


def packet4(chance):
    client, ghost = f"10.2.{chance.randrange(4)}.{chance.randrange(1, 255)}", f"192.0.2.{chance.randrange(80, 84)}"
    kind = chance.choice(("udp", "tcp", "tcp", "echo", "quote", "fragment", "options", "ttl", "short"))
    datagram = udp(chance.randrange(40000, 41000), 9, chance.choice((16, 600, 1400)))
    if kind == "tcp":
        return ipv4(client, ghost, TCP, segment(chance))
    if kind == "echo":
        message = struct.pack("!BBHHH", 8, 0, 0, 1, 1) + b"o" * 32
        return ipv4(client, ghost, 1, message[:2] + struct.pack("!H", checksum(message)) + message[4:])
    if kind == "quote":
        return ipv4("10.9.9.9", ghost, 1, frag_needed(1400, ipv4(ghost, client, TCP, segment(chance))[:28]))
    if kind == "fragment":
        return ipv4(client, ghost, UDP, b"o" * 64, flags=chance.choice((0, 1)), offset=chance.choice((0, 8)))
    if kind == "options":
        return ipv4(client, ghost, UDP, datagram, options=b"\1\1\1\0")
    if kind == "short":
        return ipv4("10.9.9.9", ghost, 1, frag_needed(1400, ipv4(ghost, client, TCP, b"")[:12]))
    return ipv4(client, ghost, UDP, datagram, ttl=1 if kind == "ttl" else 64)


def packet6(chance):
    client = address(f"2001:db8:2:{chance.randrange(1, 255):x}::1")
    ghost = address(f"2001:db8:80::{chance.randrange(80, 84)}")
    kind = chance.choice(("udp", "tcp", "tcp", "echo", "quote", "fragment", "ttl"))
    if kind == "tcp":
        return ipv6(client, ghost, TCP, summed(client, ghost, TCP, segment(chance), 16))
    if kind == "echo":
        return ipv6(client, ghost, ICMPV6, summed(client, ghost, ICMPV6, struct.pack("!BBHHH", 128, 0, 0, 1, 1), 2))
    if kind == "quote":
        message = struct.pack("!BBHI", 2, 0, 0, 1400) + ipv6(ghost, client, TCP, segment(chance))[:60]
        return ipv6(client, ghost, ICMPV6, summed(client, ghost, ICMPV6, message, 2))
    if kind == "fragment":
        return ipv6(client, ghost, FRAGMENT, struct.pack("!BBHI", UDP, 0, chance.choice((1, 64)), 1) + b"o" * 64)
    datagram = summed(client, ghost, UDP, struct.pack("!HHHH", 40000, 9, 24, 0) + b"o" * 16, 6)
    return ipv6(client, ghost, UDP, datagram, 1 if kind == "ttl" else 64)


def frames(chance, own):
    for _ in range(NUMBER):
        ethertype, packet = chance.choice(((0x0800, packet4), (0x86DD, packet6)))
        yield chance.choice(LINKS) + own + struct.pack("!H", ethertype) + packet(chance)


def main():
    name, cpu = sys.argv[1], int(sys.argv[2])
    os.sched_setaffinity(0, {cpu})
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    wire.bind((name, 0))
    ready = list(frames(random.Random(cpu), wire.getsockname()[4]))
    print("sending", flush=True)
    while True:
        for at in range(0, NUMBER, BURST):
            for frame in ready[at : at + BURST]:
                try:
                    wire.send(frame)
                except OSError:
                    pass  # no room just now
            time.sleep(PAUSE)


if __name__ == "__main__":
    main()
