#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Send ARP and ND messages that no ordinary host would, straight to a device.

	link.py DEVICE [--fence ADDRESS[,ADDRESS]...] MESSAGE...

A MESSAGE is words with commas:

	ask,ASKER,TARGET	ARP request, or NS, by the family
	claim,TARGET		gratuitous ARP, or unsolicited NA with override
	frame,ETHERTYPE		64 bytes under this type

and may end in ,xCOUNT and in ,@LINK-ADDRESS to which it goes instead of to what
is usual. An ASKER of 0.0.0.0 or :: makes a probe, as duplicate address detection
does. At the end the fences are asked for, and have answered: what they had to say
before, they have said.
"""

import socket
import struct
import sys
import time

from wire6 import ICMPV6, address, ipv6, summed

BROADCAST = b"\xff" * 6
NOBODY = b"\0" * 6
LIMIT = 5  # seconds
SO_RCVBUFFORCE = 33  # Python has no name for it


def link(text):
    return bytes.fromhex(text.replace(":", ""))


def group(name):
    """The link address of an IPv6 group."""
    return b"\x33\x33" + name[12:]


def arp(operation, sender_link, sender, target_link, target):
    body = struct.pack("!HHBBH", 1, 0x0800, 6, 4, operation)
    return 0x0806, body + sender_link + socket.inet_aton(sender) + target_link + socket.inet_aton(target)


def neighbour(source, to, message, flags, target, option, own):
    data = struct.pack("!BBHI", message, 0, 0, flags) + target
    if option:
        data += bytes([option, 1]) + own
    return 0x86DD, ipv6(source, to, ICMPV6, summed(source, to, ICMPV6, data, 2), 255)


def ask(own, asker, target):
    if ":" not in target:
        return BROADCAST, *arp(1, own, asker, NOBODY, target)
    target = address(target)
    to = address("ff02::1:ff00:0")[:13] + target[13:]
    # A probe says nothing about its sender.
    option = 0 if asker == "::" else 1
    return group(to), *neighbour(address(asker), to, 135, 0, target, option, own)


def claim(own, target):
    if ":" not in target:
        return BROADCAST, *arp(1, own, target, NOBODY, target)
    target, to = address(target), address("ff02::1")
    return group(to), *neighbour(target, to, 136, 0x20 << 24, target, 2, own)


def frame(_own, ethertype):
    return BROADCAST, int(ethertype, 0), b"o" * 64


def told(data):
    """Whose link address an ARP reply or NA tells."""
    ethertype, body = data[12:14], data[14:]
    if ethertype == b"\x08\x06" and body[6:8] == b"\0\2":
        return socket.inet_ntoa(body[14:18])
    if ethertype == b"\x86\xdd" and body[6] == ICMPV6 and body[40] == 136:
        return socket.inet_ntop(socket.AF_INET6, body[48:64])
    return None


class Device:
    def __init__(self, name):
        # All protocols: answers are read.
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        # What is asked often may be answered by many.
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
        self.socket.bind((name, 3))
        self.own = self.socket.getsockname()[4]

    def send(self, message):
        kind, *words = message.split(",")
        to, count = None, 1
        while words[-1][0] in "@x":
            word = words.pop()
            if word[0] == "x":
                count = int(word[1:])
            else:
                to = link(word[1:])
        usual, ethertype, body = {"ask": ask, "claim": claim, "frame": frame}[kind](self.own, *words)
        for _ in range(count):
            self.socket.send((to or usual) + self.own + struct.pack("!H", ethertype) + body)
        return words[0]

    def fence(self, asker, fences):
        missing = set(fences)
        for name in fences:
            self.send(f"ask,{asker},{name}")
        deadline = time.monotonic() + LIMIT
        while missing:
            self.socket.settimeout(max(0.01, deadline - time.monotonic()))
            missing.discard(told(self.socket.recv(2048)))


def main():
    name, *messages = sys.argv[1:]
    device = Device(name)
    fences = []
    if messages[0] == "--fence":
        fences = messages[1].split(",")
        del messages[:2]
    askers = [device.send(message) for message in messages]
    if fences:
        device.fence(askers[0], fences)


if __name__ == "__main__":
    main()
