# SPDX-License-Identifier: GPL-2.0
"""What a call must have come to: the host's build of uapi/ as a model, and what stands."""

import ctypes
import os
import subprocess
import sys
import typing
import zlib

from expect import Failure, expect, name_of
from memory import Block, ioctl
from uapi import C, IOC, S, message, records, text


class Model:
    """uapi/examples/verdict.rs, which is asked what the interface says of bytes."""

    def __init__(self):
        program = os.environ.get("ONEHOP_VERDICT", "")
        try:
            self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            sys.exit(f"'{program}' cannot be run ({error.strerror}): build uapi/examples/verdict.rs, "
                     "or name it in ONEHOP_VERDICT")

    def of(self, kind, raw):
        """The errno and the message."""
        self.process.stdin.write(f"{kind} {bytes(raw).hex()}\n".encode())
        self.process.stdin.flush()
        number, _, said = self.process.stdout.readline().decode().rstrip("\n").partition(" ")
        if not number:
            raise Failure(f"the model has ended over {kind} {bytes(raw).hex()}")
        return int(number), said

    def agrees(self, said, told):
        """The kernel's message is the model's, or as much of it as there is room for."""
        full = C["ONEHOP_MESSAGE_LEN"] - 4
        if said != told and not (len(said.encode()) >= full and told.startswith(said)):
            raise Failure(f"the module says '{said}', the model '{told}'")


def meaning(image, with_leaving=False):
    """What an image wants, whatever the order: [out] fields are no part of it."""
    pools = records(image, "pools")
    names = [text(it.name) for it in pools]
    owners = iter(records(image, "rows"))
    table = C["ONEHOP_KIND_TABLE"]
    return {
        "pools": {text(it.name): (it.mode, it.kind, it.policy, it.prefix4, it.prefix6, it.shape, it.method, it.rows,
                                  bytes(it.seed), [next(owners) for _ in range(it.rows if it.kind == table else 0)])
                  for it in pools},
        "ghosts": {(names[it.pool], it.family, bytes(it.address)) for it in records(image, "ghosts")},
        "servers": {(names[it.pool], text(it.name), it.id, it.weight, it.admin, it.flags, bytes(it.address),
                     bytes(it.address6)) for it in records(image, "servers")
                    if with_leaving or not it.flags & C["ONEHOP_SERVER_LEAVING"]},
        "devices": {text(it.name) for it in records(image, "devices")},
        "overrides": {(names[it.pool], it.server, it.family, it.bits, bytes(it.address))
                      for it in records(image, "overrides")},
    }


class State(typing.NamedTuple):
    """INFO and DUMP, as bytes."""
    info: bytes
    dump: bytes

    def __str__(self):
        info = S["info"].from_buffer_copy(self.info)
        return (f"generation {info.generation}, digest {info.digest:016x}, answer {info.answer}, "
                f"dump of {len(self.dump)} bytes, {zlib.crc32(self.dump):08x}")


class Witness:
    """Sees what stands, by a file of its own."""

    def __init__(self, device):
        self.fd = device.fd
        self.block = Block(1 << 20)
        self.argument = Block(4096)

    def called(self, name, struct):
        """Makes a call that must succeed; the argument as written back."""
        at = self.argument.put(bytes(struct))
        expect(f"errno of {name}", name_of(ioctl(self.fd, IOC[name], at)), "0")
        return type(struct).from_buffer_copy(self.argument.take(at, ctypes.sizeof(struct)))

    def dump(self):
        argument = S["dump"](image=self.block.start, len=self.block.size)
        return self.block.take(self.block.start, self.called("DUMP", argument).len)

    def state(self):
        """All of INFO and DUMP but how long something has left."""
        info, dumped = self.called("INFO", S["info"]()), bytearray(self.dump())
        head = S["image"].from_buffer_copy(dumped)
        servers = ctypes.sizeof(head) + head.pools * ctypes.sizeof(S["pool"]) + head.ghosts * ctypes.sizeof(S["ghost"])
        for server in (S["server"] * head.servers).from_buffer(dumped, servers):
            server.drain_left = 0
        older = len(dumped) - head.older * ctypes.sizeof(S["older"])
        for function in (S["older"] * head.older).from_buffer(dumped, older):
            function.remaining = 0
        return State(bytes(info), bytes(dumped))


def sentence(struct, error):
    """Whoever is refused is told why, in the structures that have room for it."""
    if hasattr(struct, "message"):
        said = message(struct)
        if bool(said) != bool(error):
            raise Failure(f"{name_of(error)} with the message '{said}'")
