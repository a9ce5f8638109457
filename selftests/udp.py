#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""UDP echo that says who it is.

	udp.py serve NAME ADDRESS PORT		answer each datagram with NAME and itself
	udp.py ask SOURCE ADDRESS PORT SIZE N	N datagrams; print a line per answer: its NAME
"""

import os
import socket
import sys


def serve(name, address, port):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((address, int(port)))
    print("serving", flush=True)
    while True:
        data, client = server.recvfrom(65535)
        server.sendto(name.encode() + b" " + data, client)


def ask(source, address, port, size, count):
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.settimeout(2)
    client.bind((source, 0))
    client.connect((address, int(port)))
    for _ in range(int(count)):
        body = os.urandom(int(size))
        client.send(body)
        name, answer = client.recv(65535).split(b" ", 1)
        if answer != body:
            sys.exit(f"{name.decode()} answered {len(answer)} bytes that are not the {len(body)} sent")
        print(name.decode(), flush=True)


if __name__ == "__main__":
    {"serve": serve, "ask": ask}[sys.argv[1]](*sys.argv[2:])
