#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""xt_cluster.py ip|ip6 TABLE CHAIN: append a rule that drops what xt_cluster says is
another node's, of four.

What iptables would do; nft shows such a rule but reads none, and one message is
less than another package. The mask of the nodes that this one is stays empty, so
that every client is another's.
"""

import os
import socket
import struct
import sys

NEW_RULE, BATCH_BEGIN, BATCH_END = 10 << 8 | 6, 16, 17
REQUEST, ACK, CREATE, APPEND = 1, 4, 0x400, 0x800
FAMILIES = {"ip": socket.AF_INET, "ip6": socket.AF_INET6}
DROP = 0
INVERTED = 1
NETFILTER = 12


def attribute(number, *content):
    """Content that is a tuple nests."""
    nested = 0x8000 * isinstance(content[0], tuple)
    data = b"".join(attribute(*part) if nested else part for part in content)
    return struct.pack("=HH", 4 + len(data), number | nested) + data + bytes(-len(data) % 4)


def expression(name, *content):
    return (1, (1, name + b"\0"), (2, *content))


def message(kind, flags, family, resource, data=b""):
    body = struct.pack(">BBH", family, 0, resource) + data
    return struct.pack("=IHHII", 16 + len(body), kind, REQUEST | flags, 0, 0) + body


def rule(table, chain):
    number = struct.Struct(">I").pack
    cluster = struct.pack("=IIII", 4, 0, 0x10203040, INVERTED)
    return b"".join((
        attribute(1, table.encode() + b"\0"),
        attribute(2, chain.encode() + b"\0"),
        attribute(4,
                  expression(b"match", (1, b"cluster\0"), (2, number(0)), (3, cluster)),
                  expression(b"immediate", (1, number(0)), (2, (2, (1, number(DROP)))))),
    ))


def main():
    _, family, table, chain = sys.argv
    batch = message(BATCH_BEGIN, 0, 0, 10)
    batch += message(NEW_RULE, CREATE | APPEND | ACK, FAMILIES[family], 0, rule(table, chain))
    batch += message(BATCH_END, 0, 0, 10)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETFILTER) as netlink:
        netlink.send(batch)
        error, = struct.unpack_from("=i", netlink.recv(4096), 16)
    if error:
        sys.exit(f"xt_cluster.py: {os.strerror(-error)}")


if __name__ == "__main__":
    main()
