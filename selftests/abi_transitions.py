# SPDX-License-Identifier: GPL-2.0
"""The control interface in transitions; abi.py runs these with the others."""

import ctypes
import errno

from expect import Failure, expect, refused, state
from mistakes import many_overrides, override, rich_image
from uapi import C, IOC, S, make, message, records, text

GOOD = rich_image()
NOW = C["ONEHOP_NOW"]
FOREVER = C["ONEHOP_FOREVER"]


def servers_and_older(device):
    """What a dump has of servers, by name, those of pool web first; and its older functions."""
    dumped = device.dump()
    servers = {text(it.name): it for it in reversed(records(dumped, "servers"))}
    return servers, records(dumped, "older")


def pool_names(device):
    return [text(it.name) for it in records(device.dump(), "pools")]


def transition_from_begin_to_end(device):
    digest, rest = device.info().digest, device.dump()
    for verb, more in ("commit", {}), ("abort", {}), ("extend", {"seconds": 60}):
        error, reply = device.transition(verb, **more)
        expect(f"{verb} at rest", (error, reply.changed, reply.digest), (0, 0, digest))

    # s3 makes way for s4.
    error, reply = device.apply(rich_image(servers=(1, 2, 4)), seconds=FOREVER)
    expect("errno", error, 0)
    servers, older = servers_and_older(device)
    expect("older functions", [(pool_names(device)[it.pool], it.remaining) for it in older], [("web", 2**64 - 1)])
    if not 200000 < older[0].moved < 700000:
        raise Failure(f"one of three servers replaced, but {older[0].moved} ppm of the clients moved")
    leaving = sorted(name for name, it in servers.items() if it.flags & C["ONEHOP_SERVER_LEAVING"])
    expect("leaving", leaving, ["s3"])

    moved = 0
    for number in range(64):
        asked = make("lookup", pool="web", family=4, client=bytes([198, 51, 100, number]))
        device.must(IOC["LOOKUP"], asked)
        chain = [asked.owner] + [it for it in asked.older if it != C["ONEHOP_NO_SERVER"]]
        expect("owners", len(set(chain)), len(chain))
        expect("oldest", asked.oldest, chain[-1])
        moved += len(chain) > 1
    if not 8 < moved < 56:
        raise Failure(f"{moved} of 64 clients move")

    busy = make("set", pool="web", server="s3", field=2, value=1)
    refused(device, errno.EBUSY, '"s3"', device.call(IOC["SERVER"], busy), message(busy))
    error, reply = device.apply(rich_image(servers=(1, 2, 4, 1027)))
    refused(device, errno.EBUSY, '"3".*commit', error, message(reply))

    error, reply = device.transition("abort", actor="abi", reason="why")
    expect("abort", (error, reply.changed, reply.digest), (0, 1, digest))
    expect("leaving after the abort",
           [name for name, it in servers_and_older(device)[0].items() if it.flags & C["ONEHOP_SERVER_LEAVING"]], ["s4"])
    error, reply = device.transition("extend", seconds=600)
    expect("extend", error, 0)
    if any(it.remaining < 590000 for it in servers_and_older(device)[1]):
        raise Failure("a function is retired within the time that extend was given")
    expect("commit", device.transition("commit")[0], 0)
    expect("image after the commit", device.dump(), rest)


def queue_of_functions_is_bounded(device):
    other = bytearray(GOOD)
    seed = S["pool"].from_buffer(other, ctypes.sizeof(S["image"])).seed
    most = C["ONEHOP_MAX_FUNCTIONS"]
    for number in range(1, most):
        seed[15] = 0x40 + number
        expect(f"errno of change {number}", device.apply(bytes(other), seconds=90)[0], 0)
    expect("older functions", len(servers_and_older(device)[1]), most - 1)
    seed[15] = 0x80
    generation = device.info().generation
    for flags in 0, C["ONEHOP_DRY_RUN"]:
        error, reply = device.apply(bytes(other), flags=flags)
        refused(device, errno.EBUSY, r'"web".*\d+ s\b.*commit', error, message(reply))
    expect("generation", device.info().generation, generation)
    # What needs no place is made all the same.
    device.must(IOC["SERVER"], make("set", pool="web", server="s1", field=2, value=2))
    device.must(IOC["SERVER"], make("set", pool="web", server="s1", field=2, value=1, flags=NOW))
    expect("older functions", len(servers_and_older(device)[1]), 0)
    expect("errno", device.apply(GOOD, flags=NOW)[0], 0)


def abort_of_what_is_laid_down(device):
    rest = device.dump()
    expect("errno", device.apply(rich_image(overrides=(), owners=()), seconds=FOREVER)[0], 0)
    for kind in "overrides", "rows":
        expect(kind, records(device.dump(), kind), [])
    for pool in "web", "peer":
        error, reply = device.transition("abort", pool=pool)
        expect(f"abort in {pool}", (error, reply.changed), (0, 1))
        expect("commit", device.transition("commit", pool=pool)[0], 0)
    expect("image after it", device.dump(), rest)

    # As many as there can be, and then another one in another pool.
    most = C["ONEHOP_MAX_OVERRIDES"]
    expect("errno", device.apply(rich_image(overrides=many_overrides(most)), flags=NOW)[0], 0)
    expect("errno", device.apply(rich_image(overrides=[override(pool=2)]), seconds=FOREVER)[0], 0)
    before = state(device)
    error, reply = device.transition("abort")
    refused(device, errno.E2BIG, f'overrides "{most + 1}" must be at most {most}', error, message(reply))
    expect("state", state(device), before)
    expect("errno", device.apply(GOOD, flags=NOW)[0], 0)


def dry_run_of_a_server(device):
    before = state(device)
    dry = make("set", pool="web", server="s1", field=1, value=2, flags=C["ONEHOP_DRY_RUN"], seconds=60)
    device.must(IOC["SERVER"], dry)
    expect("changed", dry.changed, 1)
    if not 200000 < dry.moved < 500000:
        raise Failure(f"one of three servers would drain, but {dry.moved} ppm of the clients would move")
    expect("state", state(device), before)
