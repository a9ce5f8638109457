# SPDX-License-Identifier: GPL-2.0
"""An open /dev/onehop in other hands: of someone who may not, of many at once, of someone who takes
it for a file of another kind. Cases of calls.py.
"""

import collections
import ctypes
import errno
import fcntl
import json
import mmap
import os
import random
import threading

from damage import OUT, bases, damaged, joined, request
from expect import Failure, expect, name_of
from memory import PAGE, PROT_NONE, Block, ioctl, protect
from mistakes import rich_image
from uapi import C, IOC, RECORDS, S, Device, make, message, records, text
from verdicts import sentence

NOBODY = 65534


def error_of(operation):
    try:
        operation()
    except (OSError, ValueError) as error:
        return getattr(error, "errno", errno.EINVAL)
    return 0


def file_operations(calls):
    """It can be read from, and called; nothing else."""
    fd = calls.device.fd
    before = calls.witness.state()
    path = os.open("/dev/onehop", os.O_PATH)
    reader = os.open("/dev/onehop", os.O_RDONLY | os.O_NONBLOCK)
    pipe = os.pipe()
    for name, wanted, operation in (
        ("lseek", "ESPIPE", lambda: os.lseek(fd, 1, os.SEEK_SET)),
        ("write", "EINVAL", lambda: os.write(fd, b"x")),
        ("pwrite", "EINVAL", lambda: os.pwrite(fd, b"x", 1 << 40)),
        ("write to what is open for reading", "EBADF", lambda: os.write(reader, b"x")),
        ("mmap", "ENODEV", lambda: mmap.mmap(fd, PAGE)),
        ("mmap of much", "ENODEV", lambda: mmap.mmap(fd, 1 << 40, prot=mmap.PROT_READ)),
        ("ftruncate", "EINVAL", lambda: os.ftruncate(fd, 0)),
        ("fsync", "EINVAL", lambda: os.fsync(fd)),
        ("fallocate", "ENODEV", lambda: os.posix_fallocate(fd, 0, 1)),
        ("splice into it", "EINVAL", lambda: os.splice(pipe[0], fd, 1)),
        ("getdents", "ENOTDIR", lambda: os.listdir(fd)),
        ("a call by a path", "EBADF", lambda: fcntl.ioctl(path, IOC["INFO"], bytes(256))),
        ("read of nothing", "EINVAL", lambda: os.read(reader, 0)),
        ("read of less than an event", "EINVAL", lambda: os.read(reader, ctypes.sizeof(S["event"]) - 1)),
        ("pread where nothing has happened", "EAGAIN", lambda: os.pread(reader, 4096, 1 << 40)),
        ("read of much", "EAGAIN", lambda: os.read(reader, 1 << 24)),
    ):
        expect(f"errno of {name}", name_of(error_of(operation)), wanted)
    expect("state", calls.witness.state(), before)

    # With events to be read.
    calls.device.must(IOC["ANSWER"], make("answer", answer=0))
    expect("errno", calls.apply(rich_image(), flags=C["ONEHOP_NOW"])[0], 0)
    expect("errno", calls.apply(rich_image(servers=(1, 7)), flags=C["ONEHOP_NOW"], actor="hands")[0], 0)
    room = Block(PAGE)
    size = ctypes.sizeof(S["event"])
    libc = ctypes.CDLL(None, use_errno=True)
    for address in (0, room.end - size + 1, *room.nowhere()):
        got = libc.read(reader, ctypes.c_void_p(address), ctypes.c_size_t(size))
        expect(f"read to {address:#x}", (got, name_of(ctypes.get_errno())), (-1, "EFAULT"))
    for file in (path, reader, *pipe):
        os.close(file)


def nobodys_hands(calls):
    """An inherited file: no call, no read, nothing changed; also for the root of a namespace of his own."""
    commands = list(IOC)
    own = os.CLONE_NEWUSER | os.CLONE_NEWNET
    for what, enter in (("nobody", lambda: None), ("a root of his own", lambda: os.unshare(own))):
        before = calls.witness.state()
        chance = calls.chance(what)
        # A read that is let through must come back, to be told of.
        fd = os.open("/dev/onehop", os.O_RDWR | os.O_NONBLOCK)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            enter()
            counts = collections.Counter()
            for _ in range(600 * calls.effort):
                name = chance.choice(commands)
                given = calls.argument.put(bytes(request(chance, name)))
                error = ioctl(fd, IOC[name], chance.choice((given, given, *calls.room.nowhere())))
                counts[f"call {name_of(error)}"] += 1
                error = ioctl(fd, IOC[name] ^ 1 << chance.randrange(16, 30), given)
                counts[f"other call {name_of(error)}"] += 1
                error = error_of(lambda: os.read(fd, chance.choice((0, 1, 200, 4096))))
                counts[f"read {name_of(error)}"] += 1
            counts[f"open {name_of(error_of(lambda: os.open('/dev/onehop', os.O_RDWR)))}"] += 1
            os.write(writer, json.dumps(counts).encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            counts = json.loads(pipe.read() or "{}")
        os.waitpid(child, 0)
        os.close(fd)
        expect(f"what {what} got", sorted(counts), ["call EPERM", "open EACCES", "other call ENOTTY", "read EPERM"])
        expect("state", calls.witness.state(), before)
        print(f"# {what}: {counts}")


def wanted(dumped):
    """The image that would lead to a dump."""
    parts = {name: records(dumped, name) for name in RECORDS}
    parts["older"] = []
    parts["servers"] = [it for it in parts["servers"] if not it.flags & C["ONEHOP_SERVER_LEAVING"]]
    for structs in parts.values():
        for struct in structs:
            for field in OUT.get(type(struct).__name__, ()):
                place = getattr(type(struct), field)
                ctypes.memset(ctypes.addressof(struct) + place.offset, 0, place.size)
    return joined(parts)


class Hands:
    """Threads with a file each, or the same. What one does must not harm another."""

    def __init__(self, calls, shared):
        self.calls, self.shared = calls, shared
        self.counts, self.reasons = collections.Counter(), []
        self.is_over = threading.Event()

    def run(self, work, *arguments):
        try:
            work(*arguments)
        except (Failure, OSError) as reason:
            self.reasons.append(str(reason))

    def caller(self, number):
        chance = random.Random(f"{self.calls.seed}/hand {number}")
        device = self.calls.device if number % 2 else Device()
        argument, room = Block(PAGE), Block(1 << 20)
        for _ in range(250 * self.calls.effort):
            name = chance.choice([*IOC, "APPLY", "SERVER"])
            given = request(chance, name)
            if name == "APPLY":
                # The shared one is being changed by others meanwhile.
                raw = damaged(chance, chance.choice(bases()))
                is_shared = chance.random() < 0.5
                given.image = self.shared.start if is_shared else room.put(raw)
                given.len = len(rich_image()) if is_shared else len(raw)
            elif name == "DUMP":
                given.image, given.len = room.start, chance.choice((0, 100, room.size))
            elif name == "STATS":
                given.counters = room.start
            at = argument.put(bytes(given))
            error = ioctl(device.fd, IOC[name], at)
            sentence(type(given).from_buffer_copy(argument.take(at, ctypes.sizeof(given))), error)
            self.counts[name_of(error) if error else "accepted"] += 1
            if error in (errno.ENOTTY, errno.EPERM, errno.ENOMEM, errno.EINTR):
                raise Failure(f"{name} ended with {name_of(error)}")
        if device is not self.calls.device:
            os.close(device.fd)

    def vandal(self):
        """Changes the shared image, and for moments takes it away."""
        chance = random.Random(f"{self.calls.seed}/vandal")
        whole = rich_image()
        while not self.is_over.is_set():
            ctypes.memmove(self.shared.start, whole, len(whole))
            for _ in range(4):
                at = self.shared.start + chance.randrange(len(whole))
                ctypes.memset(at, chance.choice((0, 1, 2, 255)), 1)
            protect(self.shared.start, PAGE, PROT_NONE)
            protect(self.shared.start, PAGE, mmap.PROT_READ | mmap.PROT_WRITE)

    def reader(self, fd):
        """Events are whole and in order, whatever is going on."""
        generation, kinds, count = 0, {C[it] for it in C if it.startswith("ONEHOP_EVENT_")}, 0
        while True:
            try:
                raw = os.read(fd, 1 << 16)
            except BlockingIOError:
                if self.is_over.is_set():
                    break
                continue
            for event in (S["event"] * (len(raw) // ctypes.sizeof(S["event"]))).from_buffer_copy(raw):
                texts = [text(getattr(event, field)) for field in ("pool", "server", "actor", "reason")]
                if event.type == C["ONEHOP_EVENT_LOST"]:
                    continue
                if event.type not in kinds or event.generation < generation or not "".join(texts).isprintable():
                    raise Failure(f"event {bytes(event).hex()} after generation {generation}")
                generation = event.generation
                count += 1
        if not count:
            raise Failure("no event came")
        self.counts["events"] += count


def many_hands(calls):
    expect("errno", calls.apply(rich_image(), flags=C["ONEHOP_NOW"])[0], 0)
    shared = Block(len(rich_image()))
    hands = Hands(calls, shared)
    events = os.open("/dev/onehop", os.O_RDONLY | os.O_NONBLOCK)
    callers = [threading.Thread(target=hands.run, args=(hands.caller, number)) for number in range(4)]
    others = [threading.Thread(target=hands.run, args=(hands.vandal,)),
              threading.Thread(target=hands.run, args=(hands.reader, events))]
    for thread in (*others, *callers):
        thread.start()
    for thread in callers:
        thread.join()
    hands.is_over.set()
    for thread in others:
        thread.join()
    os.close(events)
    if hands.reasons:
        raise Failure("; ".join(hands.reasons))
    # What stands is valid, and is what its own dump says.
    standing = wanted(calls.witness.dump())
    expect("verdict on what stands", calls.model.of("IMAGE", standing), (0, ""))
    error, reply = calls.apply(standing)
    expect("what stands, applied", (name_of(error), reply.changed, message(reply)), ("0", 0, ""))
    print(f"# in many hands: {dict(hands.counts)}")
