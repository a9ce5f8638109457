#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Change a pool as fast as can be while numbered datagrams come for it: each must be
received exactly once, by the owner under a function that stood while it was under
way.

	changes.py SECONDS CHANGES APPLIES PACKETS GHOST NAMESPACE CLIENTS SERVER... -- CLIENT...

A second: CHANGES, of which APPLIES are of the whole configuration, each with another
seed than the one before, and the others of the health of one server; and PACKETS.
NAMESPACE has the pool, CLIENTS the clients' addresses. All changes are without
transitions. Prints figures; exit code 1 if a packet was lost, doubled or on a wrong
server, or if a change failed.
"""

import bisect
import ctypes
import os
import pickle
import random
import select
import socket
import struct
import sys
import threading
import time

from uapi import C, IOC, S, Device, make, text

PORT = 9000
LAST = 0xFFFFFFFF  # the number of a client's last one


def enter(namespace):
    with open(f"/run/netns/{namespace}") as there:
        os.setns(there.fileno(), os.CLONE_NEWNET)


class Child:
    """A process that does something until it is told to end, and tells the result."""

    def __init__(self, function, *arguments):
        result, told = os.pipe()
        stop, self.stop = os.pipe()
        if os.fork() == 0:
            os.close(self.stop)
            with os.fdopen(told, "wb") as out:
                pickle.dump(function(stop, *arguments), out)
            os._exit(0)
        os.close(told)
        os.close(stop)
        self.result = os.fdopen(result, "rb")

    def ends(self):
        os.close(self.stop)
        with self.result:
            return pickle.load(self.result)


def receive(stop, servers, ghost, clients):
    """Number, server and time of what comes. Ends when it is told to and the last of
    each client is there, or is not going to be."""
    got, last = [], threading.Semaphore(0)

    def listen(one, name):
        while True:
            number = struct.unpack("!I", one.recv(64))[0]
            if number == LAST:
                last.release()
            else:
                got.append((number, name, time.monotonic()))

    for name in servers:
        enter(name)
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        one.bind((ghost, PORT))
        threading.Thread(target=listen, args=(one, name), daemon=True).start()
    os.read(stop, 1)
    for _ in clients:
        last.acquire(timeout=10)
    return got


def send(stop, namespace, ghost, clients, rate):
    """The client and the time of each number."""
    enter(namespace)
    sockets = []
    for client in clients:
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.bind((client, 0))
        one.connect((ghost, PORT))
        sockets.append(one)
    sent, began = [], time.monotonic()
    while not select.select([stop], [], [], 0.001)[0]:
        while len(sent) < (time.monotonic() - began) * rate:
            number = len(sent)
            sent.append((clients[number % len(clients)], time.monotonic()))
            sockets[number % len(clients)].send(struct.pack("!I", number))
    for one in sockets:
        one.send(struct.pack("!I", LAST))
    return sent


class Pool:
    """What stands in the device: one of two seeds, and at most one server down."""

    def __init__(self, clients):
        self.device = Device()
        self.clients = clients
        image = self.device.dump()
        first = self.wanted(image)
        self.images = [first, self.reseeded(first)]
        head = S["image"].from_buffer_copy(image)
        at = ctypes.sizeof(head)
        self.name = text(S["pool"].from_buffer_copy(image, at).name)
        at += ctypes.sizeof(S["pool"]) * head.pools + ctypes.sizeof(S["ghost"]) * head.ghosts
        size = ctypes.sizeof(S["server"])
        self.servers = [S["server"].from_buffer_copy(image, at + size * number) for number in range(head.servers)]
        self.names = {server.id: text(server.name) for server in self.servers}
        self.seed, self.down = 0, None

    @staticmethod
    def wanted(image):
        """A dump without what only a dump has."""
        wanted = bytearray(image)
        head = S["image"].from_buffer_copy(image)
        at = ctypes.sizeof(head)
        for kind, count, outs in (
            ("pool", head.pools, ("tracked", "digest")),
            ("ghost", head.ghosts, ()),
            ("server", head.servers, ("health", "reach", "reach6", "ifindex", "ifindex6", "drain_left", "changed_at",
                                      "packets", "bytes", "actor", "reason")),
            ("device", head.devices, ("ifindex",)),
        ):
            for _ in range(count):
                for field in (getattr(S[kind], out) for out in outs):
                    wanted[at + field.offset : at + field.offset + field.size] = bytes(field.size)
                at += ctypes.sizeof(S[kind])
        return bytes(wanted[:at])

    @staticmethod
    def reseeded(image):
        other = bytearray(image)
        S["pool"].from_buffer(other, ctypes.sizeof(S["image"])).seed[0] ^= 0xFF
        return bytes(other)

    def state(self):
        return self.seed, self.down

    def apply(self):
        self.seed ^= 1
        error, reply = self.device.apply(self.images[self.seed], flags=C["ONEHOP_NOW"])
        return error == 0 and reply.changed

    def health(self):
        """A server that is up goes down, or the one that is down comes back."""
        server = self.down or random.choice(list(self.names.values()))
        up, self.down = bool(self.down), None if self.down else server
        reply = make("set", pool=self.name, server=server, field=C["ONEHOP_FIELD_HEALTH"], flags=C["ONEHOP_NOW"],
                     value=C["ONEHOP_HEALTH_UP"] if up else C["ONEHOP_HEALTH_DOWN"])
        return self.device.call(IOC["SERVER"], reply) == 0 and reply.changed

    def owners(self):
        found = {}
        for client in self.clients:
            reply = make("lookup", pool=self.name, family=4, client=socket.inet_aton(client))
            self.device.must(IOC["LOOKUP"], reply)
            found[client] = self.names[reply.owner]
        return found

    def all_owners(self):
        """By every state there can be."""
        found = {}
        for _ in range(2):
            for server in self.names.values():
                make_down = make("set", pool=self.name, server=server, field=C["ONEHOP_FIELD_HEALTH"],
                                 flags=C["ONEHOP_NOW"], value=C["ONEHOP_HEALTH_DOWN"])
                self.device.must(IOC["SERVER"], make_down)
                self.down = server
                found[self.state()] = self.owners()
                self.health()
            found[self.state()] = self.owners()
            self.apply()
        return found


def change(pool, seconds, changes, applies):
    """When each change began and ended, and the state after it; how many failed, and
    how long it took."""
    log, failed, done, began = [(0.0, 0.0, pool.state())], 0, 0, time.monotonic()
    while (now := time.monotonic()) < began + seconds:
        if done > (now - began) * changes:
            continue
        what = pool.apply if done % (changes // applies) == 0 else pool.health
        begun = time.monotonic()
        failed += not what()
        log.append((begun, time.monotonic(), pool.state()))
        done += 1
    return log, failed, time.monotonic() - began


def judge(log, owners, sent, got):
    """Wrong ones, and how many are not where they would have gone at first."""
    begun = [entry[0] for entry in log]
    received = {}
    for number, server, at in got:
        received.setdefault(number, []).append((server, at))
    wrong, elsewhere = [], 0
    for number, (client, at) in enumerate(sent):
        those = received.get(number, [])
        if len(those) != 1:
            wrong.append(f"packet {number} was received {len(those)} times")
            continue
        server, until = those[0]
        # From the state that stood, or was about to be left, when it was sent.
        first = max(bisect.bisect_right(begun, at) - 1, 0)
        while first > 0 and log[first][1] > at:
            first -= 1
        states = {entry[2] for entry in log[first : bisect.bisect_right(begun, until)]}
        if server not in {owners[state][client] for state in states}:
            wrong.append(f"packet {number} of {client} was received by {server} in {states}")
        elsewhere += server != owners[log[0][2]][client]
    return wrong, elsewhere


def main():
    seconds, changes, applies, packets = map(int, sys.argv[1:5])
    ghost, namespace, clients_at, *rest = sys.argv[5:]
    servers, clients = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
    receiver = Child(receive, servers, ghost, clients)
    enter(namespace)
    pool = Pool(clients)
    owners = pool.all_owners()
    sender = Child(send, clients_at, ghost, clients, packets)
    log, failed, lasted = change(pool, seconds, changes, applies)
    sent = sender.ends()
    got = receiver.ends()
    wrong, elsewhere = judge(log, owners, sent, got)
    print("\n".join(wrong[:10]))
    print(f"# {(len(log) - 1) / lasted:.0f} changes a second, {len(sent)} packets, {elsewhere} elsewhere than at first, "
          f"{len(wrong)} wrong; {failed} changes failed")
    return 1 if wrong or failed or not elsewhere else 0


if __name__ == "__main__":
    sys.exit(main())
