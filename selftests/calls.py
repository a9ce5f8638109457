#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Calls that are nearly right. Oracle: the same code built for the host says the same of each
request; what is refused changes nothing; what is accepted is dumped as it was sent.

	calls.py [--seed N] [--effort N]

Speaks KTAP itself; calls.sh loads the module and gives it a namespace.
"""

import argparse
import collections
import ctypes
import errno
import random
import sys

import knobs
from damage import POINTERS, bases, damaged, request
from expect import Failure, expect, name_of, report
from hands import file_operations, many_hands, nobodys_hands
from memory import Block, ioctl
from mistakes import image, many_overrides, server
from uapi import C, IOC, S, Device, make, message, records, text
from verdicts import Model, Witness, meaning, sentence

E = errno
NOW, DRY_RUN, EXPECT = C["ONEHOP_NOW"], C["ONEHOP_DRY_RUN"], C["ONEHOP_EXPECT"]


class Calls:
    """One open file, and all that is known of it."""

    def __init__(self, seed, effort):
        self.seed, self.effort = seed, effort
        self.device, self.model = Device(), Model()
        self.witness = Witness(self.device)
        self.argument, self.bytes, self.room = Block(4096), Block(C["ONEHOP_MAX_IMAGE"]), Block(1 << 20)

    def chance(self, case):
        return random.Random(f"{self.seed}/{case}")

    def call(self, name, struct):
        """The errno, and the argument as written back; a sentence where there is room for one."""
        at = self.argument.put(bytes(struct))
        error = ioctl(self.device.fd, IOC[name], at)
        reply = type(struct).from_buffer_copy(self.argument.take(at, ctypes.sizeof(struct)))
        sentence(reply, error)
        return error, reply

    def apply(self, raw, **fields):
        return self.call("APPLY", make("apply", image=self.bytes.put(raw), len=len(raw), **fields))

    def judged(self, raw, before, **fields):
        """An image applied at once: as the model says, and whole or not at all. What stands then."""
        wanted, told = self.model.of("IMAGE", raw)
        error, reply = self.apply(raw, flags=NOW | fields.pop("flags", 0), **fields)
        expect("errno", f"{name_of(error)} '{message(reply)}'", f"{name_of(wanted)} '{told}'")
        after = self.witness.state()
        if error or not reply.changed:
            expect("state", after, before)
        if not error:
            expect("meaning of what stands", meaning(after.dump), meaning(raw))
            info = S["info"].from_buffer_copy(after.info)
            expect("generation and digest", (reply.generation, reply.digest), (info.generation, info.digest))
        return error, after


def shown(what, counts):
    parts = [f"{name_of(number) if number else 'accepted'} {count}" for number, count in counts.most_common()]
    print(f"# {what}: {sum(counts.values())} calls: {', '.join(parts)}", flush=True)


def images(calls):
    chance, counts = calls.chance("images"), collections.Counter()
    before = calls.witness.state()
    for number in range(1500 * calls.effort):
        raw = damaged(chance, chance.choice(bases()))
        try:
            error, before = calls.judged(raw, before)
        except Failure as reason:
            raise Failure(f"image {number} {raw.hex()}: {reason}") from reason
        counts[error] += 1
    shown("images", counts)
    if not 0.05 < counts[0] / counts.total() < 0.7:
        raise Failure(f"{counts[0]} of {counts.total()} images were valid: too few or too many to say much")


def dry_runs(calls):
    chance, counts = calls.chance("dry runs"), collections.Counter()
    before = calls.witness.state()
    for _ in range(150 * calls.effort):
        raw = damaged(chance, chance.choice(bases()))
        wanted, told = calls.model.of("IMAGE", raw)
        error, reply = calls.apply(raw, flags=NOW | DRY_RUN)
        expect("errno", f"{name_of(error)} '{message(reply)}'", f"{name_of(wanted)} '{told}'")
        expect("state", calls.witness.state(), before)
        counts[error] += 1
    shown("dry runs", counts)


def large_images(calls):
    chance, counts = calls.chance("large"), collections.Counter()
    whole = image(servers=[server(number) for number in range(1, 1025)], overrides=many_overrides(4096))
    before = calls.witness.state()
    for _ in range(6 * calls.effort):
        error, before = calls.judged(damaged(chance, whole), before)
        counts[error] += 1
    shown("large images", counts)


def lengths(calls):
    """Longer than what is there, or shorter, up to all that a call may bring."""
    whole = image()
    for length in (0, 1, 31, 32, len(whole) - 1, len(whole), len(whole) + 1, C["ONEHOP_MAX_IMAGE"],
                   C["ONEHOP_MAX_IMAGE"] + 1, 1 << 31, (1 << 32) - 1):
        before = calls.witness.state()
        at = calls.bytes.put(whole)
        error, _ = calls.call("APPLY", make("apply", image=at, len=length, flags=NOW))
        if length > C["ONEHOP_MAX_IMAGE"]:
            wanted = E.E2BIG
        elif length > len(whole):
            wanted = E.EFAULT
        else:
            wanted, _ = calls.model.of("IMAGE", whole[:length])
        expect(f"errno with len {length}", name_of(error), name_of(wanted))
        if error:
            expect(f"state after len {length}", calls.witness.state(), before)
    # All of it there, and nothing wrong with it but that it is too long.
    error, _ = calls.apply(whole + bytes(C["ONEHOP_MAX_IMAGE"] - len(whole)))
    expect("errno of 16 MiB", name_of(error), "EMSGSIZE")


def foreseen(name, given, before, pointer_is_good):
    """What may come of a valid request, from what stands."""
    info = S["info"].from_buffer_copy(before.info)
    pools = [text(it.name) for it in records(before.dump, "pools")]
    if name == "APPLY":
        if not pointer_is_good:
            return {E.EFAULT}
    elif name == "DUMP":
        if given.len < len(before.dump):
            return {E.ENOSPC}
        return {0 if pointer_is_good else E.EFAULT}
    elif name == "STATS":
        return {0 if pointer_is_good or not given.count else E.EFAULT}
    elif name == "ANSWER":
        return {E.ENODEV if given.answer and not info.devices else 0}
    elif name == "INFO":
        return {0}
    if getattr(given, "flags", 0) & EXPECT and given.expected != info.generation:
        return {E.ESTALE}
    if hasattr(given, "pool") and text(given.pool) not in pools:
        return {E.ENOENT}
    if name == "SERVER":
        pool = pools.index(text(given.pool))
        if all(it.pool != pool or text(it.name) != text(given.server) for it in records(before.dump, "servers")):
            return {E.ENOENT}
    if name == "TRANSITION" and given.verb == C["ONEHOP_VERB_ABORT"]:
        return {0, E.EBUSY, E.EADDRINUSE, E.EDESTADDRREQ}
    return {0} if name in ("LOOKUP", "TRANSITION") else {0, E.EBUSY}


def requests(calls):
    chance = calls.chance("requests")
    counts = {name: collections.Counter() for name in IOC}
    good = [base for base in bases() if meaning(base)["devices"]]
    for number in range(1500 * calls.effort):
        if number % 50 == 0:
            expect("errno", name_of(calls.apply(chance.choice(good), flags=NOW)[0]), "0")
            before = calls.witness.state()
        name = chance.choice(list(IOC))
        raw = chance.choice(good)
        given, is_good = request(chance, name), chance.random() < 0.9
        if type(given).__name__ in POINTERS:
            there = calls.bytes.put(raw) if name == "APPLY" else calls.room.start
            setattr(given, POINTERS[type(given).__name__], there if is_good else chance.choice(calls.room.nowhere()))
        if name == "APPLY":
            given.len = len(raw)
        elif name == "DUMP":
            given.len = chance.choice((0, 31, len(before.dump) - 1, len(before.dump), calls.room.size))
        wanted, told = calls.model.of(name, given)
        error, reply = calls.call(name, given)
        what = f"request {number}, {name} {bytes(given).hex()}"
        if wanted:
            expect(f"errno of {what}", name_of(error), name_of(wanted))
            calls.model.agrees(message(reply), told if hasattr(reply, "message") else "")
        elif error not in foreseen(name, given, before, is_good):
            raise Failure(f"errno of {what}: '{name_of(error)}' where one of "
                          f"{[*map(name_of, foreseen(name, given, before, is_good))]} was expected")
        after = calls.witness.state()
        is_dry = getattr(given, "flags", 0) & DRY_RUN
        if error or is_dry or not getattr(reply, "changed", 0):
            expect(f"state after {what}", after, before)
        elif hasattr(reply, "generation"):
            info = S["info"].from_buffer_copy(after.info)
            expect(f"generation after {what}", (reply.generation, reply.digest), (info.generation, info.digest))
        before = after
        counts[name][error] += 1
    for name, count in counts.items():
        shown(name, count)
        if not count[0]:
            raise Failure(f"no {name} was accepted, so there was nothing to see")


def pointers(calls):
    """Of arguments and of what they point to. An argument is read and written."""
    before, whole = calls.witness.state(), image()
    count = 0
    for name, command in IOC.items():
        size = command >> 16 & 0x3FFF
        given = request(calls.chance(name), name)
        at = calls.argument.put(bytes(given))
        calls.argument.read_only(True)
        addresses = (0, at, at + 1, *calls.room.nowhere())
        errors = {ioctl(calls.device.fd, command, address) for address in addresses}
        calls.argument.read_only(False)
        expect(f"errnos of {name}", [*map(name_of, errors)], ["EFAULT"])
        expect(f"argument of {name}", calls.argument.take(at, size), bytes(given))
        count += len(addresses)
    read_only = Block(len(whole))
    there = read_only.put(whole)
    read_only.read_only(True)
    for address in calls.room.nowhere():
        for name, given in (("APPLY", make("apply", image=address, len=32)),
                            ("DUMP", make("dump", image=address, len=1 << 20)),
                            ("STATS", make("stats", counters=address, count=1))):
            expect(f"errno of {name} to {address:#x}", name_of(calls.call(name, given)[0]), "EFAULT")
            count += 1
    expect("state", calls.witness.state(), before)
    for name, given in (("DUMP", make("dump", image=there, len=len(whole))),
                        ("STATS", make("stats", counters=there, count=1))):
        expect(f"errno of {name} to what is only read", name_of(calls.call(name, given)[0]),
               "EFAULT" if name == "STATS" or len(before.dump) <= len(whole) else "ENOSPC")
    given = make("apply", image=there, len=len(whole), flags=NOW)
    expect("errno of an image that is only read", name_of(calls.call("APPLY", given)[0]), "0")
    print(f"# {count} pointers that lead nowhere")


def unknown_commands(calls):
    """Other numbers, sizes and directions. Those that every file knows are not ours to answer."""
    chance, count = calls.chance("commands"), 0
    before, known = calls.witness.state(), set(IOC.values())
    for _ in range(2000 * calls.effort):
        command = chance.choice(list(IOC.values()))
        if chance.random() < 0.5:
            command ^= 1 << chance.randrange(32)
        else:
            command = chance.randrange(4) << 30 | chance.randrange(1 << 14) << 16 | 0xB1 << 8 | chance.randrange(256)
        if command in known or command >> 8 & 0xFF != 0xB1:
            continue
        error = ioctl(calls.device.fd, command, chance.choice((calls.room.start, *calls.room.nowhere())))
        expect(f"errno of {command:#x}", name_of(error), "ENOTTY")
        count += 1
    expect("state", calls.witness.state(), before)
    print(f"# {count} commands that there are not")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1997)
    parser.add_argument("--effort", type=int, default=1)
    given = parser.parse_args()
    print(f"# seed {given.seed}, effort {given.effort}", flush=True)
    knobs.quiet()
    calls = Calls(given.seed, given.effort)
    cases = {
        "images with damage": images,
        "a dry run of them": dry_runs,
        "large images with damage": large_images,
        "lengths that are not the image's": lengths,
        "requests with damage": requests,
        "pointers that lead nowhere": pointers,
        "commands that there are not": unknown_commands,
        "what else can be done to a file": file_operations,
        "a file in nobody's hands": nobodys_hands,
        "a file in many hands at once": many_hands,
        **knobs.CASES,
    }
    return report("calls", [(name, lambda case=case: case(calls)) for name, case in cases.items()])


if __name__ == "__main__":
    sys.exit(main())
