#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Hold many TCP streams and open new connections all the time, while somebody else
changes who serves whom.

	streams.py GHOST4 GHOST6 SERVER... -- HOST...

Every stream has bytes both ways every 100 ms, numbered and with checksums. It breaks
by a reset, an end it did not ask for, wrong bytes, another server, or silence. A
request is a line on standard input; its answer, when it is true or when patience is
at its end, is a line "ok ..." or "failed ...".

	open CLIENT...		a stream more for each: all are answered
	close CLIENT...		all streams of these have come to their end
	rounds N		every stream has had N answers more
	where FILE		a line per stream: client, port, server; says how many
	bulk SIZE CLIENT...	their streams have brought that many bytes besides
	upload SIZE CLIENT...	they have taken that many, 8000 at a time
	fresh RATE WAY CLIENT...	so many new connections a second, in turn, from now
				on; WAY: plain, fastopen, or reuse (of one port each)
	pause, resume		none meanwhile, and none is on its way
	since TIME N FILE	N that began after TIME have been answered; FILE gets a line
				for each answered since the last time: client, begun,
				answered, server
	forget			what has broken is not told any more
	know LOOKUP FILE	who is to serve whom is in LOOKUP, as the tool has said in
				JSON; FILE gets a line per client: owner, older ones
	moved FILE		a line per client whose connections have several owners
	renew			the streams of those come to their end, and others begin; so do the
				new connections that began before the change had settled
	change			what is known of owners is what was before
	placed BEGUN ENDED ALLOWED	those that `since` has told of are on their owners
	report FILE		in JSON: what stands, what has broken, the resets that the
				servers' stacks have sent and this one has got, and the
				counters of the module, over all hosts that have it
	account FILE		the same, to be compared with later
	whole FILE		the same, and nothing has broken or been reset since
	release, hold		the module can be unloaded from now on; no more
	moves			both functions have been used since, by enough streams
"""

import collections
import inspect
import json
import os
import select
import socket
import sys
import time

import record
from account import Account
from connections import Fresh, Stream
from uapi import Device

SLOTS = 10  # of 10 ms: a stream's turn comes every 100 ms
PATIENCE = 40  # seconds
AT_ONCE = 400  # fresh connections


def inside(namespace, function):
    """What the function returns in another namespace."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    os.setns(there, os.CLONE_NEWNET)
    result = function()
    os.setns(home, os.CLONE_NEWNET)
    os.close(there)
    os.close(home)
    return result


def stack():
    """The counters of this namespace's stack, to be read again and again."""
    return os.open("/proc/thread-self/net/snmp", os.O_RDONLY)


def tcp(counters):
    lines = os.pread(counters, 1 << 16, 0).decode().splitlines()
    names, values = (line.split() for line in lines if line.startswith("Tcp:"))
    return dict(zip(names[1:], map(int, values[1:])))


class Wrong(Exception):
    """Something that was to be true is not, in words."""


class Holder:
    def __init__(self, ghosts, servers, hosts):
        self.ghosts = ghosts
        self.stacks = {name: inside(name, stack) for name in servers}
        self.here = stack()
        self.hosts = hosts
        self.devices = [inside(name, Device) for name in hosts]
        self.poll = select.epoll()
        self.open = {}  # by number: all that is open
        self.slots = [[] for _ in range(SLOTS)]
        self.rate, self.way, self.clients = 0, "plain", collections.deque()
        self.due, self.paused = 0.0, 0
        self.fresh = []  # open
        self.known = []  # answered, not told of yet
        self.told = []  # what `since` has told of
        self.account = Account()
        self.last = None  # report
        self.broken, self.failed = [], []
        self.late = 0  # times that the loop was not in time
        self.reported = time.monotonic()

    def ghost(self, client):
        return self.ghosts[":" in client]

    def streams(self, clients=None):
        """Those that stand; of these clients only."""
        those = (one for slot in self.slots for one in slot if not one.ended)
        return [one for one in those if clients is None or one.client in clients]

    def added(self, connection):
        if not connection.ended:
            self.open[connection.number] = connection
        return connection

    # What happens by itself.

    def slot(self, number):
        slot = self.slots[number % SLOTS]
        for stream in slot:
            if not stream.ended:
                stream.turn()
        self.broken += [stream for stream in slot if stream.broken]
        slot[:] = [stream for stream in slot if not stream.ended]
        for one in self.fresh:
            if not one.ended:
                one.turn()
        self.failed += [one for one in self.fresh if one.broken]
        self.known += [one for one in self.fresh if one.ended and not one.broken]
        self.fresh = [one for one in self.fresh if not one.ended]
        self.due = min(self.due + self.rate / 100, self.rate)
        while self.due >= 1 and len(self.fresh) < AT_ONCE:
            self.due -= 1
            client = self.clients[0]
            self.clients.rotate(-1)
            # A port can be reused when it has been given back.
            if self.way != "reuse" or all(one.client != client for one in self.fresh):
                self.fresh.append(self.added(Fresh(self.poll, self.ghost(client), client, self.way)))

    def run(self):
        self.poll.register(0, select.EPOLLIN)
        request, number, following = None, 0, time.monotonic()
        while True:
            for ready, events in self.poll.poll(max(0.0, following - time.monotonic())):
                if ready == 0:
                    request = self.requested()
                elif not self.open[ready].ended:
                    self.open[ready].ready(events)
            now = time.monotonic()
            if now < following:
                continue
            if now - following > 0.1:
                self.late += 1
                following = now
            self.slot(number)
            number, following = number + 1, following + 0.01
            if request:
                request = self.goes_on(*request)

    # What is asked for: a function, or one that yields until it is true.

    def requested(self):
        """What has to go on until it is true, or None."""
        name, *arguments = sys.stdin.readline().split()
        try:
            result = getattr(self, "do_" + name)(*arguments)
        except Wrong as wrong:
            self.tell("failed", f"{name}: {wrong}")
            return None
        if inspect.isgenerator(result):
            return result, time.monotonic() + PATIENCE, name
        self.tell("ok", result)
        return None

    @staticmethod
    def tell(*words):
        print(*(word for word in words if word is not None), flush=True)

    def goes_on(self, steps, deadline, name):
        try:
            next(steps)
        except StopIteration as end:
            self.tell("ok", end.value)
            return None
        if time.monotonic() > deadline:
            self.tell("failed", f"{name}: not within {PATIENCE} s")
            return None
        return steps, deadline, name

    def do_open(self, *clients):
        streams = []
        for number, client in enumerate(clients):
            streams.append(self.added(Stream(self.poll, self.ghost(client), client)))
            self.slots[number % SLOTS].append(streams[-1])
            if number % 20 == 19:
                yield
        while not all(stream.answered or stream.ended for stream in streams):
            yield
        return f"{sum(1 for stream in streams if stream.answered)} open"

    def do_close(self, *clients):
        streams = self.streams(set(clients))
        for stream in streams:
            stream.ending = True
        while not all(stream.ended for stream in streams):
            yield
        return f"{len(streams)} closed"

    def do_rounds(self, count):
        goals = [(stream, stream.answered + int(count)) for stream in self.streams()]
        while not all(stream.answered >= goal or stream.ended for stream, goal in goals):
            yield

    def do_where(self, file):
        streams = self.streams()
        with open(file, "w") as out:
            out.writelines(f"{one.client} {one.port} {one.server}\n" for one in streams)
        return len(streams)

    def do_bulk(self, size, *clients):
        streams = self.streams(set(clients))
        for stream in streams:
            stream.ask(record.BULK, int(size))
        goals = [(stream, stream.numbers) for stream in streams]
        while not all((stream.answered >= goal and not stream.bulk) or stream.ended for stream, goal in goals):
            yield
        return f"{len(streams)} with {size} bytes"

    def do_upload(self, size, *clients):
        streams = self.streams(set(clients))
        for _ in range(int(size) // 8000):
            for stream in streams:
                stream.ask(record.UPLOAD, 8000, b"o" * 8000)
            goals = [(stream, stream.numbers) for stream in streams]
            while not all(stream.answered >= goal or stream.ended for stream, goal in goals):
                yield
        return f"{len(streams)} with {size} bytes"

    def do_fresh(self, rate, way="plain", *clients):
        self.rate, self.way, self.due = int(rate), way, 0.0
        self.clients = collections.deque(clients)
        while not self.rate and self.fresh:
            yield

    def do_pause(self):
        self.paused, self.rate = self.rate, 0
        while self.fresh:
            yield

    def do_resume(self):
        self.rate = self.paused

    def do_since(self, begun, count, file):
        while sum(one.begun > float(begun) for one in self.known) < int(count):
            yield
        self.told, self.known = self.known, []
        with open(file, "w") as out:
            out.writelines(f"{one.client} {one.begun:.6f} {one.known_at:.6f} {one.server}\n" for one in self.told)

    def do_forget(self):
        self.broken, self.failed = [], []

    def do_know(self, lookup, file):
        self.account.know(lookup)
        with open(file, "w") as out:
            out.writelines(" ".join(line) + "\n" for line in self.account.lines())

    def do_moved(self, file):
        with open(file, "w") as out:
            out.writelines(f"{client}\n" for client in sorted(self.account.moved()))

    def do_renew(self):
        while any(one.begun <= self.account.ended for one in self.fresh):
            yield
        clients = [one.client for one in self.streams(self.account.moved())]
        yield from self.do_close(*clients)
        return (yield from self.do_open(*clients))

    def do_change(self):
        self.account.change()

    def do_placed(self, begun, ended, allowed):
        wrong = self.account.misplaced(self.told, float(begun), float(ended), allowed)
        if wrong:
            raise Wrong(wrong)

    def do_report(self, file):
        streams, now = self.streams(), time.monotonic()
        answers = sum(one.answered - one.told for one in streams)
        here = tcp(self.here)
        stacks = {name: tcp(one) for name, one in self.stacks.items()}
        report = {
            "streams": len(streams),
            "servers": collections.Counter(one.server for one in streams),
            "broken": collections.Counter(one.broken for one in self.broken),
            "broken_clients": sorted({one.client for one in self.broken}),
            "failed": collections.Counter(one.broken for one in self.failed),
            "resets": {name: stack["OutRsts"] for name, stack in stacks.items()}
            | {"sent here": here["OutRsts"], "got here": here["EstabResets"] + here["AttemptFails"]},
            "repeated": {name: stack["RetransSegs"] for name, stack in stacks.items()}
            | {"here": here["RetransSegs"]},
            "counters": sum((collections.Counter(one.stats()) for one in self.devices), collections.Counter()),
            # Since the report before: a second, of each stream; and seconds without any.
            "answers": round(answers / max(len(streams), 1) / (now - self.reported), 1),
            "pause": round(max((one.pause for one in streams), default=0), 2),
            "late": self.late,
        }
        self.reported, self.late = now, 0
        for one in streams:
            one.told, one.pause = one.answered, 0.0
        self.last = report
        with open(file, "w") as out:
            json.dump(report, out)

    def do_account(self, file):
        self.do_report(file)
        self.account.start(self.last)

    def do_whole(self, file):
        self.do_report(file)
        harm = self.account.harm(self.last)
        if harm:
            raise Wrong(harm)

    def do_release(self):
        for device in self.devices:
            os.close(device.fd)
        self.devices = []

    def do_hold(self):
        self.devices = [inside(name, Device) for name in self.hosts]

    def do_moves(self):
        words, wrong = self.account.moves(self.streams(), self.last)
        if wrong:
            raise Wrong(f"{wrong}: {words}")
        return words


def main():
    ghost4, ghost6, *rest = sys.argv[1:]
    Holder((ghost4, ghost6), rest[: rest.index("--")], rest[rest.index("--") + 1 :]).run()


if __name__ == "__main__":
    main()
