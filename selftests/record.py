# SPDX-License-Identifier: GPL-2.0
"""What is said on a stream of streams.py: numbered requests with a checksum, and
answers that repeat the request and name the server."""

import functools
import struct
import zlib

PORT = 7000
# What the server does besides answering.
NOTHING, END, BULK, UPLOAD = range(4)

REQUEST = struct.Struct("!B3xIII")  # kind, number, argument, checksum of these
ANSWER = struct.Struct("!8s16sI")  # server, the request, checksum of both


def request(kind, number, argument=0):
    head = REQUEST.pack(kind, number, argument, 0)[:-4]
    return head + zlib.crc32(head).to_bytes(4, "big")


def read_request(data):
    """Kind, number and argument; None: these bytes are no request."""
    if zlib.crc32(data[:12]) != int.from_bytes(data[12:16], "big"):
        return None
    return REQUEST.unpack(data)[:3]


def answer(server, asked):
    head = struct.pack("!8s16s", server.encode(), asked)
    return head + zlib.crc32(head).to_bytes(4, "big")


def read_answer(data):
    """The server's name and the request; None: these bytes are no answer."""
    server, asked, checksum = ANSWER.unpack(data)
    if zlib.crc32(data[:24]) != checksum:
        return None
    return server.rstrip(b"\0").decode(), asked


@functools.cache
def bulk(size):
    """Bytes that differ wherever one is missing."""
    return b"".join(number.to_bytes(4, "big") for number in range((size + 3) // 4))[:size]
