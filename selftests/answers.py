#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Ask a ghost in every way a client can, from many addresses at once, and see on
a link who answers.

	answers.py NAMESPACE FENCE[,FENCE]... SERVER=MAC...

Runs where the clients are, and looks at links of the other namespace. Serves as
long as somebody asks it; a request is a line on standard input

	DEVICE SECONDS GHOST FILE SOURCE...

Ways: ping; UDP to an open port (7, "open") and a closed one (9, "closed"); TCP to
an open port (80, "accepted") and a closed one (81, "refused"). FILE gets a line
for each answer seen, "client way server", sorted; FILE.missed one for each
question that was not answered as it should be. Then a line is printed: "N of M
answered". The fences are pinged last: what those hosts had to say about the
questions, they have said when they answer.

One process for all requests: in an emulated guest it is the starting that costs.
"""

import errno
import os
import selectors
import socket
import struct
import sys
import time

from wire import checksum

# Python has no names for these.
SOL_PACKET = 263
PACKET_STATISTICS = 6
SO_RCVBUFFORCE = 33


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


class Question:
    def __init__(self, source, ghost, kind, port=0):
        self.name = f"{source} {self.way}"
        self.answer = None
        self.socket = socket.socket(family(ghost), *kind)
        self.socket.setblocking(False)
        self.socket.bind((source, 0))
        self.note(self.socket.connect_ex((ghost, port)))

    def note(self, error):
        """What connecting, or the socket, has told."""
        if error not in (0, errno.EINPROGRESS):
            self.answer = errno.errorcode[error]

    def ready(self):
        """Something has come: the answer, or not."""
        try:
            self.answer = self.read(self.socket.recv(2048))
        except OSError as error:
            self.note(error.errno)


class Ping(Question):
    way, right, number = "ping", "reply", 0

    def __init__(self, source, ghost):
        self.six = ":" in ghost
        super().__init__(source, ghost, (socket.SOCK_RAW, 58 if self.six else 1))
        Ping.number += 1
        self.body = struct.pack("!HH", Ping.number & 0xFFFF, 1) + b"onehop"
        head = struct.pack("!BBH", 128 if self.six else 8, 0, 0)
        if not self.six:  # the kernel fills in IPv6's
            head = head[:2] + struct.pack("!H", checksum(head + self.body))
        self.socket.send(head + self.body)

    def read(self, packet):
        if not self.six:
            packet = packet[(packet[0] & 15) * 4 :]
        if packet[0] == (129 if self.six else 0) and packet[4:] == self.body:
            return "reply"
        return None


class Datagram(Question):
    def __init__(self, source, ghost):
        super().__init__(source, ghost, (socket.SOCK_DGRAM,), self.port)
        self.socket.send(b"onehop")

    def read(self, data):
        return "reply" if data.endswith(b" onehop") else repr(data)


class Open(Datagram):
    way, right, port = "open", "reply", 7


class Closed(Datagram):
    way, right, port = "closed", "ECONNREFUSED", 9


class Stream(Question):
    def __init__(self, source, ghost):
        super().__init__(source, ghost, (socket.SOCK_STREAM,), self.port)

    def ready(self):
        error = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        self.answer = errno.errorcode[error] if error else "connected"


class Accepted(Stream):
    way, right, port = "accepted", "connected", 80


class Refused(Stream):
    way, right, port = "refused", "ECONNREFUSED", 81


WAYS = (Ping, Open, Closed, Accepted, Refused)


def ask(questions, seconds):
    ready = selectors.DefaultSelector()
    for question in questions:
        stream = isinstance(question, Stream)
        ready.register(question.socket, selectors.EVENT_WRITE if stream else selectors.EVENT_READ, question)
    deadline = time.monotonic() + seconds
    while ready.get_map() and time.monotonic() < deadline:
        for key, _ in ready.select(0.2):
            key.data.ready()
            if key.data.answer:
                ready.unregister(key.fileobj)
    ready.close()
    return questions


class Link:
    """A device of another namespace, and what comes in by it from now on."""

    def __init__(self, namespace, device):
        home = os.open("/proc/self/ns/net", os.O_RDONLY)
        there = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
        os.setns(there, os.CLONE_NEWNET)
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        os.setns(home, os.CLONE_NEWNET)
        os.close(there)
        os.close(home)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
        self.socket.bind((device, 3))
        self.socket.setblocking(False)

    def frames(self):
        try:
            while True:
                data, (_, _, kind, _, link) = self.socket.recvfrom(2048)
                if kind != socket.PACKET_OUTGOING:
                    yield link, data[14:]
        except BlockingIOError:
            pass
        statistics = self.socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8)
        if struct.unpack("=II", statistics)[1]:
            raise OverflowError("frames were lost on their way to the test")
        self.socket.close()


def unpack(packet):
    """Source, destination, protocol and payload."""
    if packet[0] >> 4 == 4:
        head = (packet[0] & 15) * 4
        return (*(socket.inet_ntop(socket.AF_INET, packet[at : at + 4]) for at in (12, 16)), packet[9], packet[head:])
    return (*(socket.inet_ntop(socket.AF_INET6, packet[at : at + 16]) for at in (8, 24)), packet[6], packet[40:])


def way(protocol, payload):
    """Which question this answers; None: it is part of something else."""
    if protocol in (1, 58):
        return {(1, 0): "ping", (58, 129): "ping", (1, 3): "closed", (58, 1): "closed"}.get((protocol, payload[0]))
    port = struct.unpack_from("!H", payload)[0]
    if protocol == 17:
        return "open" if port == 7 else None
    if protocol == 6:
        flags = payload[13]
        if port == 80 and flags & 0x12 == 0x12:
            return "accepted"
        if port == 81 and flags & 4:
            return "refused"
    return None


def seen(link, ghost, servers):
    known = set()
    for mac, packet in link.frames():
        if not packet or packet[0] >> 4 not in (4, 6):
            continue
        source, client, protocol, payload = unpack(packet)
        answer = way(protocol, payload) if source == ghost else None
        if not answer:
            continue
        if protocol == 6:
            # Said again to a client that asks again.
            which = mac, client, payload[:4]
            if which in known:
                continue
            known.add(which)
        yield f"{client} {answer} {servers.get(mac, mac.hex(':'))}"


def serve(namespace, fences, servers, request):
    device, seconds, ghost, file, *sources = request.split()
    link = Link(namespace, device)
    questions = ask([kind(source, ghost) for source in sources for kind in WAYS], float(seconds))
    wildcard = {socket.AF_INET: "0.0.0.0", socket.AF_INET6: "::"}
    last = ask([Ping(wildcard[family(fence)], fence) for fence in fences], 2)
    lines = sorted(seen(link, ghost, servers))
    for question in questions + last:
        question.socket.close()
    wrong = [question for question in questions if question.answer != question.right]
    with open(file, "w") as out:
        out.writelines(line + "\n" for line in lines)
    with open(file + ".missed", "w") as out:
        out.writelines(f"{question.name}: {question.answer or 'silence'}\n" for question in wrong)
    print(f"{len(questions) - len(wrong)} of {len(questions)} answered", flush=True)


def main():
    namespace, fences, *servers = sys.argv[1:]
    names = {}
    for server in servers:
        name, mac = server.split("=")
        names[bytes.fromhex(mac.replace(":", ""))] = name
    for request in sys.stdin:
        serve(namespace, fences.split(","), names, request)


if __name__ == "__main__":
    main()
