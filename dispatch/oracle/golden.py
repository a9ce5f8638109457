#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Writes dispatch/tests/golden/ anew: the questions below and the oracle's answers.

Random streams are what compare is for. These are few, the same for ever, and contain what chance
does not find: ties, names that are prefixes of each other, pools at their limits.
"""

import random
from itertools import count, product
from pathlib import Path
from socket import AF_INET, inet_ntop

import law
from draw import FAMILIES, Draw
from many import Owners
from oracle import Reader, packed

DIRECTORY = Path(__file__).resolve().parent.parent / "tests" / "golden"
SEED = "000102030405060708090a0b0c0d0e0f"

# Rows in which cost(a) * weight(b) = cost(b) * weight(a), found by a search through all pairs and
# weights: seed as an integer, row, (id, weight), (id, weight). Different costs have such weights in
# about one pair in 10^9, different hashes have one cost in about one pair in 10^12. In the last row
# the greater hash loses: whoever compares hashes where weights are equal is found there.
TIES = (
    (0, 2791, (64, 185), (352, 13)),
    (0, 9273, (271, 793), (953, 783)),
    (0, 9833, (406, 139), (489, 365)),
    (0, 12916, (148, 491), (739, 583)),
    (0, 14559, (580, 831), (660, 227)),
    (0, 15442, (191, 307), (579, 979)),
    (0, 15478, (534, 295), (948, 953)),
    (0, 18430, (474, 25), (611, 69)),
    (84, 34992, (838, 1000), (860, 1000)),
    (327, 13471, (96, 1000), (888, 1000)),
)


def ask(clients, *words):
    return [f"{word} {client}" for client in clients for word in words]


def paper():
    """The examples of the page."""
    for away, client in (((), "192.0.2.7"), ((2,), "192.0.2.8"), ((2, 3), "192.0.2.18"),
                         ((), "2001:db8:0:1::9"), ((0, 1, 2, 3, 4), "192.0.2.8")):
        yield "pool paper mod - - 32 64"
        for id in range(5):
            yield f"server {id} 1 {'down' if id in away else 'up'} 10.0.0.{id + 1} -"
        yield "digest"
        yield from ask((client,), "owner", "order")
        yield "namespace"
    for seven, three in (("up", "up"), ("down", "up"), ("down", "down")):
        yield f"pool web hash {SEED} 256 32 64"
        yield "server 9 1 drain - 2001:db8::9"
        yield f"server 3 1 {three} 10.0.0.3 2001:db8::3"
        yield f"server 7 2 {seven} 10.0.0.7 -"
        yield "ghost 2001:db8::80"
        yield "ghost 192.0.2.80"
        yield "digest"
        yield from ask(("192.0.2.1", "2001:db8:0:1::9"), "owner", "order")
        yield "namespace"


def pools():
    """Small pools of every sort."""
    draw = Draw(random.Random("golden"))
    for number in range(24):
        pool = list(draw.pool(f"p{number}"))
        if len(pool) <= 24:
            yield from pool
            yield from draw.questions(16)
    yield "namespace"


def prefixes():
    """Clients that differ in one bit, on both sides of each prefix."""
    client4, client6 = "255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
    for number, (prefix4, prefix6) in enumerate(((32, 64), (31, 128), (25, 127), (24, 65), (23, 63),
                                                 (9, 56), (8, 48), (1, 1))):
        for kind in (f"hash {SEED} 1024", "mod - -"):
            yield f"pool {kind[0]}{number} {kind} {prefix4} {prefix6}"
            yield from (f"server {id} 1 up - -" for id in (0, 1, 2, 3, 254, 255, 256, 1023))
            for text, prefix in ((client4, prefix4), (client6, prefix6)):
                client = int.from_bytes(packed(text), "big")
                bits = 8 * len(packed(text))
                yield f"owner {text}"
                for bit in {0, prefix - 2, prefix - 1, prefix, bits - 1} & set(range(bits)):
                    flipped = (client ^ 1 << bits - 1 - bit).to_bytes(bits // 8, "big")
                    yield "owner " + inet_ntop(FAMILIES[bits // 8], flipped)
    yield "namespace"


def client_of(pool, row):
    """The first client from 10.0.0.0 on whose row it is."""
    owners = Owners(pool)
    for first in count(0x0A000000, 1 << 16):
        clients = [(first + n).to_bytes(4, "big") for n in range(1 << 16)]
        rows = owners.rows_of(clients)
        if row in rows:
            return clients[rows.index(row)]


def ties():
    """Servers that are equal in a row, and the same with one of them a little lighter."""
    for number, row, *servers in TIES:
        seed = number.to_bytes(16, "big")
        pool = law.Pool("tie", "hash", seed, 65536, {4: 32, 16: 64})
        for id, weight in servers:
            pool.by_id[id] = law.Server(id, weight, "up", b"", b"")
        client = inet_ntop(AF_INET, client_of(pool, row))
        for lighter in (None, 0, 1):
            yield f"pool tie hash {seed.hex()} 65536 32 64"
            for at, (id, weight) in enumerate(servers):
                yield f"server {id} {weight - (at == lighter)} up - -"
            yield from ask((client,), "owner", "order")
            yield "namespace"


def names():
    """The order of names, ghosts and servers in a namespace's digest."""
    for name in ("b", "a", "ab", "a-", "B", "a0", "aa", "z" * 15):
        yield f"pool {name} mod - - 32 64"
        for id in (300, 2, 10, 1):
            v4 = "-" if id == 2 else f"10.0.0.{id % 256}"
            v6 = "-" if id == 10 else f"fd00::{id}"
            yield f"server {id} 1 up {v4} {v6}"
        for ghost in ("192.0.2.9", "192.0.2.10", "2001:db8::", "::2", "9.255.255.255", "::1:0"):
            yield f"ghost {ghost}"
        yield "digest"
    yield "namespace"
    yield "pool alone mod - - 1 1"
    yield from ask(("192.0.2.1", "::1"), "owner", "order")
    yield "namespace"
    yield "namespace"


def queues():
    """Pools whose functions take each other's place."""
    draw = Draw(random.Random("queues"))
    for number in range(40):
        yield from draw.queue(f"q{number}")
    yield "namespace"


def explicit():
    """Explicit owners and overrides: prefixes within each other, at the ends of families, void."""
    nested = ("0.0.0.0/1", "192.0.0.0/2", "192.0.2.0/24", "192.0.2.128/25", "192.0.2.129/32",
              "255.255.255.255/32", "::/1", "::/80", "::ffff:0:0:0/80", "::1:0:0:0/96",
              "::fffe:0:0/96", "2001:db8::/32", "2001:db8::/33", "2001:db8::/127",
              "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128")
    clients = ("0.0.0.0", "127.255.255.255", "128.0.0.0", "191.255.255.255", "192.0.1.255",
               "192.0.2.0", "192.0.2.127", "192.0.2.128", "192.0.2.129", "192.0.2.130",
               "192.0.3.0", "255.255.255.254", "255.255.255.255", "::", "::fffd:ffff:ffff",
               "::fffe:0:0", "::fffe:ffff:ffff", "::ffff:0.0.0.0", "::ffff:192.0.2.129",
               "::ffff:255.255.255.255", "::1:0:0:0", "::1:1:0:0", "::ffff:0:0:0", "::1:0:0:0:0",
               "2001:db8::1", "2001:db8::2", "2001:db8:8000::", "2001:db9::", "7fff:ffff::",
               "8000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe",
               "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")
    kinds = ("mod - -", f"hash {SEED} 256", f"table {SEED} 256")
    for number, (kind, states) in enumerate(product(kinds, (
            ("up", "up", "up", "up"), ("up", "drain", "down", "up"), ("drain", "drain", "down", "drain"),
            ("down",) * 4))):
        yield f"pool k{number} {kind} 8 16"
        if kind.startswith("table"):
            yield from ("table 3*100 - 2", "table 1023*50 -*20 0*80 1 - 2 3")
        yield from (f"server {id} 1 {state} - -" for id, state in enumerate(states))
        for at, prefix in enumerate(nested):
            # One of them is no server.
            yield f"override {prefix} {(3, 0, 1, 2, 0, 7)[at % 6]}"
        yield "digest"
        yield from ask(clients, "owner", "rule", "order")
    yield "namespace"
    # One of everything: whose rows the functions share, and what a server that is gone leaves behind.
    functions = (("hash", "up up up", "0.0.0.0/1 1"), ("hash", "up drain up", "0.0.0.0/1 1"),
                 ("table", "up drain up", "0.0.0.0/1 1"), ("table", "up up up", "0.0.0.0/1 1"),
                 ("table", "up up up", "0.0.0.0/2 1"), ("table", "up down up", "0.0.0.0/2 1"),
                 ("table", "up up up", "0.0.0.0/2 1"), ("table", "up down up", "0.0.0.0/2 1"))
    for number, (kind, states, override) in enumerate(functions):
        if number:
            yield "after"
        yield f"pool q {kind} {SEED} 256 32 64"
        if kind == "table":
            yield "table 0*128 - 1*100"
        yield from (f"server {id} 1 {state} - -" for id, state in enumerate(states.split()))
        yield f"override {override}"
        yield from ask(("10.0.2.1", "100.0.2.1", "192.0.2.1"), "chain")
        yield "queue"
    yield "namespace"


def full():
    """1024 servers, where products are largest and shares smallest."""
    draw = random.Random("full")
    yield f"pool full hash {'ff' * 16} 65536 32 128"
    for id in range(1024):
        weight, state = draw.choice((1, 1000, 1000)), draw.choice(("up", "up", "drain", "down"))
        yield f"server {id} {weight} {state} - -"
    yield "digest"
    yield from ask((inet_ntop(AF_INET, draw.randbytes(4)) for _ in range(64)), "owner")
    yield "namespace"


FILES = {"paper": paper, "pools": pools, "prefixes": prefixes, "ties": ties, "names": names,
         "queues": queues, "explicit": explicit, "full": full}


def texts():
    """The name and the text of each file."""
    for name, questions in FILES.items():
        lines = list(questions())
        head = ["# SPDX-License-Identifier: GPL-2.0", "# " + questions.__doc__]
        for suffix, text in (("questions", head + lines), ("answers", Reader().answers(lines))):
            yield f"{name}.{suffix}", "".join(line + "\n" for line in text)


def main():
    DIRECTORY.mkdir(exist_ok=True)
    for name, text in texts():
        (DIRECTORY / name).write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()
