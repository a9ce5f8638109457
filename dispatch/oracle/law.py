# SPDX-License-Identifier: GPL-2.0
"""The dispatch law as Documentation/dispatch.md states it, one client at a time.

Nothing here is fast. many.py is, and answers to this file.
"""

from dataclasses import dataclass, field
from functools import cmp_to_key

from siphash import siphash


@dataclass(eq=False)
class Server:
    id: int
    weight: int
    state: str
    v4: bytes
    v6: bytes


@dataclass
class Pool:
    name: str
    kind: str
    seed: bytes
    rows: int
    prefixes: dict
    by_id: dict = field(default_factory=dict)
    ghosts: set = field(default_factory=set)

    def servers(self):
        return [self.by_id[id] for id in sorted(self.by_id)]

    def live(self):
        up = [s for s in self.servers() if s.state == "up"]
        return up or [s for s in self.servers() if s.state == "drain"]

    def mask(self, size):
        """What a client's address of size bytes is ANDed with to be its key."""
        cleared = 8 * size - self.prefixes[size]
        return ((1 << 8 * size) - (1 << cleared)).to_bytes(size, "big")

    def number(self, client):
        """CA, the client's number."""
        return int.from_bytes(client, "big") >> 8 * len(client) - self.prefixes[len(client)]


def table():
    entries = []
    for i in range(1024):
        y = (1024 + i) << 53
        entry = 0
        for _ in range(40):
            y = y * y >> 63
            bit = y >> 64
            y >>= bit
            entry = entry << 1 | bit
        entries.append(entry)
    return entries + [1 << 40]


T = table()


def cost(hashed):
    h = max(hashed, 1)
    z = 64 - h.bit_length()
    m = h << z
    i = m >> 53 & 0x3FF
    p = m >> 21 & 0xFFFFFFFF
    return (z + 1 << 40) - (T[i] + ((T[i + 1] - T[i]) * p >> 32))


def row_of(pool, client):
    key = bytes(a & m for a, m in zip(client, pool.mask(len(client))))
    return siphash(1, 3, pool.seed, key) % pool.rows


def ranking(pool, row, servers):
    head = row.to_bytes(4, "big")
    costs = {s: cost(siphash(1, 3, pool.seed, head + s.id.to_bytes(2, "big"))) for s in servers}

    def before(a, b):
        return costs[a] * b.weight - costs[b] * a.weight or a.id - b.id

    return sorted(servers, key=cmp_to_key(before))


def tries(pool, client):
    """Kind mod: the servers in the order they would be tried if none were live."""
    untried = pool.servers()
    while untried:
        yield untried.pop(pool.number(client) % len(untried))


def preference(pool, client):
    if pool.kind == "mod":
        return list(tries(pool, client))
    return ranking(pool, row_of(pool, client), pool.servers())


def owner(pool, client):
    live = pool.live()
    return next((s for s in preference(pool, client) if s in live), None)


def succession(pool, client):
    servers = preference(pool, client)
    return [s for state in ("up", "drain") for s in servers if s.state == state]
