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
    # Ids by row, None for none; and ids by (address, bits).
    table: list = field(default_factory=list)
    overrides: dict = field(default_factory=dict)

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
        return leading(client, self.prefixes[len(client)])


def leading(address, bits):
    return int.from_bytes(address, "big") >> 8 * len(address) - bits


MAPPED = bytes(10) + b"\xff\xff"


def counted(client):
    """The address by which overrides know a client."""
    return client.removeprefix(MAPPED) if len(client) == 16 else client


def longest(pool, client):
    """The override that counts for a client as (bits, id), or None."""
    client = counted(client)
    return max(((bits, id) for (address, bits), id in pool.overrides.items()
                if len(address) == len(client)
                and leading(address, bits) == leading(client, bits)), default=None)


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


def named(pool, client):
    """What is configured for a client, in the order in which it counts: a rule and an id."""
    found = longest(pool, client)
    if found:
        yield f"override {found[0]}", found[1]
    if pool.kind == "table":
        row = row_of(pool, client)
        yield f"table {row}", pool.table[row]


def decision(pool, client):
    """A client's owner, and what decides on it."""
    live = pool.live()
    for rule, id in named(pool, client):
        if pool.by_id.get(id) in live:
            return pool.by_id[id], rule
    for number, server in enumerate(preference(pool, client), 1):
        if server in live:
            return server, (f"try {number}" if pool.kind == "mod" else
                            f"row {row_of(pool, client)}")
    return None, "nobody"


def owner(pool, client):
    return decision(pool, client)[0]


def succession(pool, client):
    first = [pool.by_id[id] for _, id in named(pool, client) if id in pool.by_id]
    servers = list(dict.fromkeys(first + preference(pool, client)))
    return [s for state in ("up", "drain") for s in servers if s.state == state]
