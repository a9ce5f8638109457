# SPDX-License-Identifier: GPL-2.0
"""The connections that streams.py holds and opens: each knows the server it is on,
and why it broke."""

import collections
import errno
import select
import socket
import time

import record

TCP_FASTOPEN_CONNECT = 30
SILENCE = 20  # seconds without an answer that break a connection
REUSED = 7777  # the port of those that reuse theirs
MOMENT = 0.25  # seconds that one which the server has ended stays, see streamd.py


class Connection:
    """`server` is who answers, once it has; `broken` is why it ended, if nobody
    wanted it to."""

    def __init__(self, poll, ghost, client, port=0, fastopen=False):
        self.poll, self.client, self.port = poll, client, port
        self.server = self.broken = None
        self.numbers = self.answered = self.told = 0
        self.asked = collections.deque()
        self.input = bytearray()
        self.bulk = b""
        self.ending = self.shut = self.ended = False
        self.heard, self.begun = time.monotonic(), time.time()
        self.pause = 0.0  # the longest time without an answer
        self.socket = socket.socket(socket.AF_INET6 if ":" in client else socket.AF_INET, socket.SOCK_STREAM)
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if fastopen:
            self.socket.setsockopt(socket.IPPROTO_TCP, TCP_FASTOPEN_CONNECT, 1)
        self.number = self.socket.fileno()
        poll.register(self.number, select.EPOLLIN if fastopen else select.EPOLLOUT)
        try:
            self.socket.bind((client, port))
            self.port = self.socket.getsockname()[1]
            self.socket.connect((ghost, record.PORT))
        except BlockingIOError:
            pass
        except OSError as error:
            self.fail(error)

    def fail(self, reason):
        self.broken = errno.errorcode[reason.errno] if isinstance(reason, OSError) else reason
        self.close()

    def close(self):
        if not self.ended:
            self.ended = True
            self.poll.unregister(self.number)
            self.socket.close()

    def ask(self, kind=record.NOTHING, argument=0, more=b""):
        asked = record.request(kind, self.numbers, argument)
        self.numbers += 1
        self.asked.append((asked, kind, argument))
        try:
            if self.socket.send(asked + more) < len(asked + more):
                self.fail("takes no more")
        except OSError as error:
            self.fail(error)

    def ready(self, events):
        try:
            if events & select.EPOLLOUT:
                self.poll.modify(self.number, select.EPOLLIN)
                error = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if error:
                    raise OSError(error, "")
                self.connected()
                return
            data = self.socket.recv(65536)
        except OSError as error:
            self.fail(error)
            return
        now = time.monotonic()
        self.pause, self.heard = max(self.pause, now - self.heard), now
        self.input += data
        while not self.ended and self.understood():
            pass
        if not data and not self.ended:
            if self.ending and not self.asked:
                self.was_ended()
            else:
                self.fail("ended by the server")

    def understood(self):
        """Has part of a bulk, or a whole answer, been taken from the input?"""
        if self.bulk:
            part = self.input[: len(self.bulk)]
            if part != self.bulk[: len(part)]:
                self.fail("wrong bytes")
            self.bulk = self.bulk[len(part) :]
            del self.input[: len(part)]
            return bool(part)
        if len(self.input) < record.ANSWER.size:
            return False
        server, echo = record.read_answer(bytes(self.input[: record.ANSWER.size])) or ("wrong", None)
        del self.input[: record.ANSWER.size]
        asked, kind, argument = self.asked.popleft() if self.asked else (None, None, None)
        if asked != echo or server == "wrong":
            self.fail("wrong bytes")
        elif self.server not in (None, server):
            self.fail(f"answered by {server}, too")
        else:
            self.server = server
            self.answered += 1
            if kind == record.BULK:
                self.bulk = record.bulk(argument)
            self.was_answered()
        return True

    def end(self):
        """Nothing more is asked; it ends when the server has ended it, too."""
        if not self.shut:
            self.shut = True
            try:
                self.socket.shutdown(socket.SHUT_WR)
            except OSError as error:
                self.fail(error)

    def turn(self):
        """Called every 100 ms."""
        if time.monotonic() - self.heard > SILENCE:
            self.fail("silence")


class Stream(Connection):
    def connected(self):
        self.ask()

    def was_answered(self):
        pass

    def was_ended(self):
        self.close()

    def turn(self):
        super().turn()
        if self.ended or not self.numbers:
            return
        if not self.ending:
            self.ask()
        elif not self.asked and not self.bulk:
            self.end()


class Fresh(Connection):
    """One question, one answer, and the end: by the server if the port is reused, so
    that it is the server's port that is in TIME_WAIT."""

    def __init__(self, poll, ghost, client, way):
        self.way, self.known_at, self.over = way, None, None
        super().__init__(poll, ghost, client, REUSED if way == "reuse" else 0, way == "fastopen")
        if way == "fastopen":
            self.ask(record.UPLOAD, 1000, b"o" * 1000)

    def connected(self):
        self.ask(record.END if self.way == "reuse" else record.NOTHING)

    def was_answered(self):
        self.known_at = time.time()
        self.ending = True
        if self.way != "reuse":
            self.end()

    def was_ended(self):
        if self.shut:
            self.close()
        else:
            self.poll.modify(self.number, 0)
            self.over = self.heard

    def turn(self):
        super().turn()
        if self.over and not self.ended and time.monotonic() - self.over > MOMENT:
            self.close()
