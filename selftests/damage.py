# SPDX-License-Identifier: GPL-2.0
"""Requests and images that are nearly right: valid ones, of which something is bent.

What is bent is drawn from the `random.Random` that the caller hands in, and from nothing else: with
its seed the same comes again.
"""

import ctypes
import socket

from mistakes import image, rich_image
from uapi import C, RECORDS, S, make, put, records

# Where comparisons turn over.
EDGES = {
    1: (0, 1, 2, 3, 4, 5, 6, 7, 8, 31, 32, 33, 64, 127, 128, 129, 254, 255),
    2: (0, 1, 2, 3, 4, 999, 1000, 1001, 1023, 1024, 1025, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF),
    4: (0, 1, 2, 3, 4, 5, 255, 256, 257, 512, 1024, 1025, 4096, 4097, 65535, 65536, 65537, C["ONEHOP_MAX_SECONDS"],
        C["ONEHOP_MAX_SECONDS"] + 1, C["ONEHOP_MAX_IMAGE"], C["ONEHOP_MAX_IMAGE"] + 1, 1 << 31, (1 << 32) - 1),
    8: (0, 1, 2, 255, 1 << 31, 1 << 32, 1 << 63, (1 << 64) - 1),
}
TEXTS = (b"", b"web", b"s1", b"s2", b"nobody", b".", b"-", b"lo", b"a/b", b"a b", b"a\nb", b"\x1b[2J", b"\xff\xfe",
         "wéb".encode(), b"w" * 15, b"w" * 16, b"w" * 31, b"w" * 32, b"w\0x", b"%s%n", b"\x7f")
ADDRESSES = [socket.inet_pton(socket.AF_INET, text) for text in (
    "0.0.0.0", "0.0.0.1", "10.0.0.1", "10.0.0.2", "127.0.0.1", "169.254.0.1", "192.0.2.80", "224.0.0.1",
    "255.255.255.255",
)] + [socket.inet_pton(socket.AF_INET6, text) for text in (
    "::", "::1", "::ffff:10.0.0.1", "2001:db8::1", "2001:db8::80", "fe80::1", "fec0::1", "ff02::1",
)]
# By structure the field that points into the process's own memory, which is not bent.
POINTERS = {"apply": "image", "dump": "image", "stats": "counters"}
# [out] fields of records: an image that is applied has zeros there.
OUT = {"pool": ("tracked", "digest"), "device": ("ifindex",),
       "server": ("health", "reach", "reach6", "ifindex", "ifindex6", "drain_left", "changed_at", "packets", "bytes",
                  "actor", "reason")}
# What ends by itself while it is looked at cannot be compared: transitions last an hour or more.
LONG = 3600


def bases():
    """Valid images, of everything something."""
    return [image(), image(pools=[], ghosts=[], servers=[]), rich_image(), rich_image(servers=(1, 7)),
            rich_image(overrides=(), owners=())]


def any_field(chance, struct):
    """Its name and type; rather one that says something than one that has to be zero."""
    name = type(struct).__name__
    fields = [it for it in struct._fields_ if it[0] != POINTERS.get(name)]
    said = [it for it in fields if it[0] not in OUT.get(name, ()) and not it[0].startswith("pad")]
    return chance.choice(said if chance.random() < 0.7 else fields)


def bend(chance, struct):
    """Another content of one field."""
    field, kind = any_field(chance, struct)
    if not issubclass(kind, ctypes.Array):
        around = getattr(struct, field) + chance.choice((-1, 1))
        setattr(struct, field, chance.choice((*EDGES[ctypes.sizeof(kind)], around)))
        return
    array = getattr(struct, field)
    if chance.random() < 0.4 or kind._type_ is not ctypes.c_uint8:
        array[chance.randrange(len(array))] = chance.choice((0, 1, 255, chance.randrange(256)))
        return
    content = chance.choice(ADDRESSES if len(array) in (4, 16) and chance.random() < 0.7 else TEXTS)
    put(struct, field, content[: len(array)].ljust(len(array), b"\0"))


def request(chance, name, **fields):
    """An argument of this command; right more often than not."""
    pool, server = chance.choice(("web", "web", "cast", "peer")), f"s{chance.choice((1, 1, 2, 3, 7))}"
    flags = chance.choice((0, 0, 0, C["ONEHOP_NOW"], C["ONEHOP_DRY_RUN"]))
    changes = {"flags": flags, "actor": "calls", "reason": "why"}
    field = chance.choice((1, 2))
    verb = chance.choice((1, 2, 3))
    argument = {
        "INFO": lambda: make("info"),
        "APPLY": lambda: make("apply", **changes),
        "DUMP": lambda: make("dump"),
        "SERVER": lambda: make("set", pool=pool, server=server, field=field,
                               value=chance.choice((1, 2, 3)[: 4 - field]), **changes),
        "TRANSITION": lambda: make("transition", pool=pool, verb=verb, seconds=LONG if verb == 3 else 0, actor="calls"),
        "LOOKUP": lambda: make("lookup", pool=pool, family=6, client=chance.randbytes(16)),
        "ANSWER": lambda: make("answer", answer=chance.choice((0, 1))),
        "STATS": lambda: make("stats", count=C["ONEHOP_COUNTERS"]),
    }[name]()
    for field, content in fields.items():
        put(argument, field, content)
    for _ in range(chance.choice((0, 0, 0, 1, 1, 2, 3))):
        bend(chance, argument)
    if 0 < getattr(argument, "seconds", 0) < LONG:
        argument.seconds += LONG
    return argument


def joined(parts, **head):
    """The image of these records; the header may lie about them."""
    numbers = {name: len(these) for name, these in parts.items()}
    header = make("image", abi=C["ONEHOP_ABI"], **numbers)
    for field, content in head.items():
        put(header, field, content)
    rows = b"".join(bytes(ctypes.c_uint16(owner)) for owner in parts["rows"])
    kept = [bytes(it) for name, these in parts.items() if name != "rows" for it in these]
    behind = sum(map(len, kept[len(kept) - len(parts["older"]):]))
    body = b"".join(kept)
    return bytes(header) + body[: len(body) - behind] + rows + body[len(body) - behind:]


def bent_records(chance, parts):
    """One thing about the records of an image is made otherwise."""
    name = chance.choice([name for name, these in parts.items() if these] or ["pools"])
    these = parts[name]
    at = chance.randrange(len(these)) if these else 0
    how = chance.randrange(10)
    if not these:
        parts["pools"].append(make("pool"))
    elif name == "rows":
        these[at] = chance.choice(EDGES[2])
    elif how == 0:
        these.insert(chance.randrange(len(these) + 1), type(these[at]).from_buffer_copy(these[at]))
    elif how == 1:
        del these[at]
    elif how == 2:
        chance.shuffle(these)
    elif how in (3, 4, 5):
        # One field of another record, which may have to be unique.
        field, _ = any_field(chance, these[at])
        other = getattr(chance.choice(these), field)
        put(these[at], field, bytes(other) if isinstance(other, ctypes.Array) else other)
    else:
        bend(chance, these[at])


def damaged(chance, whole):
    """An image that is nearly `whole`."""
    parts = {name: records(whole, name) for name in RECORDS}
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        bent_records(chance, parts)
    head = {}
    if chance.random() < 0.1:
        field, _ = chance.choice(S["image"]._fields_)
        head[field] = chance.choice(EDGES[4])
    raw = bytearray(joined(parts, **head))
    how = chance.random()
    if how < 0.1:
        for _ in range(chance.choice((1, 1, 2, 8))):
            raw[chance.randrange(len(raw))] = chance.choice((0, 1, 255, chance.randrange(256)))
    elif how < 0.15:
        del raw[chance.randrange(len(raw)):]
    elif how < 0.2:
        raw += chance.randbytes(chance.choice((1, 2, 24, 200)))
    return bytes(raw)
