#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""attach.py INPUT OUTPUT GHOST4,GHOST6 LINK SERVER... -- FORM...: the peers of bench/bpf.

A FORM is PLACE:PROGRAM: a program of bench/out/tc.bpf or xdp.bpf gets the frames
that come in from the device INPUT at that place (tcx, clsact or xdp), and sends
those for a ghost out of OUTPUT, whose link address is LINK, to the servers, which
have the rows by turns. A SERVER is its link address and one of each family, with
commas. Says which form is attached, each until SIGUSR1 asks for the next one.

By way of libbpf, which iproute2 brings; itself, it attaches to clsact only.
"""

import ctypes
import fcntl
import os
import signal
import socket
import struct
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
SEED = bytes(range(16))
SERVERS, ROWS = 1024, 65536
SIOCGIFMTU = 0x8921
TCX_INGRESS = 46
XDP_GENERIC = 1 << 1
CLSACT_INGRESS, CLSACT_BOTH = 1, 3

bpf = ctypes.CDLL("libbpf.so.1", use_errno=True)
for name in ("bpf_object__open", "bpf_object__find_map_by_name", "bpf_map__initial_value",
             "bpf_object__find_program_by_name"):
    getattr(bpf, name).restype = ctypes.c_void_p


def good(what, result):
    """libbpf says 0 or more, or a pointer; else errno tells why."""
    if result is None or result < 0:
        error = ctypes.get_errno()
        sys.exit(f"attach.py: {what}: {os.strerror(error)}")
    return result


def link(text):
    return bytes.fromhex(text.replace(":", ""))


def ipv4(text):
    return socket.inet_pton(socket.AF_INET, text)


def ipv6(text):
    return socket.inet_pton(socket.AF_INET6, text)


def mtu_of(device):
    request = device.encode().ljust(40, b"\0")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as anything:
        answer = fcntl.ioctl(anything, SIOCGIFMTU, request)
    return struct.unpack_from("=i", answer, 16)[0]


def setup(ghosts, device, source, servers):
    """`setup` of job.h."""
    family = struct.Struct("=I").pack
    mtu = struct.pack("=I", mtu_of(device))
    parts = [it.split(",") for it in servers]
    hops = b"".join(link(to) + link(source) + mtu for to, _, _ in parts)
    next4 = b"".join(family(socket.AF_INET) + ipv4(it).ljust(16, b"\0") for _, it, _ in parts)
    next6 = b"".join(family(socket.AF_INET6) + ipv6(it) for _, _, it in parts)
    rows = struct.pack(f"={len(parts)}H", *range(len(parts))) * (ROWS // len(parts))
    content = (SEED + ipv6(ghosts[1]) + ipv4(ghosts[0])
               + struct.pack("=I", socket.if_nametoindex(device)))
    for array, size in ((hops, 16), (next4, 20), (next6, 20)):
        content += array.ljust(SERVERS * size, b"\0")
    return content + rows


def load(name, program, content):
    """The loaded program's descriptor; all of the object's come along."""
    obj = ctypes.c_void_p(good(name, bpf.bpf_object__open(f"{HERE}/out/{name}.bpf".encode())))
    variables = good("setup", bpf.bpf_object__find_map_by_name(obj, b".rodata.setup"))
    size = ctypes.c_size_t()
    value = bpf.bpf_map__initial_value(ctypes.c_void_p(variables), ctypes.byref(size))
    if size.value != len(content):
        sys.exit(f"attach.py: setup has {size.value} bytes in {name}.bpf, {len(content)} here")
    ctypes.memmove(value, content, len(content))
    good("load", bpf.bpf_object__load(obj))
    found = bpf.bpf_object__find_program_by_name(obj, program.encode())
    return bpf.bpf_program__fd(ctypes.c_void_p(good(program, found)))


class Clsact(ctypes.Structure):
    """struct bpf_tc_hook of libbpf; both directions, as it goes when neither is left."""

    _fields_ = [("size", ctypes.c_size_t), ("device", ctypes.c_int),
                ("directions", ctypes.c_int), ("parent", ctypes.c_uint32)]

    def __init__(self, device, directions):
        super().__init__(ctypes.sizeof(self), device, directions, 0)


class Filter(ctypes.Structure):
    """struct bpf_tc_opts."""

    _fields_ = [("size", ctypes.c_size_t), ("fd", ctypes.c_int), ("flags", ctypes.c_uint32),
                ("id", ctypes.c_uint32), ("handle", ctypes.c_uint32), ("priority", ctypes.c_uint32)]

    def __init__(self, fd):
        super().__init__(ctypes.sizeof(self), fd)


def attach(place, device, fd):
    if place == "tcx":
        return bpf.bpf_prog_attach(fd, device, TCX_INGRESS, 0)
    if place == "xdp":
        return bpf.bpf_xdp_attach(device, fd, XDP_GENERIC, None)
    hook = Clsact(device, CLSACT_INGRESS)
    good("clsact", bpf.bpf_tc_hook_create(ctypes.byref(hook)))
    return bpf.bpf_tc_attach(ctypes.byref(hook), ctypes.byref(Filter(fd)))


def detach(place, device, fd):
    if place == "tcx":
        return bpf.bpf_prog_detach2(fd, device, TCX_INGRESS)
    if place == "xdp":
        return bpf.bpf_xdp_detach(device, XDP_GENERIC, None)
    return bpf.bpf_tc_hook_destroy(ctypes.byref(Clsact(device, CLSACT_BOTH)))


def main():
    source, target, ghosts, own, *rest = sys.argv[1:]
    end = rest.index("--")
    content = setup(ghosts.split(","), target, own, rest[:end])
    signals = {signal.SIGUSR1, signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    device = socket.if_nametoindex(source)
    for form in rest[end + 1:]:
        place, program = form.split(":")
        fd = load("xdp" if place == "xdp" else "tc", program, content)
        good("attach", attach(place, device, fd))
        print(form, flush=True)
        asked = signal.sigwait(signals)
        good("detach", detach(place, device, fd))
        if asked != signal.SIGUSR1:
            break


if __name__ == "__main__":
    main()
