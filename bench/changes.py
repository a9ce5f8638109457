#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""changes.py CHANGE: what the rows cost when servers change, 65536 rows by 1024 servers.

CHANGE is dispatch's example of that name, built for this machine. Prints milliseconds of
processor time, and fails above 1 s for all rows, or 50 ms for one server.
"""

import os
import subprocess
import sys

# What, how often, and the most that it may take, in milliseconds.
CHANGES = (
    ("full", "all rows anew, servers of one weight", 3, 1000),
    ("weighted", "all rows anew, weights 1 to 1000", 3, 1000),
    ("down", "one server goes", 100, 50),
    ("up", "it comes back", 100, 50),
    ("heavier", "it gains weight", 100, 50),
    ("lighter", "it loses weight", 100, 50),
    # In proportion to what it had: the same as half of a table anew.
    ("half-down", "one goes that had half of all rows", 3, 1000),
)


def seconds(*command):
    """Of a processor; the machine may have other work."""
    child = subprocess.Popen(command)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"changes: '{' '.join(command)}' ended with {child.returncode}")
    return used.ru_utime + used.ru_stime


def main():
    _, change = sys.argv
    good = True
    for what, words, times, most in CHANGES:
        before = seconds(change, what, "0")
        each = (seconds(change, what, str(times)) - before) / times * 1000
        print(f"changes, {words}: {each:.1f} ms")
        good = good and each <= most
    if not good:
        sys.exit("changes: more than 1 s for all rows, or 50 ms for one server")


if __name__ == "__main__":
    main()
