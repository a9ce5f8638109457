# SPDX-License-Identifier: GPL-2.0
"""What the tests of the control interface expect, and what they say when it is not so."""

import ctypes
import errno
import re

from uapi import S


class Failure(Exception):
    pass


def expect(what, seen, wanted):
    if seen != wanted:
        raise Failure(f"{what}: '{seen}' where '{wanted}' was expected")


def name_of(number):
    return errno.errorcode.get(number, str(number))


def refused(device, wanted, pattern, error, said):
    expect("errno", name_of(error), name_of(wanted))
    if not re.search(pattern, said):
        raise Failure(f"message '{said}' does not show '{pattern}'")
    if pattern and (len(said) < 12 or not said.isprintable()):
        raise Failure(f"message '{said}' is no sentence")


def state(device):
    """What no call that fails may change; how long older functions have left is no part of it."""
    info, dumped = device.info(), bytearray(device.dump())
    older = ctypes.sizeof(S["older"])
    for at in range(len(dumped) - S["image"].from_buffer_copy(dumped).older * older, len(dumped), older):
        S["older"].from_buffer(dumped, at).remaining = 0
    return info.generation, info.digest, dumped


def report(group, cases):
    """Runs the cases, pairs of a name and a function, and speaks KTAP; the exit code."""
    print(f"KTAP version 1\n1..{len(cases)}", flush=True)
    failures = 0
    for number, (name, case) in enumerate(cases, 1):
        try:
            case()
            print(f"ok {number} - any any {group}: {name}", flush=True)
        except (Failure, OSError) as reason:
            failures += 1
            print(f"not ok {number} - any any {group}: {name}\n# | {reason}", flush=True)
    return 1 if failures else 0
