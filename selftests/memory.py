# SPDX-License-Identifier: GPL-2.0
"""Memory that a call may be pointed to: whole, at its edge, only to be read, or none at all."""

import ctypes
import mmap

PAGE = mmap.PAGESIZE
PROT_NONE = 0
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
LIBC.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p]


def ioctl(fd, command, pointer):
    """The errno, 0 on success. Unlike fcntl's it takes any address, and lets other threads run."""
    return 0 if LIBC.ioctl(fd, command, pointer) == 0 else ctypes.get_errno()


def protect(address, length, prot):
    if LIBC.mprotect(address, length, prot):
        raise OSError(ctypes.get_errno(), f"mprotect at {address:#x}")


class Block:
    """Some pages of memory, and behind them a page that nobody may touch."""

    def __init__(self, size):
        self.size = -(-size // PAGE) * PAGE
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self.start = LIBC.mmap(None, self.size + PAGE, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
        if self.start == ctypes.c_void_p(-1).value:
            raise OSError(ctypes.get_errno(), "mmap")
        self.end = self.start + self.size
        protect(self.end, PAGE, PROT_NONE)

    def put(self, content):
        """At the end, the last byte before the forbidden page; the address."""
        at = self.end - len(content)
        ctypes.memmove(at, bytes(content), len(content))
        return at

    def take(self, at, length):
        return ctypes.string_at(at, length)

    def read_only(self, is_so):
        protect(self.start, self.size, mmap.PROT_READ | (0 if is_so else mmap.PROT_WRITE))

    def nowhere(self):
        """Addresses at which nothing can be read or written, whatever its length."""
        return (1, PAGE - 1, self.end, self.end + PAGE // 2, 0x7FFFFFFFF000, 0x800000000000, 0xDEAD000000000100,
                0xFFFF888000000000, 0xFFFFC90000000000, 0xFFFFFFFF81000000, 0xFFFFFFFFFFFFF000, 0xFFFFFFFFFFFFFFFF)
