#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""The servers of streams.py: one process that listens in many namespaces, and says
on every connection which of them it came to.

	streamd.py GHOST[,GHOST]... NAMESPACE...

A request out of turn, or one that is damaged, is answered by the server "wrong",
and the connection ends. One that the client has ended is closed a moment later: with
several processors a FIN can overtake the acknowledgement of the client's, also one that
is delayed, and that then costs a reset.
"""

import collections
import os
import select
import socket
import sys
import time

import record

TCP_FASTOPEN = 23
MOMENT = 0.25  # seconds, more than acknowledgements are delayed


class Connection:
    def __init__(self, accepted, server):
        self.socket, self.server = accepted, server
        self.input, self.output = bytearray(), bytearray()
        self.number = 0
        self.skip = 0  # bytes of an upload still to come
        self.ending = False

    def received(self, data):
        self.input += data
        while True:
            skipped = min(self.skip, len(self.input))
            del self.input[:skipped]
            self.skip -= skipped
            if self.skip or len(self.input) < record.REQUEST.size or self.ending:
                return
            asked = bytes(self.input[: record.REQUEST.size])
            del self.input[: record.REQUEST.size]
            self.asked(asked)

    def asked(self, asked):
        kind, number, argument = record.read_request(asked) or (record.END, None, 0)
        right = number == self.number
        self.number += 1
        self.output += record.answer(self.server if right else "wrong", asked)
        if kind == record.BULK:
            self.output += record.bulk(argument)
        elif kind == record.UPLOAD:
            self.skip = argument
        self.ending = kind == record.END or not right

    def flush(self):
        if self.output:
            del self.output[: self.socket.send(self.output)]
        if self.ending and not self.output:
            self.socket.shutdown(socket.SHUT_WR)


class Servers:
    def __init__(self):
        self.ready = select.epoll()
        self.listeners, self.connections = {}, {}
        self.closing = collections.deque()  # when, and which

    def listen(self, address, name):
        kind = socket.AF_INET6 if ":" in address else socket.AF_INET
        listener = socket.socket(kind, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.IPPROTO_TCP, TCP_FASTOPEN, 64)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.bind((address, record.PORT))
        listener.listen(256)
        listener.setblocking(False)
        self.ready.register(listener.fileno(), select.EPOLLIN)
        self.listeners[listener.fileno()] = listener, name

    def accept(self, listener, name):
        try:
            accepted, _ = listener.accept()
        except OSError:  # gone again meanwhile
            return
        accepted.setblocking(False)
        self.ready.register(accepted.fileno(), select.EPOLLIN)
        self.connections[accepted.fileno()] = Connection(accepted, name)

    def serve(self, number, connection):
        wrote = bool(connection.output)
        try:
            if not wrote:
                data = connection.socket.recv(65536)
                if not data:
                    raise ConnectionError("the client has ended it")
                connection.received(data)
            connection.flush()
        except BlockingIOError:
            pass
        except OSError:
            self.ready.unregister(number)
            del self.connections[number]
            self.closing.append((time.monotonic() + MOMENT, connection.socket))
            return
        if bool(connection.output) != wrote:
            self.ready.modify(number, select.EPOLLIN if wrote else select.EPOLLOUT)

    def run(self):
        while True:
            while self.closing and self.closing[0][0] < time.monotonic():
                self.closing.popleft()[1].close()
            for number, _ in self.ready.poll(MOMENT):
                if number in self.listeners:
                    self.accept(*self.listeners[number])
                else:
                    self.serve(number, self.connections[number])


def main():
    ghosts, *names = sys.argv[1:]
    servers = Servers()
    for name in names:
        with open(f"/run/netns/{name}") as there:
            os.setns(there.fileno(), os.CLONE_NEWNET)
        for ghost in ghosts.split(","):
            servers.listen(ghost, name)
    print("serving", flush=True)
    servers.run()


if __name__ == "__main__":
    main()
