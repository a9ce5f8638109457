#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""attach.py tc|xdp PROGRAM INPUT OUTPUT GHOST4 GHOST6 SOURCE LINK...: a peer of bench/bpf.

PROGRAM of bench/out/tc.bpf or xdp.bpf gets the frames that come in from the
device INPUT, and sends those for a ghost out of OUTPUT, from the link address
SOURCE to the LINKs by turns of rows. Stays attached until it is ended: says so
when it is, and holds a program that nothing else does.

By way of libbpf, which iproute2 brings: tc attaches to the older and slower
clsact only.
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


def setup(ghosts, device, source, links):
    """`setup` of job.h."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        answer = fcntl.ioctl(any_socket, SIOCGIFMTU, device.encode().ljust(40, b"\0"))
    mtu, = struct.unpack_from("=i", answer, 16)
    mac = [bytes.fromhex(link.replace(":", "")) for link in (source, *links)]
    hops = b"".join(to + mac[0] + struct.pack("=I", mtu) for to in mac[1:])
    rows = struct.pack(f"={len(links)}H", *range(len(links))) * (ROWS // len(links))
    return (SEED + socket.inet_pton(socket.AF_INET6, ghosts[1])
            + socket.inet_pton(socket.AF_INET, ghosts[0])
            + struct.pack("=I", socket.if_nametoindex(device))
            + hops.ljust(SERVERS * 16, b"\0") + rows)


def load(kind, program, content):
    """The loaded program's descriptor; all of the object's come along."""
    obj = ctypes.c_void_p(good(kind, bpf.bpf_object__open(f"{HERE}/out/{kind}.bpf".encode())))
    variables = good("setup", bpf.bpf_object__find_map_by_name(obj, b".rodata.setup"))
    size = ctypes.c_size_t()
    value = bpf.bpf_map__initial_value(ctypes.c_void_p(variables), ctypes.byref(size))
    assert size.value == len(content), (size.value, len(content))
    ctypes.memmove(value, content, len(content))
    good("load", bpf.bpf_object__load(obj))
    found = bpf.bpf_object__find_program_by_name(obj, program.encode())
    return bpf.bpf_program__fd(ctypes.c_void_p(good(program, found)))


def main():
    kind, program, source, target, ghost4, ghost6, link, *links = sys.argv[1:]
    ended = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ended)
    fd = load(kind, program, setup((ghost4, ghost6), target, link, links))
    device = socket.if_nametoindex(source)
    if kind == "tc":
        good("attach", bpf.bpf_prog_attach(fd, device, TCX_INGRESS, 0))
    else:
        good("attach", bpf.bpf_xdp_attach(device, fd, XDP_GENERIC, None))
    print("attached", flush=True)
    signal.sigwait(ended)
    if kind == "tc":
        good("detach", bpf.bpf_prog_detach2(fd, device, TCX_INGRESS))
    else:
        good("detach", bpf.bpf_xdp_detach(device, XDP_GENERIC, None))


if __name__ == "__main__":
    main()
