#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Send IPv6 packets that no ordinary program would: extension headers, fragments, quotes.

The IPv6 twin of wire.py.
"""

import argparse
import socket
import struct
import sys

from wire import checksum, numbers

FRAGMENT, UDP, TCP, ICMPV6 = 44, 17, 6, 58
# By name: number, and eight bytes without the next header.
EXTENSIONS = {
    "hop": (0, b"\0\1\4\0\0\0\0"),
    "destination": (60, b"\0\1\4\0\0\0\0"),
    # No segments left: for the destination to pass over, and for nobody to change.
    "routing": (43, b"\0\xfd\0\0\0\0\0"),
}


def address(text):
    return socket.inet_pton(socket.AF_INET6, text)


def chain(names, protocol, payload):
    """Extension headers by name before a payload; the first one's number and all bytes."""
    for name in reversed(names):
        number, rest = EXTENSIONS[name]
        payload = bytes([protocol]) + rest + payload
        protocol = number
    return protocol, payload


def ipv6(source, destination, protocol, payload, hop_limit=64):
    return struct.pack("!IHBB", 6 << 28, len(payload), protocol, hop_limit) + source + destination + payload


def summed(source, destination, protocol, data, at):
    """A transport header and payload, with its checksum put at this offset."""
    pseudo = source + destination + struct.pack("!II", len(data), protocol)
    total = checksum(pseudo + data) or 0xFFFF
    return data[:at] + struct.pack("!H", total) + data[at + 2 :]


def names(text):
    return [word for word in text.split(",") if word]


def send_all(wire, given):
    source, destination = address(given.source), address(given.destination)

    messages = list(given.icmp)

    def send(protocol, payload):
        protocol, payload = chain(given.extensions, protocol, payload)
        wire.sendto(ipv6(source, destination, protocol, payload, given.hop_limit), (given.destination, 0))

    if given.quote:
        quoted = [address(text) for text in given.quote.split(",")]
        protocol, payload = TCP, struct.pack("!HHIIBBHHH", 80, 40000, 1, 1, 0x50, 0x10, 1000, 0, 0) + b"o" * 1200
        head = 40 + 8 * len(given.quote_extensions)
        if given.quote_offset is not None:
            payload = struct.pack("!BBHI", protocol, 0, given.quote_offset << 3, 0x1997) + payload
            protocol, head = FRAGMENT, head + 8
        protocol, payload = chain(given.quote_extensions, protocol, payload)
        quote = ipv6(*quoted, protocol, payload)[: head + given.quote_bytes]
        messages.append(struct.pack("!BBHI", 2, 0, 0, given.mtu) + quote)
    for message in messages:
        send(ICMPV6, summed(source, destination, ICMPV6, message, 2))
    if messages:
        return
    for protocol in given.protocol:
        send(protocol, b"o" * 16)
    if given.protocol:
        return

    source_port, destination_port, size = given.udp
    for number in range(given.ports):
        datagram = struct.pack("!HHHH", source_port + number, destination_port, 8 + size, 0) + b"o" * size
        datagram = summed(source, destination, UDP, datagram, 6)
        if not given.fragments:
            send(UDP, datagram)
            continue
        for start in range(0, len(datagram), given.fragments):
            last = start + given.fragments >= len(datagram)
            header = struct.pack("!BBHI", UDP, 0, start | (not last), 1 + number)
            send(FRAGMENT, header + datagram[start : start + given.fragments])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", help="or several, with commas")
    parser.add_argument("destination")
    parser.add_argument("--hop-limit", type=int, default=64)
    parser.add_argument("--extensions", type=names, default=[], help="hop, destination, routing; in order")
    parser.add_argument("--udp", type=numbers, default=[40000, 9, 16], metavar="FROM,TO,SIZE")
    parser.add_argument("--ports", type=int, default=1, help="that many packets, from as many ports")
    parser.add_argument("--fragments", type=int, default=0, help="cut every packet at this many bytes")
    parser.add_argument("--icmp", type=bytes.fromhex, action="append", default=[],
                        help="an ICMPv6 message, hex; its checksum is filled in")
    parser.add_argument("--protocol", type=numbers, default=[], help="16 bytes under these numbers")
    parser.add_argument("--quote", metavar="SOURCE,DESTINATION", help="send packet too big, quoting such a packet")
    parser.add_argument("--quote-bytes", type=int, default=8, help="quoted behind the quoted headers")
    parser.add_argument("--quote-extensions", type=names, default=[])
    parser.add_argument("--quote-offset", type=int, help="of the quoted fragment, in 8 bytes")
    parser.add_argument("--mtu", type=int, default=1400)
    given = parser.parse_args()

    wire = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_RAW)
    for given.source in given.source.split(","):
        send_all(wire, given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
