# SPDX-License-Identifier: GPL-2.0
"""Images at random, each a small change to another one, and as the bytes that APPLY takes."""

from dataclasses import replace

import mistakes
from life.model import DOWN, DRAIN, NOBODY, UP, Form, Image, Server, Wish
from uapi import C, make

MOD, HASH, TABLE = (C[f"ONEHOP_KIND_{name}"] for name in ("MOD", "HASH", "TABLE"))
ROUTER, BROADCAST, PEER = (C[f"ONEHOP_MODE_{name}"] for name in ("ROUTER", "BROADCAST", "PEER"))
ROWS = 256
SEEDS = [bytes([n]) * 16 for n in (1, 2)]
POOLS = ("db", "mail", "web")
GHOSTS = [bytes([192, 0, 2, n]) for n in range(80, 84)] + [
    mistakes.ip6(f"2001:db8:80::{n}") for n in range(80, 84)]
NUMBERS = range(1, 7)  # of servers; some of them exist
DEVICES = ("eth0", "eth9")  # there is no eth9
START_DOWN = C["ONEHOP_SERVER_START_DOWN"]


def server(chance, number):
    return Server(f"s{number}", number, 1, UP, chance.choice((0, 0, 0, START_DOWN)), *addresses(number))


def addresses(number):
    """Of server `number`, or of the same one elsewhere, 100 behind."""
    return bytes([10, 0, 0, number]), mistakes.ip6(f"2001:db8::{number}")


def wish(chance, name):
    form = Form(name, ROUTER, HASH, 1, 32, 64, 0, chance.choice((1, 2)), ROWS, chance.choice(SEEDS))
    return Wish(form, tuple(server(chance, number) for number in sorted(chance.sample(NUMBERS, 4))))


def other_mode(chance, it):
    mode = chance.choice((ROUTER, ROUTER, PEER, BROADCAST))
    return replace(it, form=replace(it.form, mode=mode, shape=chance.randint(1, 3) if mode == BROADCAST else 0,
                                    policy=1 if mode == BROADCAST else chance.choice((1, 2)),
                                    method=chance.choice((1, 2)) if mode == ROUTER else 0))


def other_kind(chance, it):
    kind = chance.choice((MOD, HASH, HASH, TABLE))
    rows, seed = (0, bytes(16)) if kind == MOD else (ROWS, chance.choice(SEEDS))
    weights = {number: 1 for number in NUMBERS} if kind == MOD else {}
    table = tuple(chance.choice((1, 2, 9, NOBODY)) for _ in range(ROWS)) if kind == TABLE else ()
    servers = tuple(replace(s, weight=weights.get(s.id, s.weight)) for s in it.servers)
    return replace(it, form=replace(it.form, kind=kind, rows=rows, seed=seed), servers=servers, table=table)


def other_prefix(chance, it):
    return replace(it, form=replace(it.form, prefix4=chance.choice((32, 24)), prefix6=chance.choice((64, 128))))


def other_servers(chance, it):
    """One more or one less."""
    number = chance.choice(NUMBERS)
    fewer = tuple(s for s in it.servers if s.id != number)
    if len(fewer) == len(it.servers):
        fewer = tuple(sorted((*fewer, server(chance, number)), key=lambda s: s.id))
    overrides = tuple(laid for laid in it.overrides if any(s.id == laid[2] for s in fewer))
    return replace(it, servers=fewer, overrides=overrides)


def other_server(chance, it):
    """One of them: weight, admin state, or address."""
    if not it.servers:
        return it
    one = chance.choice(it.servers)
    away = 0 if one.address[3] > 100 else 100
    field = chance.choice(("weight", "admin", "flags", "address"))
    other = {
        "weight": {"weight": 1 if it.form.kind == MOD else chance.randint(1, 3)},
        "admin": {"admin": chance.choice((UP, UP, DRAIN, DOWN))},
        "flags": {"flags": one.flags ^ START_DOWN},
        "address": dict(zip(("address", "address6"), addresses(one.id + away))),
    }[field]
    return replace(it, servers=tuple(replace(s, **other) if s == one else s for s in it.servers))


def other_overrides(chance, it):
    chosen = {}
    for _ in range(chance.randint(0, 3) if it.servers else 0):
        bits = chance.choice((16, 24))
        chosen[bytes([10, 2, chance.randrange(4) if bits == 24 else 0, 0]), bits] = chance.choice(it.servers).id
    return replace(it, overrides=tuple((*at, number) for at, number in sorted(chosen.items())))


CHANGES = (other_mode, other_kind, other_prefix, other_servers, other_servers, other_server, other_server,
           other_overrides)


def changed(chance, image):
    wishes = {it.form.name: it for it in image.wishes}
    ghosts, devices = dict(image.ghosts), set(image.devices)
    for _ in range(chance.choice((1, 1, 2, 3))):
        what = chance.random()
        if what < 0.15 or not wishes:
            name = chance.choice(POOLS)
            if not wishes.pop(name, None):
                wishes[name] = wish(chance, name)
        elif what < 0.3:
            ghosts = {address: chance.choice(sorted(wishes)) for address in GHOSTS if chance.random() < 0.7}
        elif what < 0.4:
            devices ^= {chance.choice(DEVICES)}
        else:
            name = chance.choice(sorted(wishes))
            wishes[name] = chance.choice(CHANGES)(chance, wishes[name])
    if any(it.form.shape > 1 for it in wishes.values()):
        devices.add("eth0")
    kept = tuple(sorted(((address, name) for address, name in ghosts.items() if name in wishes),
                        key=lambda ghost: (len(ghost[0]), ghost)))
    return Image(tuple(wishes[name] for name in sorted(wishes)), kept, tuple(sorted(devices)))


def whole(chance):
    """One to begin with: a pool that has all ghosts."""
    first = wish(chance, "web")
    return Image((first,), tuple((address, "web") for address in GHOSTS), ("eth0",))


def encoded(image):
    index = {it.form.name: number for number, it in enumerate(image.wishes)}
    return mistakes.image(
        pools=[make("pool", **vars(it.form)) for it in image.wishes],
        ghosts=[make("ghost", pool=index[name], family=4 if len(address) == 4 else 6, address=address)
                for address, name in image.ghosts],
        servers=[make("server", pool=index[it.form.name], **vars(s)) for it in image.wishes for s in it.servers],
        devices=[mistakes.device(name) for name in image.devices],
        overrides=[make("override", pool=index[it.form.name], family=4, bits=bits, address=address, server=number)
                   for it in image.wishes for address, bits, number in it.overrides],
        owners=[owner for it in image.wishes for owner in it.table],
    )
