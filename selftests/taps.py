#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Runs a program with taps open: what it and all that it starts find as files 8, 9, ...

	taps.py NAME... -- PROGRAM ARGUMENT...

Each tap is a device NAME of this namespace, which may be moved to another. What is written to its
file, the device receives; what the device sends is read from it, or there is nothing yet. Both have
a struct virtio_net_hdr in front, and checksums and segments may be left to the reader.
"""

import fcntl
import os
import struct
import sys

TUNSETIFF, TUNSETOFFLOAD = 0x400454CA, 0x400454D0
IFF_TAP, IFF_NO_PI, IFF_VNET_HDR = 2, 0x1000, 0x4000
# TUN_F_CSUM, TSO4, TSO6, TSO_ECN, USO4, USO6
OFFLOADS = 0x01 | 0x02 | 0x04 | 0x08 | 0x20 | 0x40
FIRST = 8


def tap(name, number):
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(file, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI | IFF_VNET_HDR))
    fcntl.ioctl(file, TUNSETOFFLOAD, OFFLOADS)
    os.dup2(file, number)
    os.close(file)


def main():
    cut = sys.argv.index("--")
    for number, name in enumerate(sys.argv[1:cut], FIRST):
        tap(name, number)
    os.execvp(sys.argv[cut + 1], sys.argv[cut + 1 :])


if __name__ == "__main__":
    main()
