# SPDX-License-Identifier: GPL-2.0
"""Random question streams: every kind of configuration that is correct, the odd ones often."""

import string
from socket import AF_INET, AF_INET6, inet_ntop

FAMILIES = {4: AF_INET, 16: AF_INET6}

# (chance, states a server may have): all up, few away, thirds, nobody up, nobody live, ...
MOODS = (
    (4, ("up",)),
    (4, ("up",) * 8 + ("drain", "down")),
    (3, ("up", "drain", "down")),
    (2, ("up", "down")),
    (2, ("up",) + ("drain", "down") * 6),
    (2, ("drain", "down")),
    (1, ("drain",)),
    (1, ("down",)),
)
# (chance, weights a server may have)
WEIGHTS = (
    (3, (1,)),
    (1, (7,)),
    (3, range(1, 11)),
    (3, range(1, 1001)),
    (1, (1, 1000)),
    (1, (999, 1000)),
)
MAPPED = bytes(10) + b"\xff\xff"
# Each row that a client hits costs a hash per live server, so many rows are rare.
ROWS = ((8, 256), (3, 512), (2, 1024), (1, 2048), (1, 4096), (1, 8192), (1, 16384), (1, 32768),
        (1, 65536))
COUNTS = ((6, range(1)), (8, range(1, 3)), (90, range(2, 10)), (70, range(9, 41)),
          (1, range(41, 1025)))
PREFIXES = {4: (32, 32, 32, 32, 24, 16, 8), 16: (64, 64, 64, 64, 128, 56, 48)}
SPECIAL = {
    4: [bytes(4), b"\xff" * 4, b"\x7f\0\0\1", b"\xc0\0\2\1"],
    16: [bytes(16), b"\xff" * 16, bytes(15) + b"\1", bytes(10) + b"\xff\xff\xc0\0\2\1"],
}


class Draw:
    def __init__(self, random):
        self.random = random
        # Those of the last overrides, as (number, bits), by the size of an address.
        self.networks = {4: [], 16: []}

    def pick(self, choices):
        return self.random.choices([what for _, what in choices], [c for c, _ in choices])[0]

    def name(self):
        letters = self.random.choices(string.ascii_lowercase, k=self.random.randint(1, 3))
        return "".join(letters) + self.random.choice(("", "", "-", "0", "-web", "-web-2"))

    def prefix(self, size):
        if self.random.random() < 0.3:
            return self.random.randint(1, 8 * size)
        return self.random.choice(PREFIXES[size])

    def text(self, packed):
        """An address in one of the ways it may be written."""
        if len(packed) == 16 and self.random.random() < 0.02:
            full = packed.hex(":", 2)
            return self.random.choice((full, full.upper()))
        return inet_ntop(FAMILIES[len(packed)], packed)

    def addresses(self, size, count):
        """count addresses, all different, in an order of their own."""
        net = self.random.choice((b"\x0a", b"\xfd", b"\xc0\0\2"))[:size - 2].ljust(size - 2, b"\1")
        return [net + n.to_bytes(2, "big") for n in self.random.sample(range(1, 65535), count)]

    def pool(self, name):
        """The statements of one pool."""
        kind = self.random.choice(("hash", "hash", "table", "mod"))
        seed = self.random.randbytes(16).hex() if kind != "mod" else "-"
        rows = self.pick(ROWS) if kind != "mod" else "-"
        yield f"pool {name} {kind} {seed} {rows} {self.prefix(4)} {self.prefix(16)}"
        count = self.random.choice(self.pick(COUNTS))
        states = self.pick(MOODS)
        weights = self.pick(WEIGHTS) if kind != "mod" else (1,)
        ids = self.random.sample(range(self.random.choice((count, 1024)) or 1), count)
        lines = []
        for id, v4, v6 in zip(ids, self.addresses(4, count), self.addresses(16, count)):
            v4, v6 = ("-" if self.random.random() < 0.2 else self.text(v) for v in (v4, v6))
            weight, state = self.random.choice(weights), self.random.choice(states)
            lines.append(f"server {id} {weight} {state} {v4} {v6}")
        for size in (4, 16):
            for ghost in self.addresses(size, self.random.choice((0, 0, 1, 1, 2, 5))):
                lines.append("ghost " + self.text(ghost))
        lines += self.overrides(ids, self.random.choice((0, 0, 1, 3, 30)))
        if kind == "table":
            lines.append(self.table(ids, rows))
        self.random.shuffle(lines)
        yield from lines

    def table(self, ids, rows):
        """Explicit owners, in runs, not of all rows, a few of them no servers."""
        ids = ids + ["-", self.random.randrange(1024)]
        longest = self.random.choice((4, 40) if rows <= 1024 else (rows // 64,))
        left = self.random.choice((1, rows // 2, rows))
        words = []
        while left:
            run = self.random.randint(1, min(left, longest))
            words.append(f"{self.random.choice(ids)}*{run}" if run > 1 else "-")
            left -= run
        return " ".join(["table"] + words)

    def overrides(self, ids, count):
        """Overrides, many of them within each other."""
        ids = ids + [self.random.randrange(1024)]
        self.networks = {4: [], 16: []}
        lines = {}
        for _ in range(count):
            size = self.random.choice((4, 16))
            number, bits = self.random.choice(
                [(0, 0), (0, 2 * size)] + self.networks[size])
            more = min(self.random.choice((1, 1, 2, 3, 8, 16)), 8 * size - bits)
            number, bits = number << more | self.random.randrange(1 << more), bits + more
            address = (number << 8 * size - bits).to_bytes(size, "big")
            if not address.startswith(MAPPED):
                self.networks[size].append((number, bits))
                text = inet_ntop(FAMILIES[size], address)
                lines[address, bits] = f"override {text}/{bits} {self.random.choice(ids)}"
        return list(lines.values())

    def queue(self, name):
        """Functions of one pool, few of which differ in more than their servers' states."""
        count = self.random.randint(1, 9)
        ids = self.random.sample(range(self.random.choice((count, 40)) or 1), count)
        seeds = [self.random.randbytes(16).hex() for _ in range(2)]
        kinds = [f"{kind} {prefix} 64" for kind in (
            "mod - -", f"hash {seeds[0]} 256", f"table {seeds[0]} 256", f"hash {seeds[1]} 512")
                 for prefix in (32, 24)]
        kind = self.random.choice(kinds)
        table = self.table(ids, 256)
        many = self.random.choice((0, 0, 1, 2, 5))
        overrides = self.overrides(ids, many)
        states = dict.fromkeys(ids, "up")
        for number in range(self.random.randint(1, 8)):
            if number:
                yield "after"
            if self.random.random() < 0.1:
                kind = self.random.choice(kinds)
            if self.random.random() < 0.1:
                table = self.table(ids, 256)
            if self.random.random() < 0.1:
                overrides = self.overrides(ids, many)
            for id in self.random.sample(ids, self.random.randint(0, min(2, count))):
                states[id] = self.random.choice(("up", "drain", "down", "down", "away"))
            yield f"pool {name} {kind}"
            yield from overrides
            if kind.startswith("table"):
                yield table
            for id, state in states.items():
                weight = 1 if "mod" in kind or id % 3 else self.random.choice((1, 1, 2))
                if state != "away":
                    yield f"server {id} {weight} {state} - -"
            yield "digest"
        yield "queue"
        for size in (4, 16):
            for client in self.clients(size, 12):
                yield "chain " + inet_ntop(FAMILIES[size], client)

    def clients(self, size, count):
        """Addresses spread over everything, crowded in few networks, differing in few bits, or at
        the ends of overrides."""
        networks = self.networks[size]
        form = self.random.randrange(5 if networks else 4)
        if form == 4:
            ends = [end + step << 8 * size - bits for number, bits in networks
                    for end, step in ((number, 0), (number, 1))]
            ends = [(end - self.random.randrange(2)) % (1 << 8 * size) for end in ends]
            return [self.random.choice(ends).to_bytes(size, "big") for _ in range(count)]
        if form == 0:
            step = 1 << self.random.randrange(8 * size - 12)
            first = self.random.randrange((1 << 8 * size) - step * count)
            return [(first + n * step).to_bytes(size, "big") for n in range(count)]
        tail = size if form < 3 else self.random.randrange(1, size)
        heads = [self.random.randbytes(size - tail) for _ in range(4)]
        noise = self.random.randbytes(tail * count)
        return [heads[n & 3] + noise[n * tail:n * tail + tail] for n in range(count)]

    def questions(self, count):
        """count owner questions, with a few others."""
        split = self.random.choice((0, count, count // 2, self.random.randint(0, count)))
        for size, share in ((4, split), (16, count - split)):
            clients = self.clients(size, share)
            if share > 8:
                clients[:4] = SPECIAL[size]
            family = FAMILIES[size]
            yield from ["owner " + inet_ntop(family, client) for client in clients]
            if self.random.random() < 0.5:
                yield from ("", "# the next questions are of another sort")
            if clients:
                client = self.random.choice(clients)
                yield "owner " + self.text(client)
                yield "order " + self.text(client)
                yield "rule " + self.text(client)
        yield "digest"

    def stream(self, pools, clients):
        names = set()
        for _ in range(pools):
            name = self.name()
            while name in names:
                name = self.name()
            names.add(name)
            yield from self.pool(name)
            yield from self.questions(clients)
            if self.random.random() < 0.3:
                yield from self.queue(name + "+")
                yield "namespace"
                names.clear()
        yield "namespace"
