#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The control interface against its specification: what is wrong is refused with
the errno the header names and a sentence that says why, and changes nothing.

Speaks KTAP itself; abi.sh loads the module and gives it a namespace.
"""

import ctypes
import errno
import os
import random
import signal
import sys

from abi_transitions import (
    abort_of_what_is_laid_down,
    dry_run_of_a_server,
    queue_of_functions_is_bounded,
    transition_from_begin_to_end,
)
from expect import Failure, expect, name_of, refused, report, state
from mistakes import CALLS, IMAGES, image, ip6, rich_image
from uapi import C, IOC, S, Device, make, message, put, records, text

GOOD = rich_image()
BUFFER = (ctypes.c_uint8 * len(GOOD)).from_buffer_copy(GOOD)
VALUES = (ctypes.c_uint64 * 64)()
# Without a transition: what a dump says of one changes by itself.
NOW = C["ONEHOP_NOW"]


def argument(command):
    """A correct argument of this command, about the correct image."""
    return {
        "INFO": lambda: make("info"),
        "APPLY": lambda: make("apply", image=ctypes.addressof(BUFFER), len=len(GOOD)),
        "DUMP": lambda: make("dump"),
        "SERVER": lambda: make("set", pool="web", server="s1", field=2, value=1),
        "TRANSITION": lambda: make("transition", pool="web", verb=1),
        "LOOKUP": lambda: make("lookup", pool="web", family=4, client=bytes([10, 1, 1, 2])),
        "ANSWER": lambda: make("answer", answer=0),
        "STATS": lambda: make("stats", counters=ctypes.addressof(VALUES), count=5),
    }[command]()


def good_image_is_accepted(device):
    error, reply = device.apply(GOOD, actor="abi.py", reason="first")
    expect("errno", error, 0)
    expect("changed", reply.changed, 1)
    expect("message", message(reply), "")
    expect("generation", device.info().generation, reply.generation)
    expect("digest", device.info().digest, reply.digest)
    error, again = device.apply(GOOD)
    expect("errno", error, 0)
    expect("changed the second time", again.changed, 0)
    expect("generation the second time", again.generation, reply.generation)
    info = device.info()
    expect("numbers", (info.pools, info.ghosts, info.servers, info.devices, info.answer), (3, 4, 6, 2, 0))
    expect("bytes dumped", len(device.dump()), len(GOOD))


def dry_run_changes_nothing(device):
    before = state(device)
    error, reply = device.apply(rich_image(servers=(1, 7)), flags=C["ONEHOP_DRY_RUN"])
    expect("errno", error, 0)
    expect("changed", reply.changed, 1)
    # The mean of three pools, of which two stay as they are.
    if not 100000 < reply.moved < 300000:
        raise Failure(f"two of three servers replaced in one pool, but {reply.moved} ppm of the clients moved")
    expect("state", state(device), before)


def bad_images(device):
    for name, (wanted, pattern, bad) in IMAGES.items():
        def case(bad=bad, wanted=wanted, pattern=pattern):
            before = state(device)
            error, reply = device.apply(bad)
            refused(device, wanted, pattern, error, message(reply))
            expect("state", state(device), before)
        yield f"image: {name}", case


def bad_calls(device):
    for name, (wanted, pattern, command, fields) in CALLS.items():
        def case(wanted=wanted, pattern=pattern, command=command, fields=fields):
            before = state(device)
            bad = argument(command)
            for field, content in fields.items():
                put(bad, field, content)
            error = device.call(IOC[command], bad)
            said = message(bad) if command not in ("STATS", "INFO") else ""
            refused(device, wanted, pattern, error, said)
            expect("state", state(device), before)
        yield name, case


def unknown_commands(device):
    known = set(IOC.values())
    for name, command in IOC.items():
        size = command >> 16 & 0x3FFF
        for other in (command ^ 1 << 31, command ^ 1 << 30, command - (size << 16) + (size + 1 << 16),
                      command + 0x40, command ^ 0x100):
            assert other not in known
            error = device.call(other, (ctypes.c_uint8 * 4096)())
            expect(f"{name} as {other:#x}", name_of(error), "ENOTTY")


def bad_pointers(device):
    # fcntl.ioctl() takes no address of that size.
    libc = ctypes.CDLL(None, use_errno=True)
    for name, command in IOC.items():
        for pointer in (0, 1, 0x7FFFFFFFF000, 0xFFFF888000000000):
            if libc.ioctl(device.fd, ctypes.c_ulong(command), ctypes.c_void_p(pointer)) == 0:
                raise Failure(f"{name} at {pointer:#x} succeeded")
            expect(f"{name} at {pointer:#x}", name_of(ctypes.get_errno()), "EFAULT")


def random_bytes(device):
    chance = random.Random(1997)
    before = state(device)
    for name, command in IOC.items():
        size = command >> 16
        for _ in range(500):
            raw = (ctypes.c_uint8 * (size & 0x3FFF)).from_buffer_copy(chance.randbytes(size & 0x3FFF))
            if not device.call(command, raw):
                raise Failure(f"{name} took random bytes: {bytes(raw).hex()}")
    for _ in range(500):
        error, _reply = device.apply(chance.randbytes(chance.randrange(2000)))
        if not error:
            raise Failure("an image of random bytes was applied")
    expect("state", state(device), before)


def damaged_images(device):
    """Correct images with a few bytes changed: refused with a reason, or taken whole."""
    chance = random.Random(1996)
    taken = 0
    for _ in range(1500):
        damaged = bytearray(GOOD)
        for _ in range(chance.choice((1, 1, 2, 8))):
            damaged[chance.randrange(len(damaged))] = chance.choice((0, 1, 255, chance.randrange(256)))
        before = device.info().generation
        error, reply = device.apply(bytes(damaged), flags=NOW)
        if error:
            expect("generation", device.info().generation, before)
            if not message(reply):
                raise Failure(f"{name_of(error)} without a message: {damaged.hex()}")
        else:
            taken += 1
    print(f"# {taken} of 1500 damaged images were still valid")
    expect("errno of the correct one", device.apply(GOOD, flags=NOW)[0], 0)


def without_privilege(device):
    """An open file handed to nobody is of no use to him."""
    before = state(device)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
        said = [f"{name} {name_of(device.call(command, argument(name)))}" for name, command in IOC.items()]
        try:
            os.open("/dev/onehop", os.O_RDWR)
            said.append("open succeeded")
        except OSError as error:
            said.append(f"open {name_of(error.errno)}")
        os.write(writer, "\n".join(said).encode())
        os._exit(0)
    os.waitpid(child, 0)
    expect("what nobody got", os.read(reader, 4096).decode().split("\n"),
           [f"{name} EPERM" for name in IOC] + ["open EACCES"])
    expect("state", state(device), before)


def stats_of_any_count(device):
    values = (ctypes.c_uint64 * 64)(*[7] * 64)
    for count in (0, 1, C["ONEHOP_COUNTERS"], 64):
        given = make("stats", counters=ctypes.addressof(values), count=count)
        expect("errno", device.call(IOC["STATS"], given), 0)
        expect("count", given.count, C["ONEHOP_COUNTERS"])
    expect("behind the last", values[C["ONEHOP_COUNTERS"]], 7)


def events_are_whole(device):
    fresh = Device()
    try:
        os.read(fresh.fd, ctypes.sizeof(S["event"]) - 1)
        raise Failure("a read of less than one event succeeded")
    except OSError as error:
        expect("errno", name_of(error.errno), "EINVAL")
    device.must(IOC["SERVER"], make("set", pool="web", server="s2", field=2, value=2, actor="abi", reason="why"))
    event = S["event"].from_buffer_copy(os.read(fresh.fd, 4096))
    expect("event", (event.type, event.value, bytes(event.server).rstrip(b"\0"), bytes(event.reason).rstrip(b"\0")),
           (C["ONEHOP_EVENT_HEALTH"], 2, b"s2", b"why"))
    device.must(IOC["SERVER"], make("set", pool="web", server="s2", field=2, value=1, flags=NOW))
    os.read(fresh.fd, 4096)

    # Nothing more to come: the read waits, and a signal ends it.
    class Woken(Exception):
        pass

    def wake(_signal, _frame):
        raise Woken

    signal.signal(signal.SIGALRM, wake)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        os.read(fresh.fd, 4096)
        raise Failure("a read without an event came back")
    except Woken:
        pass
    os.close(fresh.fd)


def clients_of_both_families(device):
    for family, client in (4, bytes([198, 51, 100, 7])), (6, ip6("2001:db8:1::7")):
        asked = make("lookup", pool="web", family=family, client=client)
        device.must(IOC["LOOKUP"], asked)
        expect(f"verdict of family {family}", asked.verdict, C["ONEHOP_VERDICT_UP"])
        expect(f"all servers of family {family}", sorted([asked.owner, *asked.runners_up[:2]]), [1, 2, 3])


def overrides_and_tables(device):
    """Dumped as applied, and asked before the kind's own rule."""
    def laid_down(image_):
        pools = [text(it.name) for it in records(image_, "pools")]
        overrides = {(pools[it.pool], it.server, it.family, it.bits, bytes(it.address))
                     for it in records(image_, "overrides")}
        return overrides, records(image_, "rows")

    expect("overrides and rows", laid_down(device.dump()), laid_down(GOOD))
    for pool, family, client, wanted in (
        ("web", 4, bytes([203, 0, 113, 7]), ("OVERRIDE", 24)),
        ("web", 6, ip6("2001:db8:9:1::7"), ("OVERRIDE", 48)),
        ("web", 4, bytes([203, 0, 112, 255]), ("HASH", 0)),
        ("peer", 6, ip6("2001:db8:9:1::7"), ("OVERRIDE", 48)),
    ):
        asked = make("lookup", pool=pool, family=family, client=client)
        device.must(IOC["LOOKUP"], asked)
        expect(f"rule and bits in {pool}", (asked.rule, asked.bits), (C[f"ONEHOP_RULE_{wanted[0]}"], wanted[1]))
    # Every second row names a server that is there.
    rules = set()
    for number in range(64):
        asked = make("lookup", pool="peer", family=4, client=bytes([198, 51, 100, number]))
        device.must(IOC["LOOKUP"], asked)
        expect("rule of a row", asked.rule, C["ONEHOP_RULE_TABLE"] if asked.row % 2 == 0 else C["ONEHOP_RULE_HASH"])
        rules.add(asked.rule)
    expect("rules", len(rules), 2)


def devices_as_they_are(device):
    """One that is there, one that is not."""
    expect("errno", device.apply(rich_image(devices=("lo", "abi0")))[0], 0)
    shown = records(device.dump(), "devices")
    expect("devices", {text(it.name): it.ifindex for it in shown}, {"lo": 1, "abi0": 0})
    expect("errno", device.apply(GOOD)[0], 0)


def answer_is_a_state_of_its_own(device):
    fresh = Device()
    before = state(device)
    for wanted, changed in (0, 0), (1, 1), (1, 0):
        asked = make("answer", answer=wanted, actor="abi", reason="why")
        device.must(IOC["ANSWER"], asked)
        expect(f"changed by {wanted}", asked.changed, changed)
        expect("answer", device.info().answer, wanted)
    expect("digest and image", state(device)[1:], before[1:])
    event = S["event"].from_buffer_copy(os.read(fresh.fd, 4096))
    expect("event", (event.type, event.value, text(event.server), text(event.actor), text(event.reason)),
           (C["ONEHOP_EVENT_ANSWER"], 1, "", "abi", "why"))
    os.close(fresh.fd)

    expect("errno", device.apply(image(), flags=NOW)[0], 0)
    expect("answer after an apply", device.info().answer, 1)
    asked = make("answer", answer=1)
    refused(device, errno.ENODEV, '"on"', device.call(IOC["ANSWER"], asked), message(asked))
    device.must(IOC["ANSWER"], make("answer", answer=0))
    expect("answer turned off", device.info().answer, 0)
    expect("errno", device.apply(GOOD, flags=NOW)[0], 0)


def main():
    device = Device()
    alone = [
        ("a correct image is accepted, twice is once", lambda: good_image_is_accepted(device)),
        ("a dry run reports and changes nothing", lambda: dry_run_changes_nothing(device)),
        ("clients of both families", lambda: clients_of_both_families(device)),
        ("overrides and tables", lambda: overrides_and_tables(device)),
        ("devices, there or not", lambda: devices_as_they_are(device)),
        ("answer is a state of its own", lambda: answer_is_a_state_of_its_own(device)),
        ("a transition from its begin to its end", lambda: transition_from_begin_to_end(device)),
        ("the queue of functions is bounded", lambda: queue_of_functions_is_bounded(device)),
        ("abort brings back overrides and table, if there is room", lambda: abort_of_what_is_laid_down(device)),
        ("a dry run of a change to a server", lambda: dry_run_of_a_server(device)),
        ("unknown commands and sizes", lambda: unknown_commands(device)),
        ("pointers that lead nowhere", lambda: bad_pointers(device)),
        ("random bytes at every command", lambda: random_bytes(device)),
        ("images with damage", lambda: damaged_images(device)),
        ("a file handed to nobody", lambda: without_privilege(device)),
        ("stats of any count", lambda: stats_of_any_count(device)),
        ("events are whole, reads can be interrupted", lambda: events_are_whole(device)),
    ]
    return report("abi", [*alone[:2], *bad_images(device), *bad_calls(device), *alone[2:]])


if __name__ == "__main__":
    sys.exit(main())
