# SPDX-License-Identifier: GPL-2.0
"""Controls: for each thing that is looked at, an error in it that must be found."""

import contextlib
import os
import sys

import uapi
from expect import Failure
from life import module
from life.model import DEAD, FINE, Deadline


@contextlib.contextmanager
def put(what, name, value):
    """In the place of an attribute, for as long as it takes."""
    there = getattr(what, name)
    setattr(what, name, value)
    try:
        yield
    finally:
        setattr(what, name, there)


@contextlib.contextmanager
def pipes():
    """What leaks, holds objects."""
    held = [end for _ in range(100) for end in os.pipe()]
    try:
        yield
    finally:
        for end in held:
            os.close(end)


def one_more(device):
    return {**there(device), "seen": there(device)["seen"] + 1}


there = uapi.Device.stats


def in_transition(fire):
    """A host with a pool that is; it takes some steps."""
    for number in range(300):
        for host in fire.bed.hosts:
            model = fire.steps.models.get(host.name)
            for pool in model.pools.values() if model else ():
                if pool.older and pool.newest.wish.servers and host.nic:
                    return host, model, pool
        fire.step(-number)
    raise Failure("300 steps without a transition")


def errors(host, model, pool):
    """What is wrong, by name, for `check`."""
    name = pool.newest.wish.servers[0].name
    health = {**pool.newest.health, name: FINE if pool.newest.health[name] == DEAD else DEAD}
    oldest = pool.older[-1]
    yield "generation", put(model, "generation", model.generation + 1)
    yield "digest", put(model, "digest", lambda: 1997)
    yield "enabled", put(model, "enabled", 1 - model.enabled)
    yield "health", put(pool.newest, "health", health)
    yield "an older function", put(pool, "older", pool.older[:-1])
    yield "its digest", put(oldest, "digest", oldest.digest ^ 1)
    yield "its deadline", put(oldest, "deadline", Deadline(0, 0))
    yield "reach", put(host, "nic", host.nic + 1)
    yield "an overlooked change", put(model, "pools", {})


def found(what, error, look):
    try:
        with error:
            look()
    except Failure as reason:
        print(f"{what}: {reason}", file=sys.stderr, flush=True)
        return
    raise Failure(f"nobody noticed: {what}")


def all_found(fire):
    before = fire.again()
    with put(module, "PATIENCE", 1):
        for what, error in errors(*in_transition(fire)):
            found(what, error, fire.steps.check)
        found("one packet", put(uapi.Device, "stats", one_more), fire.at_rest)
        found("200 objects", pipes(), lambda: fire.flat(before))
        found("a silent processor", put(fire, "packets", [1 << 40] * len(fire.packets)), fire.at_rest)
    fire.steps.check()
    return "found: an error in generation, digest, states, functions, deadlines, reach; one packet; 200 objects"
