#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Send SYNs that no connection stands behind.

	syn.py flood GHOST COUNT	from random addresses of 198.18.0.0/15
	syn.py spoof GHOST4 GHOST6	from each client and port that is a line of
					standard input
"""

import random
import socket
import struct
import sys

import record
from wire import checksum, ipv4


def syn(source, port, ghost):
    packed = [socket.inet_pton(socket.AF_INET6 if ":" in ghost else socket.AF_INET, one) for one in (source, ghost)]
    segment = struct.pack("!HHIIBBHHH", port, record.PORT, random.getrandbits(32), 0, 0x50, 2, 8192, 0, 0)
    pseudo = b"".join(packed) + struct.pack("!II", len(segment), socket.IPPROTO_TCP)
    segment = segment[:16] + struct.pack("!H", checksum(pseudo + segment)) + segment[18:]
    if ":" in ghost:
        return struct.pack("!IHBB", 6 << 28, len(segment), socket.IPPROTO_TCP, 64) + b"".join(packed) + segment
    return ipv4(source, ghost, socket.IPPROTO_TCP, segment)


def sender(family):
    return socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_RAW)


def flood(ghost, count):
    wire, network = sender(socket.AF_INET), 198 << 24 | 18 << 16
    for _ in range(int(count)):
        source = socket.inet_ntoa((network | random.getrandbits(17)).to_bytes(4, "big"))
        wire.sendto(syn(source, random.randrange(1024, 65536), ghost), (ghost, 0))


def spoof(ghost4, ghost6):
    four, six = sender(socket.AF_INET), sender(socket.AF_INET6)
    for line in sys.stdin:
        client, port = line.split()
        ghost, wire = (ghost6, six) if ":" in client else (ghost4, four)
        wire.sendto(syn(client, int(port), ghost), (ghost, 0))


if __name__ == "__main__":
    {"flood": flood, "spoof": spoof}[sys.argv[1]](*sys.argv[2:])
