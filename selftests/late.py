#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""late.py: by how many milliseconds this process was run too late, at most.

Sleeps for a millisecond at a time, as any service waits, until SIGTERM, and prints the
greatest delay.
"""

import signal
import time

MILLISECOND = 1_000_000  # of nanoseconds


def main():
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    print("begun", flush=True)
    most = 0
    while not ended:
        begun = time.monotonic_ns()
        time.sleep(0.001)
        most = max(most, time.monotonic_ns() - begun - MILLISECOND)
    print(round(most / MILLISECOND, 1))


if __name__ == "__main__":
    main()
