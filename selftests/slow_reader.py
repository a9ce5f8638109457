#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A reader of events that sleeps through 400 of them: what it then reads and what
it is told it has lost must add up.
"""

import ctypes
import os
import sys

from uapi import C, IOC, S, Device, make, text

CHANGES = 400


def main():
    device, reader = Device(), Device()
    pool, server = (text(part.name) for part in first_names(device.dump()))
    # Without transitions, which have events of their own.
    now = C["ONEHOP_NOW"]
    for number in range(CHANGES):
        device.must(IOC["SERVER"], make("set", pool=pool, server=server, field=2, value=2 - number % 2, flags=now))
    size = ctypes.sizeof(S["event"])
    read = lost = 0
    while read + lost < CHANGES:
        block = os.read(reader.fd, 64 * size)
        for start in range(0, len(block), size):
            event = S["event"].from_buffer_copy(block, start)
            if event.type == C["ONEHOP_EVENT_LOST"]:
                lost += event.value
            else:
                read += 1
    print(f"{CHANGES} changes: {read} read, {lost} told as lost")
    return 0 if read + lost == CHANGES and lost else 1


def first_names(image):
    """The first pool and the first server of an image."""
    head = S["image"].from_buffer_copy(image)
    pool_at = ctypes.sizeof(head)
    server_at = pool_at + head.pools * ctypes.sizeof(S["pool"]) + head.ghosts * ctypes.sizeof(S["ghost"])
    return S["pool"].from_buffer_copy(image, pool_at), S["server"].from_buffer_copy(image, server_at)


if __name__ == "__main__":
    sys.exit(main())
