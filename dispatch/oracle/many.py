# SPDX-License-Identifier: GPL-2.0
"""The owners of many clients of one pool, as law.py has them, but fast."""

from collections import defaultdict
from math import log2

import law
from siphash import siphash13_many

# law.cost() / 2^40 interpolates -log2(hash / 2^64) linearly between 1024 points an octave, which is
# off by less than 1.8e-7, and drops bits worth less than 1e-11; the float below is off by less than
# 1e-13. So two servers whose floats are farther apart than this (over the least weight) stand as
# the floats say. The others go through the law itself.
DOUBT = 1e-6


class Owners:
    """The pool must not change any more."""

    def __init__(self, pool):
        self.pool = pool
        self.live = pool.live()
        self.by_row = {}
        # Of each family, the bits of prefixes, the longest first, and what begins with them.
        networks = {4: defaultdict(dict), 16: defaultdict(dict)}
        for (address, bits), id in pool.overrides.items():
            networks[len(address)][bits][law.leading(address, bits)] = pool.by_id.get(id)
        self.networks = {size: sorted(by_bits.items(), reverse=True)
                         for size, by_bits in networks.items()}

    def of(self, clients):
        """The owner of each client; clients are packed addresses of one family."""
        if not self.live:
            return [None] * len(clients)
        if self.pool.kind == "mod":
            owners = self.by_tries(clients)
        else:
            rows = self.rows_of(clients)
            self.rank(sorted(set(rows).difference(self.by_row)))
            owners = map(self.by_row.__getitem__, rows)
        if not self.pool.overrides:
            return list(owners)
        live = set(self.live)
        servers = map(self.overrider, clients)
        return [server if server in live else owner for server, owner in zip(servers, owners)]

    def overrider(self, client):
        client = law.counted(client)
        for bits, servers in self.networks[len(client)]:
            start = law.leading(client, bits)
            if start in servers:
                return servers[start]
        return None

    def by_tries(self, clients):
        live = set(self.live)
        first = [s if s in live else None for s in self.pool.servers()]
        count = len(first)
        owners = []
        for number in map(self.pool.number, clients):
            left, owner = count, first[number % count]
            if owner is None:
                untried = first.copy()
            while owner is None:
                del untried[number % left]
                left -= 1
                owner = untried[number % left]
            owners.append(owner)
        return owners

    def rows_of(self, clients):
        if not clients:
            return []
        size, count = len(clients[0]), len(clients)
        mask = int.from_bytes(self.pool.mask(size) * count, "big")
        keys = (int.from_bytes(b"".join(clients), "big") & mask).to_bytes(size * count, "big")
        below = self.pool.rows - 1
        return [h & below for h in siphash13_many(
            self.pool.seed, [keys[at:at + size] for at in range(0, size * count, size)])]

    def rank(self, rows):
        """Finds the owners of these rows."""
        if self.pool.kind == "table":
            live = {s.id: s for s in self.live}
            self.by_row.update((row, live[self.pool.table[row]]) for row in rows
                               if self.pool.table[row] in live)
            rows = [row for row in rows if row not in self.by_row]
        if not rows:
            return
        count = len(rows)
        heads = [row.to_bytes(4, "big") for row in rows]
        tails = [s.id.to_bytes(2, "big") for s in self.live]
        hashes = siphash13_many(self.pool.seed, [head + tail for tail in tails for head in heads])
        columns = []
        for at, s in enumerate(self.live):
            scale = -1 / s.weight
            column = hashes[at * count:at * count + count]
            columns.append([(log2(h or 1) - 64) * scale for h in column])
        doubt = DOUBT / min(s.weight for s in self.live)
        for row, costs in zip(rows, zip(*columns)):
            least = min(costs)
            limit = least + doubt
            near = [s for s, c in zip(self.live, costs) if c <= limit]
            if len(near) > 1:
                near = law.ranking(self.pool, row, near)
            self.by_row[row] = near[0]
