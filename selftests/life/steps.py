# SPDX-License-Identifier: GPL-2.0
"""One step at random: what it does to a host or to the module, and to the model of it. What is
drawn depends on the seed and on the models alone, so that a seed replays."""

import errno
import os
import random
import time

import mistakes
from expect import Failure, expect, name_of, refused
from life import image, module
from life.host import device, sysctl
from life.model import DEAD, DOWN, DRAIN, FINE, FOREVER, UP, Model, Stay
from life.seen import check, uptime
from uapi import C, IOC, make, message, records, text

SPANS = ((1, Stay(now=True)), (5, Stay(seconds=FOREVER)), (3, Stay()), (1, Stay(seconds=500000)))
FLAG = {name: C[f"ONEHOP_{name}"] for name in ("NOW", "EXPECT", "DRY_RUN")}
MAX_SECONDS = C["ONEHOP_MAX_SECONDS"]
FIELDS = {"admin": C["ONEHOP_FIELD_ADMIN"], "health": C["ONEHOP_FIELD_HEALTH"]}


def pick(chance, weighted):
    return chance.choices([what for _, what in weighted], [weight for weight, _ in weighted])[0]


class Steps:
    """Of several hosts; `models` by name, with an entry for those that are there while the
    module is loaded."""

    def __init__(self, hosts):
        self.chance, self.hosts = random.Random(), hosts
        self.module = module.Module()
        self.models = {}

    # Calls

    def draw_stay(self):
        return pick(self.chance, SPANS)

    def conditions(self, model):
        """Fields of a call, and what they make of it: nothing, a dry run, or a refusal as stale."""
        what = pick(self.chance, ((20, None), (2, "DRY_RUN"), (2, "EXPECT"), (1, "ESTALE")))
        if what in ("EXPECT", "ESTALE"):
            return {"flags": FLAG["EXPECT"], "expected": model.generation + (what == "ESTALE")}, what
        return {"flags": FLAG[what] if what else 0}, what

    @staticmethod
    def spans(stay):
        if stay.seconds is None:
            return 0
        return C["ONEHOP_FOREVER"] if stay.seconds == FOREVER else stay.seconds

    def judge(self, model, called, what, wanted, reply):
        """A call's errno and reply against the model's."""
        if what == "ESTALE":
            wanted = errno.ESTALE, 0
        error, changed = wanted
        expect("errno", name_of(called), name_of(error))
        if error:
            refused(None, error, r"\w", called, message(reply))
            return f"refused, {name_of(error)}"
        expect("changed", reply.changed, changed)
        expect("generation replied", reply.generation, model.generation)
        return ("would change" if what == "DRY_RUN" else "changed") if changed else "so already"

    def apply(self, host, model, wanted, stay, conditions=None):
        fields, what = conditions or self.conditions(model)
        fields["flags"] |= FLAG["NOW"] if stay.now else 0
        begun = uptime()
        with device(host.name) as opened:
            error, reply = opened.apply(image.encoded(wanted), seconds=self.spans(stay), actor="fire", **fields)
        outcome = (0, 0)
        if what != "ESTALE":
            outcome = model.apply(wanted, stay, (begun, uptime()), dry=what == "DRY_RUN")
        return self.judge(model, error, what, outcome, reply)

    def change(self, host, model):
        wanted = image.changed(self.chance, model.image()) if model.pools else image.whole(self.chance)
        return self.apply(host, model, wanted, self.draw_stay())

    def same(self, host, model):
        return self.apply(host, model, model.image(), self.draw_stay())

    def empty(self, host, model):
        return self.apply(host, model, image.Image(), self.draw_stay())

    def mistake(self, host, _model):
        name = self.chance.choice(sorted(mistakes.IMAGES))
        wanted, pattern, bad = mistakes.IMAGES[name]
        with device(host.name) as opened:
            error, reply = opened.apply(bad)
        refused(None, wanted, pattern, error, message(reply))
        return name

    def draw_pool(self, model):
        """Nearly always one that is there."""
        return self.chance.choice(sorted(model.pools) * 5 + list(image.POOLS))

    def draw_server(self, model, pool):
        """Likewise, or one that is leaving."""
        there = model.pools.get(pool)
        servers = [*there.newest.wish.servers, *(it for it, _ in there.leaving())] if there else []
        return self.chance.choice([it.name for it in servers] * 5 + [f"s{number}" for number in image.NUMBERS])

    def server(self, host, model):
        pool = self.draw_pool(model)
        name = self.draw_server(model, pool)
        field, value = self.chance.choice((("admin", UP), ("admin", DRAIN), ("admin", DOWN), ("health", FINE),
                                           ("health", FINE), ("health", DEAD), ("health", DEAD)))
        stay = self.draw_stay()
        if value == DRAIN and field == "admin" and stay.seconds not in (None, FOREVER):
            stay = Stay(seconds=FOREVER)  # a drain with a time is another thing; see `brief`
        fields, what = self.conditions(model)
        fields["flags"] |= FLAG["NOW"] if stay.now else 0
        begun = uptime()
        with device(host.name) as opened:
            reply = make("set", pool=pool, server=name, field=FIELDS[field], value=value,
                         seconds=self.spans(stay), actor="fire", reason="a step", **fields)
            error = opened.call(IOC["SERVER"], reply)
        outcome = (0, 0)
        if what != "ESTALE":
            outcome = model.set_server(pool, name, stay, (begun, uptime()), what == "DRY_RUN", **{field: value})
        return f"{pool}/{name} {field} {value}: " + self.judge(model, error, what, outcome, reply)

    def transition(self, host, model):
        verb = self.chance.choice(("commit", "abort", "abort", "abort", "extend", "extend"))
        pool = self.draw_pool(model)
        seconds = self.chance.choice((600000, MAX_SECONDS, FOREVER)) if verb == "extend" else 0
        begun = uptime()
        with device(host.name) as opened:
            error, reply = opened.transition(verb, pool, seconds=self.spans(Stay(seconds=seconds)), actor="fire")
        outcome = model.transition(verb, pool, (begun, uptime()), seconds)
        return f"{verb} {pool}: " + self.judge(model, error, None, outcome, reply)

    def brief(self, host, model):
        """A drain whose time passes, and with it the transition that it began."""
        at_rest = [name for name in sorted(model.pools) if not model.pools[name].older]
        pool = self.chance.choice(at_rest or [None])
        names = [it.name for it in model.pools[pool].newest.wish.servers] if pool else []
        if not names:
            return "nothing at rest"
        name = self.chance.choice(names)
        begun = uptime()
        with device(host.name) as opened:
            drain = make("set", pool=pool, server=name, field=FIELDS["admin"], value=DRAIN, seconds=1)
            opened.must(IOC["SERVER"], drain)
            # As with a time it is new each time, whatever the state was.
            stands = model.generation
            model.set_server(pool, name, Stay(seconds=1), (begun, uptime()), admin=DRAIN)
            model.generation = stands + 1
            deadline = time.monotonic() + module.PATIENCE
            while model.pools[pool].older or self.is_passing(opened, pool, name):
                if not self.is_passing(opened, pool, name):
                    model.retired(pool)
                elif time.monotonic() > deadline:
                    raise Failure(f"a drain of one second in '{pool}' is not over after {module.PATIENCE} s")
                else:
                    time.sleep(0.02)
        return f"drain {pool}/{name} for a second"

    @staticmethod
    def is_passing(opened, pool, name):
        dumped = opened.dump()
        names = [text(it.name) for it in records(dumped, "pools")]
        return any(names[it.pool] == pool for it in records(dumped, "older")) or any(
            it.drain_left for it in records(dumped, "servers") if (names[it.pool], text(it.name)) == (pool, name))

    def answer(self, host, model):
        wanted = self.chance.choice((0, 1, 1))
        reply = make("answer", answer=wanted, actor="fire")
        with device(host.name) as opened:
            error = opened.call(IOC["ANSWER"], reply)
        if wanted and not model.devices:
            refused(None, errno.ENODEV, '"on"', error, message(reply))
            return "refused, ENODEV"
        expect("errno", name_of(error), name_of(0))
        expect("changed", reply.changed, int(model.answer != wanted))
        model.answer = wanted
        return str(wanted)

    def setting(self, host, model):
        name, value = self.chance.choice((("enabled", 0), ("enabled", 1), ("enabled", 1), ("transition_seconds", 0),
                                          ("transition_seconds", MAX_SECONDS), ("transition_seconds", MAX_SECONDS),
                                          ("max_tracked_flows", 16), ("max_tracked_flows", 4096)))
        sysctl(host.name, f"onehop/{name}", value)
        model.enabled = value if name == "enabled" else model.enabled
        model.seconds = value if name == "transition_seconds" else model.seconds
        return f"{name} {value}"

    # The network

    def link(self, host):
        what = self.chance.choice(("down", "flap", "flap")) if host.is_up else "up"
        if what == "flap":
            host.flap()
        else:
            host.set_up(what == "up")
        return what

    def nic(self, host):
        if host.nic:
            host.unplug()
            return "deleted"
        host.plug()
        return "created"

    def network(self, host):
        """A step of the network, and what it was."""
        what = pick(self.chance, ((4, "link"), (3, "nic"), (3, "address"), (3, "link address"), (3, "local"),
                                  (4, "route")))
        number = self.chance.choice(image.NUMBERS)
        address = self.chance.choice((f"10.0.0.{number}", f"2001:db8::{number}"))
        kind = self.chance.choice(("unreachable", "via"))
        if what == "link" and host.nic:
            return f"link {self.link(host)}"
        if what == "address" and host.nic:
            host.readdress()
        elif what == "link address":
            host.relink()
        elif what == "local":
            address = self.chance.choice((address, "192.0.2.80", "2001:db8:80::80"))
            host.toggle_local(address)
        elif what == "route":
            host.toggle_route(address, kind)
        else:
            return f"device {self.nic(host)}"
        return f"{what} {address if what in ('local', 'route') else ''}"

    # The module, and namespaces

    def load(self):
        self.module.load()
        for host in self.hosts:
            if host.is_there:
                self.fresh(host)

    def fresh(self, host):
        """A namespace that the module knows nothing of yet; one day is too short for a deadline."""
        sysctl(host.name, "onehop/transition_seconds", MAX_SECONDS)
        self.models[host.name] = Model(seconds=MAX_SECONDS)

    def unload(self):
        self.module.unload()
        self.models.clear()

    def held(self, host):
        """With a file open the module stays; EAGAIN is what rmmod shows as "in use"."""
        with device(host.name):
            expect("errno of delete_module", name_of(self.module.try_unload()), name_of(errno.EAGAIN))

    def create(self, host):
        host.create()
        if self.module.is_loaded:
            self.fresh(host)

    def delete(self, host):
        host.delete()
        self.models.pop(host.name, None)

    def begin(self):
        """From nothing at all."""
        self.load()
        for host in self.hosts:
            self.create(host)
            self.apply(host, self.models[host.name], image.whole(self.chance), Stay(), ({"flags": 0}, None))

    def end(self):
        """To nothing at all."""
        for host in self.hosts:
            if host.is_there:
                self.delete(host)
        if self.module.is_loaded:
            self.unload()

    # All of them

    # A life of some hundred calls, so that what they leave behind gets to meet.
    CALLS = ((48, "change"), (4, "same"), (1, "empty"), (8, "mistake"), (52, "server"), (24, "transition"),
             (2, "brief"), (6, "answer"), (10, "setting"), (44, "network"), (2, "delete"), (1, "unload"),
             (1, "held"))
    WITHOUT = ((3, "network"), (3, "load"), (1, "delete"))

    def step(self):
        """Does one; in words."""
        host = self.chance.choice(self.hosts)
        model = self.models.get(host.name)
        if not host.is_there:
            self.create(host)
            return f"{host.name} create"
        what = pick(self.chance, self.CALLS if model else self.WITHOUT)
        if model and not model.pools and what in ("server", "transition"):
            what = "change"
        if what in ("load", "unload"):
            getattr(self, what)()
            return what
        if what in ("held", "delete", "network"):
            return f"{host.name} {what} {getattr(self, what)(host) or ''}"
        return f"{host.name} {what}: {getattr(self, what)(host, model)}"

    def check(self):
        """Everything is as the models have it."""
        expect("module loaded", os.path.exists("/dev/onehop"), self.module.is_loaded)
        for host in self.hosts:
            if host.name in self.models:
                with device(host.name) as opened:
                    check(opened, self.models[host.name], host)
