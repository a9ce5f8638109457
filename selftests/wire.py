#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Send IPv4 packets that no ordinary program would: options, fragments, quotes.

Raw sockets rather than scapy: half a second less a call in an emulated guest,
and a header built by hand is what is under test.
"""

import argparse
import socket
import struct
import sys


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ipv4(source, destination, protocol, payload, ttl=64, options=b"", flags=0, offset=0, ident=0x1997):
    options += b"\0" * (-len(options) % 4)
    words = 5 + len(options) // 4
    head = struct.pack(
        "!BBHHHBBH4s4s",
        0x40 | words, 0, words * 4 + len(payload), ident, flags << 13 | offset, ttl, protocol, 0,
        socket.inet_aton(source), socket.inet_aton(destination),
    ) + options
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + payload


def udp(source_port, destination_port, size):
    # No UDP checksum: allowed in IPv4.
    return struct.pack("!HHHH", source_port, destination_port, 8 + size, 0) + b"o" * size


def frag_needed(mtu, quote):
    message = struct.pack("!BBHHH", 3, 4, 0, 0, mtu) + quote
    return message[:2] + struct.pack("!H", checksum(message)) + message[4:]


def numbers(text):
    return [int(word) for word in text.split(",")]


def send_all(wire, given):
    def send(protocol, payload, **more):
        packet = ipv4(given.source, given.destination, protocol, payload,
                      ttl=given.ttl, options=given.options, **more)
        wire.sendto(packet, (given.destination, 0))

    if given.quote:
        source, destination = given.quote.split(",")
        segment = struct.pack("!HHIIBBHHH", 80, 40000, 1, 1, 0x50, 0x10, 1000, 0, 0) + b"o" * 1400
        quote = ipv4(source, destination, socket.IPPROTO_TCP, segment, options=given.quote_options,
                     flags=2, offset=given.quote_offset)
        header = (quote[0] & 15) * 4
        send(socket.IPPROTO_ICMP, frag_needed(given.mtu, quote[: header + given.quote_bytes]))
        return

    for protocol in given.protocol:
        send(protocol, b"o" * 16)
    if given.protocol:
        return

    source_port, destination_port, size = given.udp
    for number in range(given.ports):
        datagram = udp(source_port + number, destination_port, size)
        step = given.fragments or len(datagram)
        for start in range(0, len(datagram), step):
            last = start + step >= len(datagram)
            send(socket.IPPROTO_UDP, datagram[start : start + step], flags=given.df << 1 | (not last),
                 offset=start // 8, ident=1 + number)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", help="or several, with commas")
    parser.add_argument("destination")
    parser.add_argument("--ttl", type=int, default=64)
    parser.add_argument("--options", type=bytes.fromhex, default=b"", help="IP options, hex")
    parser.add_argument("--df", action="store_true")
    parser.add_argument("--udp", type=numbers, default=[40000, 9, 16], metavar="FROM,TO,SIZE")
    parser.add_argument("--ports", type=int, default=1, help="that many packets, from as many ports")
    parser.add_argument("--fragments", type=int, default=0, help="cut every packet at this many bytes")
    parser.add_argument("--protocol", type=numbers, default=[], help="16 bytes under these numbers")
    parser.add_argument("--quote", metavar="SOURCE,DESTINATION", help="send frag needed, quoting such a packet")
    parser.add_argument("--quote-bytes", type=int, default=8, help="quoted behind the IP header")
    parser.add_argument("--quote-options", type=bytes.fromhex, default=b"")
    parser.add_argument("--quote-offset", type=int, default=0, help="of the quoted fragment, in 8 bytes")
    parser.add_argument("--mtu", type=int, default=1400)
    given = parser.parse_args()

    wire = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    for given.source in given.source.split(","):
        send_all(wire, given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
