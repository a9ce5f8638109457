# SPDX-License-Identifier: GPL-2.0
"""The ABI, read from its specification: uapi/onehop*.h become constants and
ctypes structures, so that the tests speak what the header says and nothing else.

Not a C parser: it knows the few forms that the header uses, and stops on others.
"""

import ctypes
import fcntl
import os
import re

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "uapi")
HEADERS = ("onehop_image.h", "onehop.h")
TYPES = {
    "__u8": ctypes.c_uint8,
    "__u16": ctypes.c_uint16,
    "__u32": ctypes.c_uint32,
    "__u64": ctypes.c_uint64,
}


def value(text, known):
    text = re.sub(r"\b(\d+|0x[0-9a-fA-F]+)[Uu]\b", r"\1", text)
    return eval(text, {"__builtins__": {}}, known)  # the project's own header


def constants(text):
    known = {}
    for name, body in re.findall(r"^#define\s+(ONEHOP_\w+)[ \t]+([^\n]*)$", text, re.M):
        if not name.startswith("ONEHOP_IOC_"):
            known[name] = value(body, known)
    for body in re.findall(r"enum\s+\w+\s*\{(.*?)\}", text, re.S):
        following = 0
        for item in filter(None, (item.strip() for item in body.split(","))):
            name, _, given = (part.strip() for part in item.partition("="))
            known[name] = following = value(given, known) if given else following
            following += 1
    return known


def structures(text, known):
    found = {}
    for name, body in re.findall(r"struct\s+onehop_(\w+)\s*\{(.*?)\};", text, re.S):
        fields = []
        for kind, field, size in re.findall(r"(__u\d+)\s+(\w+)(?:\[([^\]]+)\])?\s*;", body):
            fields.append((field, TYPES[kind] * value(size, known) if size else TYPES[kind]))
        if len(fields) != body.count(";"):
            raise SystemExit(f"uapi.py: a field of struct onehop_{name} has an unknown form")
        found[name] = type(name, (ctypes.Structure,), {"_fields_": fields})
    return found


def commands(text, known, structs):
    magic = value(re.search(r"ONEHOP_IOC_MAGIC\s+(\w+)", text).group(1), known)
    found = {}
    for name, number, struct in re.findall(
        r"ONEHOP_IOC_(\w+)\s+_IOWR\(ONEHOP_IOC_MAGIC,\s*(\d+),\s*struct onehop_(\w+)\)", text
    ):
        size = ctypes.sizeof(structs[struct])
        found[name] = 3 << 30 | size << 16 | magic << 8 | int(number)
    return found


def read(name):
    with open(os.path.join(FOLDER, name)) as header:
        return re.sub(r"/\*.*?\*/", "", header.read(), flags=re.S)


TEXT = "".join(map(read, HEADERS))
C = constants(TEXT)
S = structures(TEXT, C)
IOC = commands(TEXT, C, S)
# In order; the last member of the enumeration is their number.
COUNTERS = [
    name.lower()
    for name in re.findall(r"ONEHOP_(\w+)", re.search(r"enum onehop_counter\s*\{(.*?)\}", TEXT, re.S).group(1))
][:-1]


# What an image has behind its header, in order, each under its number's name there.
RECORDS = {**{f"{kind}s": S[kind] for kind in ("pool", "ghost", "server", "device", "override")},
           "rows": ctypes.c_uint16, "older": S["older"]}


def records(image, wanted):
    """All of one kind that an image has."""
    head = S["image"].from_buffer_copy(image)
    at = ctypes.sizeof(head)
    for name, kind in RECORDS.items():
        array = kind * getattr(head, name)
        if name == wanted:
            return list(array.from_buffer_copy(image, at))
        at += ctypes.sizeof(array)
    raise KeyError(wanted)


class Device:
    """An open /dev/onehop."""

    def __init__(self):
        self.fd = os.open("/dev/onehop", os.O_RDWR | os.O_CLOEXEC)

    def call(self, command, argument):
        """The errno, 0 on success; the argument is written back."""
        try:
            fcntl.ioctl(self.fd, command, argument, True)
        except OSError as error:
            return error.errno
        return 0

    def info(self):
        info = S["info"]()
        self.must(IOC["INFO"], info)
        return info

    def must(self, command, argument):
        error = self.call(command, argument)
        if error:
            raise OSError(error, os.strerror(error) + ": " + message(argument))

    def apply(self, image, **more):
        """An apply of these bytes: the errno and the argument as written back."""
        buffer = (ctypes.c_uint8 * max(len(image), 1)).from_buffer_copy(image or b"\0")
        argument = S["apply"](image=ctypes.addressof(buffer), len=len(image))
        for field, content in more.items():
            put(argument, field, content)
        return self.call(IOC["APPLY"], argument), argument

    def transition(self, verb, pool="web", **more):
        """What becomes of the older functions of a pool: the errno and the argument as written back."""
        argument = make("transition", pool=pool, verb=C[f"ONEHOP_VERB_{verb.upper()}"], **more)
        return self.call(IOC["TRANSITION"], argument), argument

    def dump(self):
        argument = S["dump"]()
        self.call(IOC["DUMP"], argument)
        buffer = (ctypes.c_uint8 * argument.len)()
        argument = S["dump"](image=ctypes.addressof(buffer), len=len(buffer))
        self.must(IOC["DUMP"], argument)
        return bytes(buffer)[: argument.len]

    def stats(self):
        values = (ctypes.c_uint64 * C["ONEHOP_COUNTERS"])()
        self.must(IOC["STATS"], S["stats"](counters=ctypes.addressof(values), count=len(values)))
        return dict(zip(COUNTERS, values))


def put(struct, field, content):
    """Set a field; bytes, str and lists go into arrays."""
    if isinstance(content, str):
        content = content.encode()
    if isinstance(content, (bytes, list)):
        array = getattr(struct, field)
        array[: len(content)] = content
    else:
        setattr(struct, field, content)


def make(kind, /, **fields):
    struct = S[kind]()
    for field, content in fields.items():
        put(struct, field, content)
    return struct


def text(array):
    return bytes(array).split(b"\0")[0].decode()


def message(argument):
    return text(argument.message) if hasattr(argument, "message") else ""
