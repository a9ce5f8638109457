#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Does traffic go on? A line for each interval, until it is ended.

	pulse.py DISPATCHER CLIENT SECONDS

Each has the packets for ghosts that the dispatcher has seen in it, and the TCP segments and ICMP
messages that the client has got.
"""

import os
import sys
import time

from uapi import Device


def enter(namespace):
    with open(f"/run/netns/{namespace}") as there:
        os.setns(there.fileno(), os.CLONE_NEWNET)


def got(file):
    """What /proc/net/snmp and snmp6 have of one of those protocols."""
    file.seek(0)
    heads, total = {}, 0
    for line in file:
        name, *words = line.split()
        if name in ("Icmp6InMsgs",):
            total += int(words[0])
        elif name in ("Tcp:", "Icmp:"):
            if name in heads:
                total += int(words[heads[name].index("InSegs" if name == "Tcp:" else "InMsgs")])
            heads[name] = words
    return total


def main():
    dispatcher, client, seconds = sys.argv[1:]
    enter(dispatcher)
    device = Device()
    enter(client)
    files = [open(f"/proc/thread-self/net/{name}") for name in ("snmp", "snmp6")]

    def now():
        return device.stats()["seen"], sum(map(got, files))

    before = now()
    while True:
        time.sleep(float(seconds))
        after = now()
        print(*(new - old for old, new in zip(before, after)), flush=True)
        before = after


if __name__ == "__main__":
    main()
