#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Until it is ended, whoever opens a connection, or is asked for one, waits SECONDS for
an answer before saying it again.

	patient.py SECONDS

That is a second otherwise, and no sysctl: a slow guest pauses for as long, and what has
been said for nothing costs a reset when the connection has ended meanwhile.
"""

import ctypes
import os
import platform
import signal
import struct
import subprocess
import sys

BPF = {"x86_64": 321, "aarch64": 280}[platform.machine()]
PROG_LOAD, LINK_CREATE = 5, 28
SOCK_OPS, CGROUP_SOCK_OPS = 13, 3  # kinds of program and of attachment
TIMEOUT_INIT = 1
ROOT = "/sys/fs/cgroup"


def instruction(code, target=0, source=0, offset=0, value=0):
    return struct.pack("<BBhi", code, target | source << 4, offset, value)


def program(jiffies):
    """For the question TIMEOUT_INIT the answer is so many; others have their own."""
    return b"".join(
        (
            instruction(0x61, 2, 1, 0),  # r2 = context->op
            instruction(0x55, 2, 0, 2, TIMEOUT_INIT),  # another: skip two
            instruction(0xB7, 3, 0, 0, jiffies),  # r3 = jiffies
            instruction(0x63, 1, 3, 4),  # context->reply = r3
            instruction(0xB7, 0, 0, 0, 1),  # r0 = 1
            instruction(0x95),  # return
        )
    )


def bpf(command, attributes):
    buffer = ctypes.create_string_buffer(attributes, 128)
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(BPF, command, buffer, len(buffer))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()) + f": bpf command {command}")
    return result


def main():
    hertz = 250  # CONFIG_HZ of Debian's kernels
    code = program(int(sys.argv[1]) * hertz)
    code = ctypes.create_string_buffer(code, len(code))
    license = ctypes.create_string_buffer(b"GPL")
    if not os.path.exists(ROOT + "/cgroup.procs"):
        subprocess.run(["mount", "-t", "cgroup2", "cgroup2", ROOT], check=True)
    loaded = bpf(
        PROG_LOAD,
        struct.pack("<IIQQ", SOCK_OPS, len(code.raw) // 8, ctypes.addressof(code), ctypes.addressof(license)),
    )
    bpf(LINK_CREATE, struct.pack("<IIII", loaded, os.open(ROOT, os.O_RDONLY), CGROUP_SOCK_OPS, 0))
    print("patient", flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
