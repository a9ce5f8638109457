#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""analyze.py TOOL LOG.GZ: what analyze takes for 1 GiB of the log, over and over.

Prints processor time and memory, and fails above 10 s or 64 MiB. Once as it is, and
once with a thousand times as many clients, more than it can name, and servers.
"""

import gzip
import itertools
import os
import re
import subprocess
import sys

SIZE = 1 << 30
SECONDS, MEBIBYTES = 10, 64


def repeated(text):
    while True:
        yield text


def with_other_clients(text):
    """Each time as if its clients were others: the first half of their addresses is."""
    first_half = re.compile(rb"^\d+\.\d+\.", re.MULTILINE)
    for turn in itertools.count(250):
        yield first_half.sub(b"%d.%d." % divmod(turn, 250), text)


def measure(tool, servers, chunks):
    command = [tool, "analyze", "--servers", servers, "--holdout", "-"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    written = 0
    try:
        while written < SIZE:
            written += child.stdin.write(next(chunks))
        child.stdin.close()
    except BrokenPipeError:
        sys.exit(f"analyze: it ended with {child.wait()} after {written} bytes")
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"analyze: it ended with {child.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    _, tool, log = sys.argv
    with gzip.open(log) as file:
        text = file.read()
    good = True
    for name, servers, chunks in (
        ("its clients", "16", repeated(text)),
        ("ever new ones", "1024", with_other_clients(text)),
    ):
        seconds, memory = measure(tool, servers, chunks)
        print(f"analyze, 1 GiB of {name}, {servers} servers: {seconds:.1f} s, {memory:.0f} MiB")
        good = good and seconds <= SECONDS and memory <= MEBIBYTES
    if not good:
        sys.exit(f"analyze: more than {SECONDS} s or {MEBIBYTES} MiB")


if __name__ == "__main__":
    main()
