#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Answers a question stream (Documentation/dispatch.md) from standard input.

The second implementation of the dispatch law, written from that page alone. It must stay so:
whoever changes the law changes the page, then dispatch/ and this directory, each from the page.
"""

import re
import signal
import socket
import sys

import law
from digest import namespace_digest, pool_digest
from many import Owners
from transition import Queue

FAMILIES = {4: socket.AF_INET, 16: socket.AF_INET6}
KINDS = {"up": "up", "drain": "draining"}
STATES = ("up", "drain", "down")


class Wrong(Exception):
    """A line that is none of a correct configuration."""


def number(text, low, high, what):
    if not re.fullmatch("[0-9]{1,9}", text) or not low <= int(text) <= high:
        raise Wrong(f'"{text}": expected {what}, {low} to {high}')
    return int(text)


def packed(text, size=0):
    """An address in text as bytes; of size bytes, or 0 for either family."""
    size = size or (16 if ":" in text else 4)
    try:
        return socket.inet_pton(FAMILIES[size], text)
    except (OSError, ValueError):
        raise Wrong(f'"{text}": expected an IPv{4 if size == 4 else 6} address') from None


def arguments(rest, names):
    words = rest.split(" ")
    if len(words) != len(names.split()):
        raise Wrong(f'"{rest}": expected {names}')
    return words


class Reader:
    def __init__(self):
        self.line = 0
        self.pools = {}
        self.pool = None
        self.reached = 0
        self.owners = None
        self.queue = Queue()
        self.follows = False
        self.waiting = []

    def answers(self, lines):
        """The answers, in order, to lines without their line feeds."""
        statements = {"pool": self.begin, "table": self.table, "server": self.server,
                      "override": self.override, "ghost": self.ghost, "after": self.after}
        questions = {"digest": self.digest, "order": self.order, "rule": self.rule,
                     "chain": self.chain, "queue": self.numbers, "namespace": self.namespace}
        try:
            for self.line, line in enumerate(lines, 1):
                if line.startswith("owner ") and self.owners:
                    self.waiting.append(line[6:])
                    continue
                yield from self.told()
                if not line or line[0] == "#":
                    continue
                if line[-1] == " ":
                    raise Wrong(f'"{line}": expected no space at the end')
                word, _, rest = line.partition(" ")
                if word in statements:
                    statements[word](rest)
                elif word in questions:
                    yield questions[word](rest)
                elif word == "owner":
                    self.asked()
                    self.waiting.append(rest)
                else:
                    raise Wrong(f'"{line}": expected a statement or a question')
            self.line += 1
            yield from self.told()
        except Wrong as wrong:
            raise Wrong(f"line {self.line}: {wrong}") from None

    def begin(self, rest):
        name, kind, seed, rows, prefix4, prefix6 = arguments(
            rest, "NAME KIND SEED ROWS PREFIX4 PREFIX6")
        if not name or name in self.pools:
            raise Wrong(f'"{name}": expected a name that no other pool of the namespace has')
        if kind == "mod":
            if (seed, rows) != ("-", "-"):
                raise Wrong(f'"{seed} {rows}": expected "- -", kind mod has no seed and no rows')
            seed, rows = b"", 0
        elif kind in ("hash", "table"):
            if not re.fullmatch("[0-9a-fA-F]{32}", seed):
                raise Wrong(f'"{seed}": expected a seed of 32 hexadecimal digits')
            seed, rows = bytes.fromhex(seed), number(rows, 256, 65536, "a number of rows")
            if rows & rows - 1:
                raise Wrong(f'"{rows}": expected a power of two')
        else:
            raise Wrong(f'"{kind}": expected hash, mod or table')
        prefixes = {4: number(prefix4, 1, 32, "a prefix"), 16: number(prefix6, 1, 128, "a prefix")}
        self.pools[name] = self.pool = law.Pool(name, kind, seed, rows, prefixes)
        self.reached = 0
        if kind == "table":
            self.pool.table = [None] * rows
        self.owners = None
        if not self.follows:
            self.queue = Queue()
        self.follows = False

    def open_pool(self):
        if self.pool is None or self.owners:
            raise Wrong("expected this only between a pool and the first question about it")
        return self.pool

    def server(self, rest):
        pool = self.open_pool()
        id, weight, state, v4, v6 = arguments(rest, "ID WEIGHT STATE V4 V6")
        id = number(id, 0, 1023, "an id")
        if id in pool.by_id:
            raise Wrong(f'"{id}": expected an id that no other server of the pool has')
        if pool.kind == "mod" and weight != "1":
            raise Wrong(f'"{weight}": expected weight 1, kind mod has no other')
        weight = number(weight, 1, 1000, "a weight")
        if state not in STATES:
            raise Wrong(f'"{state}": expected up, drain or down')
        v4 = b"" if v4 == "-" else packed(v4, 4)
        v6 = b"" if v6 == "-" else packed(v6, 16)
        pool.by_id[id] = law.Server(id, weight, state, v4, v6)

    def table(self, rest):
        pool = self.open_pool()
        for word in rest.split(" "):
            owner, star, count = word.partition("*")
            id = None if owner == "-" else number(owner, 0, 1023, "an id")
            count = number(count, 1, 65536, "a number of rows") if star else 1
            end = self.reached + count
            if end > len(pool.table):
                raise Wrong(f'"{word}": expected no more than {len(pool.table)} rows in all')
            pool.table[self.reached:end] = [id] * count
            self.reached = end

    def override(self, rest):
        pool = self.open_pool()
        prefix, id = arguments(rest, "ADDRESS/BITS ID")
        address, _, bits = prefix.partition("/")
        address = packed(address)
        bits = number(bits, 1, 8 * len(address), "a number of bits")
        if int.from_bytes(address, "big") % (1 << 8 * len(address) - bits):
            raise Wrong(f'"{prefix}": expected nothing but 0 behind the first {bits} bits')
        if law.counted(address) != address:
            raise Wrong(f'"{prefix}": expected a network of IPv4 to be written as one')
        if (address, bits) in pool.overrides:
            raise Wrong(f'"{prefix}": expected a prefix that no other override has')
        pool.overrides[address, bits] = number(id, 0, 1023, "an id")

    def ghost(self, rest):
        ghost = packed(rest)
        if ghost in self.open_pool().ghosts:
            raise Wrong(f'"{rest}": expected a ghost that the pool does not have yet')
        self.pool.ghosts.add(ghost)

    def asked(self):
        """A question about the pool: from here on it is as it is."""
        if self.pool is None:
            raise Wrong("expected a pool before a question about it")
        if not self.owners:
            self.owners = Owners(self.pool)
            self.queue.push(self.pool)

    def told(self):
        """The answers to the owner questions just read, all at once."""
        if not self.waiting:
            return
        waiting, self.waiting = self.waiting, []
        clients = {4: [], 16: []}
        sizes = []
        for at, text in enumerate(waiting):
            try:
                client = packed(text)
            except Wrong:
                self.line += at - len(waiting)
                raise
            clients[len(client)].append(client)
            sizes.append(len(client))
        owners = {size: iter(self.owners.of(clients[size])) for size in clients}
        words = {s: f" {KINDS[s.state]} {s.id}" for s in self.owners.live}
        words[None] = " none"
        for text, size in zip(waiting, sizes):
            yield "owner " + text + words[next(owners[size])]

    def alone(self, rest):
        if rest:
            raise Wrong(f'"{rest}": expected nothing after the question')

    def digest(self, rest):
        self.alone(rest)
        self.asked()
        return f"digest {pool_digest(self.pool):016x}"

    def order(self, rest):
        self.asked()
        ids = [str(s.id) for s in law.succession(self.pool, packed(rest))]
        return " ".join(["order", rest] + ids)

    def rule(self, rest):
        self.asked()
        return f"rule {rest} {law.decision(self.pool, packed(rest))[1]}"

    def after(self, rest):
        """What the next pool takes the place of is no pool of the namespace any more."""
        self.alone(rest)
        self.asked()
        del self.pools[self.pool.name]
        self.pool, self.owners, self.follows = None, None, True

    def chain(self, rest):
        self.asked()
        chain, oldest = self.queue.chain(packed(rest))
        links = [f"{id}@{age}" for id, age in chain.items()]
        return " ".join(["chain", rest] + links + ["oldest", str("none" if oldest is None else oldest)])

    def numbers(self, rest):
        self.alone(rest)
        self.asked()
        return " ".join(["queue"] + [str(f.number) for f in self.queue.functions])

    def namespace(self, rest):
        self.alone(rest)
        pools, self.pools = self.pools, {}
        self.pool = self.owners = None
        return f"namespace {namespace_digest(pools.values()):016x}"


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    try:
        for answer in Reader().answers(line.rstrip("\n") for line in sys.stdin):
            print(answer)
    except Wrong as wrong:
        sys.stdout.flush()
        print(f"oracle: {wrong}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
