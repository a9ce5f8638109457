#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Every allocation of every call fails once, one after another, until the call succeeds: each says
ENOMEM and leaves all as it was, or does without and succeeds. Speaks KTAP; see inject.py.

	faults.py [CASE...]
"""

import ctypes
import errno
import os
import subprocess
import sys
from functools import partial

from expect import Failure, expect, name_of, report, state
from inject import KINDS, SLABS, Injection, counted
from life.module import Module
from mistakes import image, rich_image
from uapi import C, IOC, Device, S, make

FOREVER, NOW = C["ONEHOP_FOREVER"], C["ONEHOP_NOW"]
MOST = 5000  # a call that still fails then never ends
BLANK = image(pools=[], ghosts=[], servers=[])


def system(call, *arguments):
    """The errno of what raises OSError."""
    try:
        call(*arguments)
    except OSError as error:
        return error.errno
    return 0


def timeless(dumped):
    """Without the time of each server's last change."""
    image, size = bytearray(dumped), ctypes.sizeof(S["server"])
    head = S["image"].from_buffer_copy(image)
    at = ctypes.sizeof(head) + sum(getattr(head, f"{kind}s") * ctypes.sizeof(S[kind]) for kind in ("pool", "ghost"))
    for number in range(head.servers):
        S["server"].from_buffer(image, at + number * size).changed_at = 0
    return image


def traces_of_module():
    """As a state: is there anything of it?"""
    return 2 * (tuple(os.path.exists(path) for path in ("/sys/module/onehop", "/dev/onehop", "/proc/sys/net/onehop")),)


class Namespace:
    """Another one, left and so ended again."""

    def __init__(self):
        self.own = os.open("/proc/self/ns/net", os.O_RDONLY)

    def enter(self):
        return system(os.unshare, os.CLONE_NEWNET)

    def leave(self):
        os.setns(self.own)

    def state(self):
        has_knobs = os.path.exists("/proc/sys/net/onehop")
        return (os.readlink("/proc/self/ns/net"), has_knobs), has_knobs


class Calls:
    """Of one open device. `before` brings a state about, the call changes it."""

    def __init__(self):
        self.device = Device()
        self.reader = Device()
        os.set_blocking(self.reader.fd, False)
        self.buffers = {}

    def apply(self, wanted, **more):
        # In memory that is there: a page fault in the call would be an allocation of its own.
        bytes_ = self.buffers.setdefault(bytes(wanted), (ctypes.c_uint8 * len(wanted)).from_buffer_copy(wanted))
        argument = make("apply", image=ctypes.addressof(bytes_), len=len(wanted), **more)
        return self.device.call(IOC["APPLY"], argument)

    def must(self, error):
        expect("errno before", name_of(error), "0")

    def blank(self):
        self.must(self.device.call(IOC["ANSWER"], make("answer", answer=0)))
        self.must(self.apply(BLANK, flags=NOW))

    def at_rest(self):
        # Health is kept when a configuration is replaced.
        for pool in "web", "cast":
            self.device.call(IOC["SERVER"], make("set", pool=pool, server="s1", field=2, value=1, flags=NOW))
        self.must(self.apply(rich_image(), flags=NOW))
        for pool in "web", "cast", "peer":
            self.must(self.device.call(IOC["TRANSITION"], make("transition", pool=pool, verb=C["ONEHOP_VERB_COMMIT"])))
        self.must(self.device.call(IOC["ANSWER"], make("answer", answer=0)))

    def in_transition(self):
        self.at_rest()
        self.must(self.apply(rich_image(servers=(1, 2, 4)), seconds=FOREVER))

    def answering(self):
        self.at_rest()
        self.must(self.device.call(IOC["ANSWER"], make("answer", answer=1)))

    def told(self):
        """There is something to read."""
        self.at_rest()
        while not system(os.read, self.reader.fd, 65536):
            pass
        self.must(self.device.call(IOC["SERVER"], make("set", pool="cast", server="s1", field=2, value=2)))

    def server(self, **more):
        return self.device.call(IOC["SERVER"], make("set", pool="web", server="s1", **more))

    def verb(self, verb, **more):
        return self.device.call(IOC["TRANSITION"], make("transition", pool="web", verb=C[f"ONEHOP_VERB_{verb}"], **more))

    def dump(self):
        buffer = self.buffers.setdefault("dump", (ctypes.c_uint8 * 65536)())
        return self.device.call(IOC["DUMP"], make("dump", image=ctypes.addressof(buffer), len=len(buffer)))

    def open(self):
        try:
            os.close(os.open("/dev/onehop", os.O_RDWR))
        except OSError as error:
            return error.errno
        return 0

    def close(self):
        os.close(self.device.fd)
        os.close(self.reader.fd)

    def lookup(self):
        asked = make("lookup", pool="web", family=4, client=bytes([10, 1, 1, 2]))
        return self.device.call(IOC["LOOKUP"], asked)

    def another_reader(self):
        """Each has a place of its own in the ring of events, since its first read."""
        self.at_rest()
        os.close(self.reader.fd)
        self.reader = Device()
        os.set_blocking(self.reader.fd, False)

    def first_read(self):
        error = self.read()
        return 0 if error == errno.EAGAIN else error

    def read(self):
        return system(os.read, self.reader.fd, 65536)

    def state(self):
        generation, digest, dumped = state(self.device)
        answer = self.device.info().answer
        return (generation, digest, dumped, answer), (digest, timeless(dumped), answer)


OTHER = rich_image(servers=(1, 2, 4))
REPLACED = rich_image(servers=(2, 5), devices=("fault1",), overrides=(), owners=())
PRESENT = rich_image(devices=("fault0", "fault1"))
# Name, what is before, the call.
CALLS = [
    ("open", Calls.at_rest, Calls.open),
    ("a first configuration", Calls.blank, lambda it: it.apply(rich_image())),
    ("another, at once", Calls.at_rest, lambda it: it.apply(REPLACED, flags=NOW)),
    ("none any more", Calls.at_rest, lambda it: it.apply(BLANK, flags=NOW)),
    ("devices that are there", Calls.blank, lambda it: it.apply(PRESENT)),
    ("a transition begins", Calls.at_rest, lambda it: it.apply(OTHER, seconds=FOREVER)),
    ("a change upon it", Calls.in_transition, lambda it: it.apply(rich_image(servers=(1, 2, 4, 5)), seconds=FOREVER)),
    ("down", Calls.at_rest, lambda it: it.server(field=2, value=2)),
    ("down, in a transition", Calls.in_transition, lambda it: it.server(field=2, value=2)),
    ("drain, with a transition", Calls.at_rest, lambda it: it.server(field=1, value=2, seconds=FOREVER)),
    ("commit", Calls.in_transition, lambda it: it.verb("COMMIT")),
    ("abort", Calls.in_transition, lambda it: it.verb("ABORT")),
    ("extend", Calls.in_transition, lambda it: it.verb("EXTEND", seconds=60)),
    ("answer", Calls.at_rest, lambda it: it.device.call(IOC["ANSWER"], make("answer", answer=1))),
    ("answer no more", Calls.answering, lambda it: it.device.call(IOC["ANSWER"], make("answer", answer=0))),
    ("dump", Calls.in_transition, Calls.dump),
    ("lookup", Calls.in_transition, Calls.lookup),
    ("a first read of events", Calls.another_reader, Calls.first_read),
    ("a read of events", Calls.told, Calls.read),
]


def every_allocation(injection, name, before, call, state, after=lambda: None):
    """Fails each; prints the sites. A state is twice what it is: exactly, and less what is another
    each time."""
    for kind in KINDS:
        injection.only(kind)
        for _ in range(2):  # what stays of a first call, such as a slab's pages, is there then
            before()
            result, _, _ = injection.traced(call)
            expect("errno of the undisturbed call", name_of(result), "0")
            done = state()[1]
            after()

        failed, survived, done_without = [], [], 0
        for nth in range(1, MOST):
            before()
            old = state()[0]
            result, seen, number = injection.traced(call, nth)
            failures = [it for it in seen if it.failed][:1]
            site = failures[0].site if failures else "?"
            if number is not None or result == 0:
                expect("errno", name_of(result), "0")
                expect(f"'{name}' without allocation {nth}, of {site}: new state", state()[1] == done, True)
                after()
            else:
                expect(f"errno without allocation {nth}, of {site}", name_of(result), "ENOMEM")
                expect(f"'{name}' refused for allocation {nth}, of {site}: old state", state()[0] == old, True)
            if number is not None:
                break
            failed += failures
            survived += failures if result == 0 else []
            done_without += result == 0
        else:
            raise Failure(f"still fails after {MOST} allocations")
        # Not always as many in the end as before: misc_register() has a node more in a tree, or not.
        print(f"# {name}: {kind}: {nth - 1} failed, {done_without} done without; in the end {number} could have")
        compare(kind, number, seen, failed, survived)


def compare(kind, number, seen, failed, survived):
    """The sites, by name. Of objects tracing saw as many as could have failed in the call that nothing
    disturbed, and they have failed before, at the same sites; it says nothing of pages that fail."""
    done_without = counted(survived)
    for site, times in sorted(counted(failed).items()):
        print(f"#   {times} x {site}" + (f" ({done_without[site]} done without)" if site in done_without else ""))
    if kind != SLABS:
        return
    traced = [it for it in seen if it.is_object]
    missing = counted(traced).keys() - counted(failed).keys()
    # Of an insmod that has failed nobody knows any more what was where.
    if missing and not any(it.is_nameless for it in failed):
        print(*(f"#   never: {' < '.join(it.stack[:12])}" for it in traced if it.site in missing), sep="\n")
        raise Failure(f"sites traced, but never failed: {missing}")
    expect("number that could fail, and traced", number, len(traced))


def main():
    subprocess.run(["ip", "link", "add", "fault0", "up", "type", "dummy"], check=True)
    injection, module, other = Injection(), Module(), Namespace()

    def insmod():
        every_allocation(injection, "insmod", lambda: None, module.try_load, traces_of_module, module.unload)

    def namespace():
        every_allocation(injection, "a namespace", lambda: None, other.enter, other.state, other.leave)

    def one(name, before, call):
        calls = Calls()
        try:
            every_allocation(injection, name, lambda: before(calls), lambda: call(calls), calls.state)
        finally:
            calls.close()

    def loaded(case, *arguments):
        module.load()
        try:
            case(*arguments)
        finally:
            module.unload()

    def in_silence(case, *arguments):
        case(*arguments)
        expect("the kernel's words", injection.complaints(), [])

    cases = [("insmod", insmod), ("a namespace", partial(loaded, namespace)),
             *((case[0], partial(loaded, one, *case)) for case in CALLS)]
    return report("faults", [(name, partial(in_silence, case)) for name, case in cases
                             if name in sys.argv[1:] or len(sys.argv) == 1])


if __name__ == "__main__":
    sys.exit(main())
