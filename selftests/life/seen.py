# SPDX-License-Identifier: GPL-2.0
"""What the module says of a namespace, and what a model and a host would have it say; both as
the same plain values, so that a difference reads as one."""

import time

from expect import Failure, expect
from life import module
from life.host import LOCAL
from life.image import BROADCAST
from uapi import C, records, text

LEAVING, START_DOWN = C["ONEHOP_SERVER_LEAVING"], C["ONEHOP_SERVER_START_DOWN"]
UNTIL_COMMIT = 2**64 - 1


def uptime():
    return time.monotonic() * 1000


def info(model):
    return {"generation": model.generation, "digest": model.digest(), "enabled": model.enabled,
            "answer": model.answer, "pools": len(model.pools), "ghosts": len(model.ghosts),
            "servers": sum(len(pool.newest.wish.servers) for pool in model.pools.values()),
            "devices": len(model.devices)}


def pools(model):
    return [(*vars(pool.newest.wish.form).values(), pool.newest.digest)
            for _, pool in sorted(model.pools.items())]


def dumped_pools(image):
    return [(text(it.name), it.mode, it.kind, it.policy, it.prefix4, it.prefix6, it.shape, it.method, it.rows,
             bytes(it.seed), it.digest) for it in records(image, "pools")]


def servers(model):
    """Those of each pool by id, and behind them those that are leaving."""
    for _, pool in sorted(model.pools.items()):
        for it in pool.newest.wish.servers:
            yield pool, it, pool.newest.health[it.name], 0
        for it, health in pool.leaving():
            yield pool, it, health, LEAVING


def standing(model):
    """Servers, but for how they are reached."""
    return [(pool.newest.wish.form.name, it.name, it.id, it.weight, it.admin, it.flags | leaving, health,
             it.address, it.address6) for pool, it, health, leaving in servers(model)]


def dumped_standing(image):
    names = [text(it.name) for it in records(image, "pools")]
    return [(names[it.pool], text(it.name), it.id, it.weight, it.admin, it.flags, it.health, bytes(it.address),
             bytes(it.address6)) for it in records(image, "servers")]


def reach(model, host):
    """How those are reached that are not leaving: what routes do, a leaving one may not hear of."""
    found = []
    for pool, it, _, leaving in servers(model):
        if leaving:
            continue
        ways = [host.reach(address) for address in (it.address, it.address6)]
        if pool.newest.wish.form.mode == BROADCAST and any(way == LOCAL for way, _ in ways):
            ways = [(LOCAL, 0)] * 2
        found.append((pool.newest.wish.form.name, it.name, *ways))
    return found


def dumped_reach(image):
    names = [text(it.name) for it in records(image, "pools")]
    return [(names[it.pool], text(it.name), (it.reach, it.ifindex), (it.reach6, it.ifindex6))
            for it in records(image, "servers") if not it.flags & LEAVING]


def older(model):
    return [(name, function.digest) for name, pool in sorted(model.pools.items()) for function in pool.older]


def dumped_older(image):
    names = [text(it.name) for it in records(image, "pools")]
    return [(names[it.pool], it.digest) for it in records(image, "older")]


def overrides(model):
    return [(name, *laid) for name, pool in sorted(model.pools.items())
            for laid in sorted(pool.newest.wish.overrides)]


def dumped_overrides(image):
    names = [text(it.name) for it in records(image, "pools")]
    return [(names[it.pool], bytes(it.address[:4]), it.bits, it.server) for it in records(image, "overrides")]


def check_remaining(model, image, begun, ended):
    """The clock of the deadlines is the uptime; each call took some of it."""
    functions = [it for _, pool in sorted(model.pools.items()) for it in pool.older]
    for function, it in zip(functions, records(image, "older")):
        until = function.deadline
        left = float("inf") if it.remaining == UNTIL_COMMIT else it.remaining
        # One for each reading of the clock that drops a fraction.
        if not until.earliest - ended - 2 <= left <= until.latest - begun + 2:
            raise Failure(f"{left} ms left of a function that has {until.earliest - begun:.0f} or more")


def check_devices(model, host, image):
    wanted = [(name, host.nic or 0 if name == "eth0" else 0) for name in model.devices]
    expect("devices", [(text(it.name), it.ifindex) for it in records(image, "devices")], wanted)


def check_info(device, model):
    said = device.info()
    wanted = info(model)
    expect("info", {name: getattr(said, name) for name in wanted}, wanted)


def check(device, model, host):
    """The module's answers are the model's."""
    check_info(device, model)
    begun = uptime()
    image = device.dump()
    ended = uptime()
    for what, said, wanted in (("pools", dumped_pools, pools), ("servers", dumped_standing, standing),
                               ("older functions", dumped_older, older), ("overrides", dumped_overrides, overrides)):
        expect(what, said(image), wanted(model))
    ghosts = [(bytes(it.address[: len(address)]), it.pool) for it, (address, _) in
              zip(records(image, "ghosts"), model.ghosts)]
    index = {name: number for number, name in enumerate(sorted(model.pools))}
    expect("ghosts", ghosts, [(address, index[name]) for address, name in model.ghosts])
    expect("tables", list(records(image, "rows")),
           [owner for _, pool in sorted(model.pools.items()) for owner in pool.newest.wish.table])
    check_remaining(model, image, begun, ended)
    check_devices(model, host, image)
    # Routes are looked at 50 ms after they change.
    deadline = time.monotonic() + module.PATIENCE
    while dumped_reach(image) != reach(model, host) and time.monotonic() < deadline:
        time.sleep(0.02)
        image = device.dump()
    expect("reach", dumped_reach(image), reach(model, host))
