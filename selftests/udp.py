#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""UDP echo that says who it is.

	udp.py serve PORT ADDRESS[,ADDRESS]... NAMESPACE...	in each, answer a datagram
							with the namespace's name and itself
	udp.py ask SOURCE ADDRESS PORT SIZE N			N datagrams; print a line per
							answer: its name
	udp.py flood SECONDS ADDRESS PORT SOURCE...		500 datagrams a second from each, whatever
							comes back
"""

import os
import selectors
import socket
import sys
import time


def udp(address):
    return socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)


def serve(port, addresses, *namespaces):
    ready = selectors.DefaultSelector()
    for name in namespaces:
        with open(f"/run/netns/{name}") as there:
            os.setns(there.fileno(), os.CLONE_NEWNET)
        for address in addresses.split(","):
            server = udp(address)
            server.bind((address, int(port)))
            ready.register(server, selectors.EVENT_READ, name.encode())
    print("serving", flush=True)
    while True:
        for key, _ in ready.select():
            data, client = key.fileobj.recvfrom(65535)
            key.fileobj.sendto(key.data + b" " + data, client)


def ask(source, address, port, size, count):
    client = udp(address)
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


def flood(seconds, address, port, *sources):
    clients = []
    for source in sources:
        clients.append(udp(address))
        clients[-1].setblocking(False)
        clients[-1].bind((source, 0))
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        for client in clients:
            try:
                client.sendto(b"flood", (address, int(port)))
            except OSError:
                pass  # what comes back, or no room just now
        time.sleep(0.002)


if __name__ == "__main__":
    {"serve": serve, "ask": ask, "flood": flood}[sys.argv[1]](*sys.argv[2:])
