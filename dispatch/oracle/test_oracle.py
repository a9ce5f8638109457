#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The oracle against the numbers on the page, and its fast half against its plain half."""

import random
import unittest
from pathlib import Path

import law
from draw import Draw
from golden import DIRECTORY
from many import Owners
from oracle import Reader, Wrong, packed
from siphash import LANES, siphash, siphash13_many

PAGE = Path(__file__).resolve().parents[2] / "Documentation" / "dispatch.md"
KEY = bytes(range(16))


def example_stream():
    """The page's example stream: its lines, and the answers in its second column."""
    lines, answers = [], []
    block = PAGE.read_text(encoding="utf-8").split("Example, with all its answers:\n\n")[1]
    for text in block.splitlines():
        if not text.startswith("    "):
            break
        line, *answer = text[4:].split("  ", 1)
        lines.append(line)
        answers += [a.strip() for a in answer]
    return lines, answers


class Numbers(unittest.TestCase):
    def test_siphash(self):
        self.assertEqual(siphash(2, 4, KEY, bytes(range(15))), 0xA129CA6149BE45E5)
        self.assertEqual(siphash(2, 4, KEY, b""), 0x726FDB47DD0E0E31)
        self.assertEqual(siphash(1, 3, KEY, bytes(range(4))), 0xCF75576088D38328)

    def test_lanes(self):
        draw = random.Random("lanes")
        for length in (0, 1, 4, 6, 7, 8, 9, 16, 23):
            for count in (0, 1, 2, LANES - 1, LANES, LANES + 1):
                messages = [draw.randbytes(length) for _ in range(count)]
                plain = [siphash(1, 3, KEY, message) for message in messages]
                self.assertEqual(siphash13_many(KEY, messages), plain)

    def test_cost(self):
        self.assertEqual((law.T[1], law.T[512], law.T[1023]),
                         (0x5C4994DD, 0x95C01A39FB, 0xFFD1D28E4F))
        for hashed, cost in ((0, 0x400000000000), (1, 0x400000000000), (2, 0x3F0000000000),
                             (3, 0x3E6A3FE5C605), ((1 << 63) - 1, 0x10000000001),
                             (1 << 63, 0x10000000000), (0xC0DE0123456789AB, 0x6895D05F7D),
                             ((1 << 64) - 1, 1)):
            self.assertEqual(law.cost(hashed), cost)

    def test_example_of_kind_hash(self):
        pool = law.Pool("", "hash", KEY, 256, {4: 32, 16: 64})
        client = packed("192.0.2.1")
        self.assertEqual(siphash(1, 3, KEY, client), 0x62F72A7F32DC3AC9)
        self.assertEqual(law.row_of(pool, client), 201)
        for id, hashed, cost in ((3, 0x6B25440F18EA9980, 0x141AEAE4134),
                                 (7, 0x4E197E435616ACDE, 0x1B677410EB3),
                                 (9, 0xC2682C5FFD3122A1, 0x65A6008953)):
            self.assertEqual(siphash(1, 3, KEY, bytes([0, 0, 0, 201, 0, id])), hashed)
            self.assertEqual(law.cost(hashed), cost)

    def test_examples_of_kind_mod(self):
        for client, number, down, owner in (
                ("192.0.2.7", 3221225991, (), 1),
                ("192.0.2.8", 3221225992, (2,), 0),
                ("192.0.2.18", 3221226002, (2, 3), 4),
                ("2001:db8:0:1::9", 2306139568115548161, (), 1)):
            pool = law.Pool("", "mod", b"", 0, {4: 32, 16: 64})
            for id in range(5):
                pool.by_id[id] = law.Server(id, 1, "down" if id in down else "up", b"", b"")
            self.assertEqual(pool.number(packed(client)), number)
            self.assertEqual(law.owner(pool, packed(client)).id, owner)

    def test_example_stream(self):
        lines, answers = example_stream()
        self.assertEqual(len(answers), 10)
        self.assertEqual(list(Reader().answers(lines)), answers)


class Halves(unittest.TestCase):
    def test_fast_is_plain(self):
        draw = Draw(random.Random("halves"))
        for _ in range(80):
            reader = Reader()
            self.assertEqual(list(reader.answers(draw.pool("p"))), [])
            for size in (4, 16):
                clients = draw.clients(size, 12)
                self.assertEqual(Owners(reader.pool).of(clients),
                                 [law.owner(reader.pool, client) for client in clients])

    def test_golden(self):
        found = sorted(DIRECTORY.glob("*.questions"))
        self.assertEqual(len(found), 8)
        for questions in found:
            lines = questions.read_text(encoding="ascii").splitlines()
            answers = questions.with_suffix(".answers").read_text(encoding="ascii").splitlines()
            self.assertEqual(list(Reader().answers(lines)), answers, questions.name)


class Refusals(unittest.TestCase):
    POOL = "pool p hash 000102030405060708090a0b0c0d0e0f 256 32 64"

    def refused(self, *lines):
        with self.assertRaisesRegex(Wrong, f"^line {len(lines)}: "):
            list(Reader().answers(lines))

    def test_statements(self):
        for line in ("what", "after", "queue", "chain ::1", " digest", "digest ", "digest x",
                     "namespace x", "server 1 1 up - -", "ghost ::1", "digest", "owner ::1",
                     "order ::1", "rule ::1", "table 1", "override ::/1 1",
                     "pool p hash 00 256 32 64", "pool p hash - 256 32 64", "pool p rnd - - 32 64",
                     "pool p mod - 256 32 64", "pool p mod - - 0 64", "pool p mod - - 33 64",
                     "pool p mod - - 32 0", "pool p mod - - 32 129", "pool p mod - - 32",
                     self.POOL.replace("256", "128"), self.POOL.replace("256", "300"),
                     self.POOL.replace("256", "131072")):
            self.refused(line)

    def test_servers(self):
        for line in ("server 1024 1 up - -", "server +1 1 up - -", "server 1 0 up - -",
                     "server 1 1001 up - -", "server 1 1 live - -", "server 1 1 up ::1 -",
                     "server 1 1 up - 10.0.0.1", "server 1 1 up -", "server  1 1 up - -",
                     "ghost -", "ghost 10.0.0", "owner 10.0.0.01", "owner", self.POOL):
            self.refused(self.POOL, line)
        self.refused("pool p mod - - 32 64", "server 1 2 up - -")

    def test_explicit(self):
        for line in ("override 10.0.0.0/0 1", "override 10.0.0.0/33 1", "override 10.0.0.1/31 1",
                     "override 10.0.0.0 1", "override 10.0.0.0/8", "override 10.0.0.0/8 1024",
                     "override 10.0.0.0/8 -", "override ::/129 1", "override ::1/127 1",
                     "override ::ffff:0:0/96 1", "override ::ffff:10.0.0.0/104 1", "table 1"):
            self.refused(self.POOL, line)
        pool = self.POOL.replace("hash", "table")
        for line in ("table", "table x", "table 1024", "table 1*0", "table 1*", "table 1*257",
                     "table -*256 -", "table 1  1"):
            self.refused(pool, line)
        self.refused(pool, "table 1*250", "table 2*7")
        self.refused(self.POOL, "override ::/1 1", "override ::/1 2")
        self.refused(self.POOL, "digest", "override ::/1 1")

    def test_order_of_lines(self):
        server, owner = "server 1 1 up - -", "owner 192.0.2.1"
        self.refused(self.POOL, server, server)
        self.refused(self.POOL, "ghost ::1", "ghost ::1")
        self.refused(self.POOL, owner, "ghost ::1")
        self.refused(self.POOL, owner, server)
        self.refused(self.POOL, "namespace", "digest")
        self.refused(self.POOL, owner, owner, "owner 192.0.2")
        self.refused(self.POOL, "after", owner)
        self.refused(self.POOL, "queue 1")


if __name__ == "__main__":
    unittest.main()
