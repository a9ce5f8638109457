# SPDX-License-Identifier: GPL-2.0
"""net.onehop.*, written to by everyone in every way: numbers at their edges, text that is none, too
much of it, in pieces. Cases of calls.py. A write that fails changes nothing; one that succeeds has
set the number that its text begins with.
"""

import collections
import ctypes
import errno
import os
import re

from expect import Failure, expect, name_of
from hands import NOBODY, error_of

FOLDER = "/proc/sys/net/onehop"
MOST = {"enabled": 1, "log_level": 1, "transition_seconds": 604800, "max_tracked_flows": 1 << 20}
TEXTS = ("generation", "digest")
# What the calls need: nothing ends while it is looked at, and the log is not filled.
QUIET = {"enabled": 1, "log_level": 0, "transition_seconds": 604800, "max_tracked_flows": 64}
EDGES = (0, 1, 2, 9, 10, 63, 255, 256, 65535, 65536, 1 << 20, (1 << 20) + 1, 604799, 604800, 604801, (1 << 31) - 1,
         1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64, (1 << 64) + 1,
         10 ** 30)
SPACES = b" \t\n\v\f\r"


def read(name):
    with open(f"{FOLDER}/{name}") as file:
        return file.read()


def put(name, content, at=0):
    """The errno of one write of these bytes."""
    fd = os.open(f"{FOLDER}/{name}", os.O_WRONLY)
    try:
        return error_of(lambda: os.pwrite(fd, content, at))
    finally:
        os.close(fd)


def quiet():
    for name, number in QUIET.items():
        expect(f"errno of {name}", put(name, str(number).encode()), 0)


def all_of_them():
    return {name: read(name) for name in (*MOST, *TEXTS)}


def number_of(content):
    """The number that a text begins with, as the kernel reads it."""
    found = re.match(rb"(?:0[xX]([0-9a-fA-F]+)|(0[0-7]*)|([1-9][0-9]*))", content.lstrip(SPACES))
    if not found:
        return None
    hexadecimal, octal, decimal = found.groups()
    return int(hexadecimal or octal or decimal, 16 if hexadecimal else 8 if octal else 10)


def something(chance):
    """Text that may be a number."""
    number = str(chance.choice(EDGES)).encode()
    how = chance.randrange(8)
    if how == 0:
        return chance.randbytes(chance.randrange(1, 40))
    if how == 1:
        return bytes(chance.choice(b" \t\n\0-+.0123456789xabcdefX,") for _ in range(chance.randrange(1, 12)))
    if how == 2:
        return b"-" + number
    if how == 3:
        return hex(chance.choice(EDGES)).encode() + b"\n"
    if how == 4:
        return chance.choice((b" ", b"\n", b"\t", b"0", b"00", b"+", b"\0")) + number
    if how == 5:
        return number + chance.choice((b" ", b"\n\n", b"\0", b" 1", b",1", b"x", b".0", b"e3", b"\0\xff"))
    return number + chance.choice((b"", b"\n"))


def numbers(calls):
    """Each edge, as it is commonly written: in range or refused."""
    count = 0
    for name, most in MOST.items():
        for number in (*EDGES, most, most + 1, -1):
            for end in ("", "\n"):
                before = all_of_them()
                error = put(name, f"{number}{end}".encode())
                if 0 <= number <= most:
                    expect(f"errno of {number} to {name}", name_of(error), "0")
                    before[name] = f"{number}\n"
                elif error not in (errno.EINVAL, errno.ERANGE):
                    raise Failure(f"{number} to {name}: '{name_of(error)}' where EINVAL or ERANGE was expected")
                expect(f"all after {number} to {name}", all_of_them(), before)
                count += 1
    quiet()
    print(f"# {count} numbers")


def random_text(calls):
    chance, counts = calls.chance("knobs"), collections.Counter()
    for _ in range(500 * calls.effort):
        name, content, before = chance.choice(list(MOST)), something(chance), all_of_them()
        at = chance.choice((0, 0, 0, 0, 1, 2, 4096, 1 << 40))
        error, now = put(name, content, at), all_of_them()
        what = f"all after {content} to {name} at {at}"
        if not error and not at and now[name] != before[name]:
            before[name] = f"{number_of(content)}\n"
        expect(what, now, before)
        if int(now[name]) > MOST[name]:
            raise Failure(f"{name} is {now[name]} after {content}")
        counts["at an offset" if at else name_of(error) if error else "accepted"] += 1
    quiet()
    print(f"# text: {dict(counts)}")
    if not counts["accepted"] or not counts["EINVAL"]:
        raise Failure("all was accepted, or nothing")


def long_writes(calls):
    """More than a page, more than can be allocated, from memory that is not there."""
    before = all_of_them()
    for name in MOST:
        for content in (b"1" * 4095, b"1" * 4096, b"0" * 5000, b" " * 4095 + b"1", b" " * 4096 + b"1", b"\0" * 4097,
                        b"1" * (1 << 20), b" " * (1 << 22)):
            expect(f"errno of {len(content)} bytes to {name}", bool(put(name, content)), True)
            expect("all", all_of_them(), before)
        fd = os.open(f"{FOLDER}/{name}", os.O_WRONLY)
        for address in calls.room.nowhere():
            expect("errno", name_of(error_of(lambda: raw_write(fd, address))), "EFAULT")
        os.close(fd)
    expect("all", all_of_them(), before)


def raw_write(fd, address):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.write(fd, ctypes.c_void_p(address), ctypes.c_size_t(1)) < 0:
        raise OSError(ctypes.get_errno(), "write")


def in_pieces(calls):
    """A number comes in one write: what follows is no part of it, and does not count."""
    for name, most in MOST.items():
        expect("errno", put(name, b"0"), 0)
        fd = os.open(f"{FOLDER}/{name}", os.O_WRONLY)
        for piece in (b"1", b"0", b"9999999999", b"\n"):
            error_of(lambda piece=piece: os.write(fd, piece))
        os.close(fd)
        expect(f"{name} after pieces", read(name), "1\n")
    quiet()


def as_child(enter, work):
    """What `work` says in a process of its own that has gone through `enter`."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            enter()
            said = work()
        except (Failure, OSError) as reason:
            said = f"failed: {reason}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def become_nobody():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def by_others(calls):
    """Nobody may read them, and write none, not even to what root has opened for him."""
    before = all_of_them()
    for name in TEXTS:
        expect(f"errno of root's write to {name}", name_of(error_of(lambda name=name: put(name, b"1"))), "EACCES")
    files = {name: os.open(f"{FOLDER}/{name}", os.O_RDWR) for name in MOST}

    def work():
        for name, fd in files.items():
            expect(f"{name} as nobody sees it", read(name), before[name])
            expect(f"errno of {name}", name_of(error_of(lambda name=name: put(name, b"1"))), "EACCES")
            expect(f"errno of an open {name}", name_of(error_of(lambda fd=fd: os.pwrite(fd, b"1", 0))), "EPERM")
        return "refused"

    expect("nobody", as_child(become_nobody, work), "refused")
    for fd in files.values():
        os.close(fd)
    expect("all", all_of_them(), before)


def in_a_child_namespace(calls):
    """The root of a namespace of his own turns his own, and no other's; what he inherited is not his."""
    before = all_of_them()
    fd = os.open(f"{FOLDER}/log_level", os.O_RDWR)

    def enter():
        become_nobody()
        os.unshare(os.CLONE_NEWUSER | os.CLONE_NEWNET)

    def work():
        fresh = {"enabled": "1\n", "log_level": "1\n", "transition_seconds": "300\n", "max_tracked_flows": "65536\n"}
        expect("his own", {name: read(name) for name in MOST}, fresh)
        expect("generation", read("generation"), "0\n")
        for name, most in MOST.items():
            # The node is root's, whom he is not; that he administers the namespace is enough.
            expect(f"errno of {name}", name_of(put(name, str(most).encode())), "0")
            expect(f"errno of too much to {name}", bool(put(name, str(most + 1).encode())), True)
            expect(name, read(name), f"{most}\n")
        expect("errno of what he inherited", name_of(error_of(lambda: os.pwrite(fd, b"1", 0))), "EPERM")
        return "his own only"

    expect("the child", as_child(enter, work), "his own only")
    os.close(fd)
    expect("all of ours", all_of_them(), before)


CASES = {
    "sysctls: numbers at their edges": numbers,
    "sysctls: text that may be a number": random_text,
    "sysctls: long writes": long_writes,
    "sysctls: a number in pieces": in_pieces,
    "sysctls: not by nobody, nor by root what is only to be read": by_others,
    "sysctls: a namespace's root turns its own only": in_a_child_namespace,
}
