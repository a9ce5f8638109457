# SPDX-License-Identifier: GPL-2.0
"""A dispatcher: a namespace, its device on the lan and what routes it has, and from that how it
must reach each server. Its network is changed with ip, its module by calls."""

import contextlib
import errno
import os
import socket
import subprocess

from uapi import C, Device

NAMES = "/run/netns"
FAMILIES = (4, 6)
UNREACHABLE, LINK, LOCAL = (C[f"ONEHOP_REACH_{name}"] for name in ("UNREACHABLE", "LINK", "LOCAL"))
HERE = os.open("/proc/self/ns/net", os.O_RDONLY)


def ip(lines, namespace=None):
    """A batch; what fails fails the test."""
    command = ["ip", *(["-n", namespace] if namespace else []), "-batch", "-"]
    done = subprocess.run(command, input="\n".join(lines), text=True, capture_output=True, check=False)
    if done.returncode:
        raise OSError(errno.EIO, f"ip in {namespace or 'the first namespace'}: {lines}: {done.stderr.strip()}")


@contextlib.contextmanager
def inside(namespace):
    """This thread, in a namespace."""
    with open(f"{NAMES}/{namespace}") as there:
        os.setns(there.fileno(), os.CLONE_NEWNET)
    try:
        yield
    finally:
        os.setns(HERE, os.CLONE_NEWNET)


@contextlib.contextmanager
def device(namespace):
    """The module's device there, for as long as it takes: an open file pins namespace and module."""
    with inside(namespace):
        opened = Device()
    try:
        yield opened
    finally:
        os.close(opened.fd)


def sysctl(namespace, name, value):
    """In the first namespace if none is named."""
    with inside(namespace) if namespace else contextlib.nullcontext(), open(f"/proc/sys/net/{name}", "w") as file:
        file.write(str(value))


def net(family):
    """The first part of an address on the lan, the bits of its prefix, and those of an address."""
    return ("10.0.0.", 24, 32) if family == 4 else ("2001:db8::", 64, 128)


class Host:
    """Number n has 10.0.0.<10 + n> or .<20 + n>, and the link address 02:00:00:00:01:<n> or :02:<n>."""

    peers = 0  # devices made so far: the one on the bridge may go later than the other

    def __init__(self, number):
        self.number, self.name = number, f"x{number}"
        self.is_there = False
        self.forget()

    def forget(self):
        self.nic = None  # the index of the device
        self.peer = None
        self.is_up = False
        self.other = 0  # which of its addresses, and of its link addresses
        self.other_link = 0
        self.local = set()  # addresses on lo besides
        self.routes = {}  # by address: the kind of a route of its own

    def link_address(self, other):
        return f"02:00:00:00:{1 + other:02x}:{self.number:02x}"

    def own(self, family, other):
        return f"{net(family)[0]}{10 * (1 + other) + self.number}/{net(family)[1]}"

    def create(self):
        ip([f"netns add {self.name}"])
        self.is_there = True
        sysctl(self.name, "ipv6/conf/all/keep_addr_on_down", 1)
        sysctl(self.name, "ipv4/conf/all/promote_secondaries", 1)
        ip(["link set lo up"], self.name)
        self.plug()

    def delete(self):
        ip([f"netns del {self.name}"])
        self.is_there = False
        self.forget()

    def plug(self):
        Host.peers += 1
        self.peer = f"to-{self.name}-{Host.peers}"
        ip([f"link add {self.peer} netns lan type veth peer name eth0 netns {self.name} "
            f"address {self.link_address(self.other_link)}"])
        ip([f"link set {self.peer} master br0 up"], "lan")
        ip(["link set eth0 up", *(f"address add {self.own(family, self.other)} dev eth0 {nodad(family)}"
                                  for family in FAMILIES)], self.name)
        self.is_up = True
        with inside(self.name):
            self.nic = socket.if_nametoindex("eth0")

    def unplug(self):
        ip(["link del eth0"], self.name)
        self.nic, self.peer, self.is_up = None, None, False
        self.lose_routes()

    def set_up(self, is_up):
        ip([f"link set eth0 {'up' if is_up else 'down'}"], self.name)
        self.is_up = is_up
        if not is_up:
            self.lose_routes()

    def lose_routes(self):
        """With the device go the routes by it."""
        self.routes = {address: kind for address, kind in self.routes.items() if kind == "unreachable"}

    def flap(self):
        ip(["link set eth0 down", "link set eth0 up"], self.name)
        self.lose_routes()

    def readdress(self):
        """The new address first: no moment without one."""
        old, new = self.other, 1 - self.other
        ip([f"address {verb} {self.own(family, which)} dev eth0 {nodad(family) if verb == 'add' else ''}"
            for verb, which in (("add", new), ("del", old)) for family in FAMILIES], self.name)
        self.other = new

    def relink(self):
        self.other_link = 1 - self.other_link
        if self.nic:
            ip([f"link set eth0 address {self.link_address(self.other_link)}"], self.name)

    def toggle_local(self, address):
        verb = "del" if address in self.local else "add"
        bits = net(6 if ":" in address else 4)[2]
        ip([f"address {verb} {address}/{bits} dev lo"], self.name)
        self.local ^= {address}

    def toggle_route(self, address, kind):
        """One to this address alone: `unreachable`, or `via` another host."""
        if address in self.routes:
            ip([f"route del {self.route(address, self.routes.pop(address))}"], self.name)
        elif kind == "unreachable" or self.is_up:
            ip([f"route add {self.route(address, kind)}"], self.name)
            self.routes[address] = kind

    @staticmethod
    def route(address, kind):
        start, _, bits = net(6 if ":" in address else 4)
        return f"unreachable {address}/{bits}" if kind == "unreachable" else f"{address}/{bits} via {start}254"

    def reach(self, packed):
        """How the server of this address is reached, and by which device."""
        address = socket.inet_ntop(socket.AF_INET if len(packed) == 4 else socket.AF_INET6, packed)
        if address in self.local:
            return LOCAL, 0
        if not self.is_up or address in self.routes:
            return UNREACHABLE, 0
        return LINK, self.nic


def nodad(family):
    return "nodad" if family == 6 else ""
