#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""One connection that stands still until it is told to go on.

	hold.py SOURCE ADDRESS FIFO

Connects and prints "open". Each line read from FIFO makes it send one request
and print what came of it: the server's name, "reset", "closed" or "silence".
"""

import socket
import sys


def main():
    source, address, fifo = sys.argv[1:]
    flow = socket.create_connection((address, 80), timeout=5, source_address=(source, 0))
    print("open", flush=True)
    with open(fifo) as orders:
        for _ in orders:
            try:
                flow.sendall(b"GET /name HTTP/1.1\r\nHost: ghost\r\n\r\n")
                answer = flow.recv(4096)
                print(answer.split(b"\r\n\r\n")[-1].decode().strip() or "closed", flush=True)
            except ConnectionResetError:
                print("reset", flush=True)
            except TimeoutError:
                print("silence", flush=True)


if __name__ == "__main__":
    main()
