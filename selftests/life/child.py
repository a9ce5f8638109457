# SPDX-License-Identifier: GPL-2.0
"""A process of its own that uses the device of a namespace: it calls, waits for events, or is in
the middle of an APPLY."""

import os
import signal

from expect import Failure
from life.host import inside
from life.module import wait
from uapi import Device

READ = 0  # the system call of x86-64


class Child:
    """Runs `work(device, told)` in the namespace; what it writes to the descriptor `told`, `heard` has."""

    def __init__(self, namespace, work):
        self.heard, told = os.pipe()
        with inside(namespace):
            device = Device()
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                work(device, told)
                code = 0
            finally:
                os._exit(code)
        # The child alone holds the device.
        os.close(device.fd)
        os.close(told)
        self.code = None

    def ticks(self):
        """Spent in the kernel."""
        with open(f"/proc/{self.pid}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[12])

    def has_ended(self):
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code is not None

    def blocks_in_read(self):
        with open(f"/proc/{self.pid}/syscall") as file:
            return file.read().split()[0] == str(READ)

    def is_busy(self):
        """Has been in the kernel for 0.2 s, which nothing but a build takes."""
        if self.has_ended():
            raise Failure("the build was over before anything could happen to it")
        return self.ticks() > 20

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)

    def wait(self):
        wait("a child to end", self.has_ended)
        os.close(self.heard)
        return self.code
