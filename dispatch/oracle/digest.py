# SPDX-License-Identifier: GPL-2.0
"""The digests of a pool and of a namespace, by Documentation/dispatch.md."""

from siphash import siphash

KEY = b"onehop digest v1"
STATES = {"up": b"u", "drain": b"d", "down": b"x"}


def be(size, value):
    return value.to_bytes(size, "big")


def address(packed):
    return {0: b"-", 4: b"4", 16: b"6"}[len(packed)] + packed


def pool_digest(pool):
    text = {"mod": b"M", "hash": b"H", "table": b"T"}[pool.kind]
    if pool.kind != "mod":
        text += pool.seed + be(4, pool.rows)
    if pool.kind == "table":
        text += b"".join(be(2, 0xFFFF if id is None else id) for id in pool.table)
    text += be(1, pool.prefixes[4]) + be(1, pool.prefixes[16])
    for s in pool.servers():
        text += b"s" + be(2, s.id) + be(2, s.weight) + STATES[s.state]
    if pool.overrides:
        text += b"o" + be(4, len(pool.overrides))
    for at, bits in sorted(pool.overrides, key=lambda prefix: (len(prefix[0]), prefix)):
        text += address(at) + be(1, bits) + be(2, pool.overrides[at, bits])
    return siphash(2, 4, KEY, text)


def namespace_digest(pools):
    text = b"N"
    by_name = {pool.name.encode("utf-8", "surrogateescape"): pool for pool in pools}
    for name, pool in sorted(by_name.items()):
        text += b"p" + be(4, len(name)) + name + be(8, pool_digest(pool))
        for ghost in sorted(pool.ghosts, key=lambda g: (len(g), g)):
            text += b"g" + address(ghost)
        for s in pool.servers():
            text += b"s" + be(2, s.id) + address(s.v4) + address(s.v6)
    return siphash(2, 4, KEY, text)
