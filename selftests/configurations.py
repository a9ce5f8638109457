#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Random configurations, one after the other: what `onehopctl save` prints after each
is what was applied, whatever stood before.

	configurations.py ONEHOPCTL COUNT [SEED]

Applied through the device, without transitions; read back with the tool. Prints
one line, or what differs.
"""

import random
import socket
import subprocess
import sys
import tomllib

from uapi import C, Device, make, message

NAMES = [name + end for name in ("web", "a", "Mail-2", "x_y", "0", "sip") for end in ("", ".old", "9")]


def choice(kind, *names):
    """A number of an enumeration, and its name in a configuration."""
    name = random.choice(names)
    return C[f"ONEHOP_{kind}_{name.upper()}"], name


def address4(net, number):
    return socket.inet_aton(f"10.{net}.{number >> 8}.{number & 255}")


def address6(net, number):
    return socket.inet_pton(socket.AF_INET6, f"2001:db8:{net:x}::{number:x}")


def text(packed):
    return socket.inet_ntop(socket.AF_INET if len(packed) == 4 else socket.AF_INET6, packed)


def pool(name):
    """The structure, and the table of the file."""
    mode, mode_name = choice("MODE", "router", "broadcast", "peer")
    kind, kind_name = choice("KIND", "mod", "hash")
    policy, policy_name = choice("POLICY", "drop", *(["reject"] if mode_name != "broadcast" else []))
    table = {"mode": mode_name, "kind": kind_name, "policy": policy_name,
             "prefix4": random.randint(1, 32), "prefix6": random.randint(1, 128)}
    fields = {"name": name, "mode": mode, "kind": kind, "policy": policy,
              "prefix4": table["prefix4"], "prefix6": table["prefix6"]}
    if mode_name == "router":
        fields["method"], table["method"] = choice("METHOD", "track", "chance")
    if mode_name == "broadcast":
        fields["shape"], table["shape"] = choice("SHAPE", "broadcast", "multicast", "igmp")
    if kind_name == "hash":
        seed = random.randbytes(16)
        table["seed"], table["rows"] = seed.hex(), 1 << random.randint(8, 12)
        fields["seed"], fields["rows"] = seed, table["rows"]
    return make("pool", **fields), table


def servers(number, net, kind):
    """The structures of a pool's servers, and the tables of the file."""
    made, tables = [], {}
    for identity in random.sample(range(C["ONEHOP_MAX_SERVERS"]), random.randint(1, 6)):
        admin, admin_name = choice("ADMIN", "up", "drain", "down")
        weight = random.choice((1, 2, 1000)) if kind == "hash" else 1
        table = {"id": identity, "weight": weight, "admin": admin_name,
                 "address": text(address4(net, identity + 1)), "address6": text(address6(net, identity + 1))}
        flags = 0
        if random.random() < 0.2:
            table["start-down"], flags = True, C["ONEHOP_SERVER_START_DOWN"]
        name = f"{random.choice(NAMES)}-{identity}"
        made.append(make("server", name=name, pool=number, id=identity, weight=weight, admin=admin, flags=flags,
                         address=address4(net, identity + 1), address6=address6(net, identity + 1)))
        tables[name] = table
    return made, tables


def configuration():
    """The image, and what a file with the same content reads as."""
    devices = [f"dev{number}" for number in sorted(random.sample(range(10), random.randint(1, 3)))]
    pools, ghosts, members, tables = [], [], [], {}
    for number, name in enumerate(random.sample(NAMES, random.randint(0, 3))):
        one, table = pool(name)
        own = [address4(200 + number, host) for host in random.sample(range(1, 60000), random.randint(0, 2))]
        own += [address6(200 + number, host) for host in random.sample(range(1, 60000), random.randint(0, 2))]
        made, table["server"] = servers(number, number, table["kind"])
        table["ghosts"] = sorted(map(text, own))
        pools.append(one)
        ghosts += [make("ghost", pool=number, family=4 if len(ghost) == 4 else 6, address=ghost) for ghost in own]
        members += made
        tables[name] = table
    random.shuffle(ghosts)
    random.shuffle(members)
    head = make("image", abi=C["ONEHOP_ABI"], pools=len(pools), ghosts=len(ghosts), servers=len(members),
                devices=len(devices))
    image = [head, *pools, *ghosts, *members, *(make("device", name=name) for name in devices)]
    return b"".join(map(bytes, image)), {"devices": devices, **({"pool": tables} if tables else {})}


def saved(tool):
    read = tomllib.loads(subprocess.run([tool, "save"], check=True, capture_output=True, text=True).stdout)
    for table in read.get("pool", {}).values():
        table["ghosts"].sort()
        table.setdefault("server", {})
    return read


def main():
    tool, count, seed, *_ = *sys.argv[1:], str(random.getrandbits(32))
    random.seed(int(seed))
    device = Device()
    differ = 0
    for number in range(int(count)):
        image, wanted = configuration()
        error, reply = device.apply(image, flags=C["ONEHOP_NOW"])
        if error:
            sys.exit(f"seed {seed}, number {number}: refused: {message(reply)}")
        if saved(tool) != wanted:
            sys.exit(f"seed {seed}, number {number}: applied {wanted}, saved {saved(tool)}")
        differ += reply.changed
    print(f"{count} configurations, {differ} of them unlike the one before; seed {seed}")


if __name__ == "__main__":
    main()
