# SPDX-License-Identifier: GPL-2.0
"""The module, loaded and unloaded by the system calls."""

import ctypes
import errno
import os
import time

from expect import Failure

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "onehop.ko")
FINIT_MODULE, DELETE_MODULE = 313, 176  # x86-64
# Seconds, for what needs time; more in a kernel that checks itself.
PATIENCE = int(os.environ.get("FIRE_PATIENCE", "60"))

LIBC = ctypes.CDLL(None, use_errno=True)


class Module:
    def __init__(self):
        self.is_loaded = os.path.isdir("/sys/module/onehop")

    @staticmethod
    def try_load():
        """The errno, 0 on success."""
        file = os.open(PATH, os.O_RDONLY)
        error = ctypes.get_errno() if LIBC.syscall(FINIT_MODULE, file, b"", 0) else 0
        os.close(file)
        return error

    def load(self):
        error = self.try_load()
        if error:
            raise OSError(error, "insmod: " + os.strerror(error))
        self.is_loaded = True
        wait("/dev/onehop", lambda: os.path.exists("/dev/onehop"))

    @staticmethod
    def try_unload():
        """The errno, 0 on success. As rmmod does it: without waiting for users."""
        failed = LIBC.syscall(DELETE_MODULE, b"onehop", os.O_NONBLOCK)
        return ctypes.get_errno() if failed else 0

    def unload(self):
        error = self.try_unload()
        if error:
            raise OSError(error, "rmmod: " + errno.errorcode[error])
        self.is_loaded = False
        wait("the end of /dev/onehop", lambda: not os.path.exists("/dev/onehop"))


def wait(what, condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise Failure(f"gave up waiting for {what}")
        time.sleep(0.01)
