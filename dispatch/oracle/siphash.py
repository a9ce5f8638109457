# SPDX-License-Identifier: GPL-2.0
"""SipHash, twice: one message at a time, to be read, and many at once, to be fast."""

import struct

WORD = (1 << 64) - 1
START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def rotated(x, bits):
    return (x << bits | x >> (64 - bits)) & WORD


def rounds(count, v0, v1, v2, v3):
    for _ in range(count):
        v0 = (v0 + v1) & WORD
        v1 = rotated(v1, 13) ^ v0
        v0 = rotated(v0, 32)
        v2 = (v2 + v3) & WORD
        v3 = rotated(v3, 16) ^ v2
        v0 = (v0 + v3) & WORD
        v3 = rotated(v3, 21) ^ v0
        v2 = (v2 + v1) & WORD
        v1 = rotated(v1, 17) ^ v2
        v2 = rotated(v2, 32)
    return v0, v1, v2, v3


def siphash(c, d, key, message):
    k0, k1 = struct.unpack("<QQ", key)
    v0, v1, v2, v3 = k0 ^ START[0], k1 ^ START[1], k0 ^ START[2], k1 ^ START[3]
    length = len(message)
    for (m,) in struct.iter_unpack("<Q", message + bytes(7 - length % 8) + bytes([length % 256])):
        v0, v1, v2, v3 = rounds(c, v0, v1, v2, v3 ^ m)
        v0 ^= m
    v0, v1, v2, v3 = rounds(d, v0, v1, v2 ^ 0xFF, v3)
    return v0 ^ v1 ^ v2 ^ v3


# Many messages of one length at once: an interpreter spends its time on operations, not on bits,
# so the words of many hashes lie side by side in one long integer. A lane is the 64 bits of the
# word and a byte of zeros above it, which catches the carry of an addition.

LANES = 512


def spread(word, count=LANES):
    return int.from_bytes((word.to_bytes(8, "little") + b"\0") * count, "little")


# An AND is as long as its shorter side, so masks of all lanes serve fewer lanes just as well.
WORDS = spread(WORD)
BELOW = {bits: spread(WORD >> bits) for bits in (13, 16, 17, 21, 32)}


def lane_rounds(count, v0, v1, v2, v3):
    """rounds(), on lanes. In each rotation t is what stays in its lane when shifted left."""
    words = WORDS
    b13, b16, b17, b21, b32 = (BELOW[bits] for bits in (13, 16, 17, 21, 32))
    for _ in range(count):
        v0 = (v0 + v1) & words
        t = v1 & b13
        v1 = (t << 13 | (v1 ^ t) >> 51) ^ v0
        t = v0 & b32
        v0 = t << 32 | (v0 ^ t) >> 32
        v2 = (v2 + v3) & words
        t = v3 & b16
        v3 = (t << 16 | (v3 ^ t) >> 48) ^ v2
        v0 = (v0 + v3) & words
        t = v3 & b21
        v3 = (t << 21 | (v3 ^ t) >> 43) ^ v0
        v2 = (v2 + v1) & words
        t = v1 & b17
        v1 = (t << 17 | (v1 ^ t) >> 47) ^ v2
        t = v2 & b32
        v2 = t << 32 | (v2 ^ t) >> 32
    return v0, v1, v2, v3


def siphash13_lanes(key, words, count):
    """The hashes of count messages, at most LANES. words: per 8 bytes of message, its lanes."""
    k0, k1 = struct.unpack("<QQ", key)
    v0, v1 = spread(k0 ^ START[0], count), spread(k1 ^ START[1], count)
    v2, v3 = spread(k0 ^ START[2], count), spread(k1 ^ START[3], count)
    for m in words:
        v0, v1, v2, v3 = lane_rounds(1, v0, v1, v2, v3 ^ m)
        v0 ^= m
    v0, v1, v2, v3 = lane_rounds(3, v0, v1, v2 ^ spread(0xFF, count), v3)
    return struct.unpack("<" + "Qx" * count, (v0 ^ v1 ^ v2 ^ v3).to_bytes(9 * count, "little"))


def siphash13_many(key, messages):
    """siphash(1, 3, key, m) for each m of messages, which all have one length."""
    hashes = []
    length = len(messages[0]) if messages else 0
    tail = bytes(7 - length % 8) + bytes([length % 256])
    for first in range(0, len(messages), LANES):
        batch = messages[first:first + LANES]
        words = []
        for at in range(0, length - 7, 8):
            lanes = b"\0".join(message[at:at + 8] for message in batch)
            words.append(int.from_bytes(lanes, "little"))
        rest = length - length % 8
        ends = batch if rest == 0 else [message[rest:] for message in batch]
        words.append(int.from_bytes((tail + b"\0").join(ends) + tail, "little"))
        hashes += siphash13_lanes(key, words, len(batch))
    return hashes
