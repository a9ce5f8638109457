# SPDX-License-Identifier: GPL-2.0
"""What ends while something else is going on, by name. All of it under traffic from both
processors, and each from a module that has just been loaded."""

import ctypes
import errno
import os
import random
from dataclasses import replace

import mistakes
from expect import Failure, expect, name_of
from life import image
from life.child import Child
from life.host import device, inside
from life.model import DRAIN, FOREVER, Stay
from life.module import wait
from life.seen import check, uptime
from uapi import C, IOC, S, make, records

CHANGES = 100
MODES = ((image.ROUTER, 0, 1), (image.ROUTER, 0, 2), (image.BROADCAST, 1, 0), (image.BROADCAST, 2, 0),
         (image.BROADCAST, 3, 0), (image.PEER, 0, 0))


def fresh(fire):
    """The first host and its model, as at the beginning."""
    fire.steps.end()
    fire.steps.begin()
    host = fire.bed.hosts[0]
    return host, fire.steps.models[host.name]


def gone(fire, peer):
    """The namespace whose device this was the other end of; and the module, which nothing holds."""
    wait("a namespace to go", lambda: not is_there("lan", peer))
    fire.steps.unload()
    fire.steps.load()


def is_there(namespace, name):
    with inside(namespace):
        return os.path.exists(f"/proc/sys/net/ipv4/conf/{name}")


def unnamed(fire, host):
    """Its name is taken away, and so is all else that is ours; the other end of its device."""
    peer = host.peer
    fire.steps.delete(host)
    return peer


def traffic(opened, name="seen"):
    """More of it comes."""
    before = opened.stats()[name]
    wait(f"more to be counted as {name}", lambda: opened.stats()[name] > before)


def large():
    """Some seconds of work."""
    form = vars(image.whole(random.Random(1997)).wishes[0].form)
    pools = [make("pool", **{**form, "name": f"p{number}", "rows": C["ONEHOP_MAX_ROWS"]}) for number in range(4)]
    servers = [mistakes.server(number, pool=pool, name=f"s{number}", address6=mistakes.ip6(f"2001:db8::{number:x}"))
               for pool in range(4) for number in range(1, C["ONEHOP_MAX_SERVERS"] + 1)]
    return mistakes.image(pools=pools, ghosts=[], servers=servers)


def apply_large(opened, told):
    error, _ = opened.apply(large(), flags=C["ONEHOP_NOW"])
    os.write(told, name_of(error).encode())


def exit_during_apply(fire):
    """Whose process is killed; then one whose process goes on to the end."""
    for is_killed in True, False:
        host, _ = fresh(fire)
        child = Child(host.name, apply_large)
        wait("a build to be under way", child.is_busy)
        peer = unnamed(fire, host)
        if is_killed:
            child.kill()
        else:
            expect("errno", os.read(child.heard, 99), b"0")
        child.wait()
        gone(fire, peer)


def exit_in_transition(fire):
    host, model = fresh(fire)
    with device(host.name) as opened:
        tracked(opened, model)
    gone(fire, unnamed(fire, host))


def tracked(opened, model):
    """A transition in which connections are noted: with one server alive nobody would move."""
    for server in model.image().wishes[0].servers:
        up = make("set", pool="web", server=server.name, field=C["ONEHOP_FIELD_HEALTH"], value=C["ONEHOP_HEALTH_UP"])
        opened.must(IOC["SERVER"], up)
    wish = replace(model.image().wishes[0], form=replace(model.image().wishes[0].form, method=1))
    for wanted in wish, replace(wish, form=replace(wish.form, seed=bytes([3]) * 16)):
        begun = uptime()
        all_of_it = replace(model.image(), wishes=(wanted,))
        expect("errno", opened.apply(image.encoded(all_of_it), seconds=C["ONEHOP_FOREVER"])[0], 0)
        expect("by the model", model.apply(all_of_it, Stay(seconds=FOREVER), (begun, uptime()))[0], 0)
    wait("connections to be noted", lambda: records(opened.dump(), "pools")[0].tracked)


def exit_with_open_fd(fire):
    """The file still stands for the namespace, which lives as long as it is open."""
    host, model = fresh(fire)
    peer = host.peer
    with device(host.name) as opened:
        fire.steps.delete(host)
        wanted = image.Image()
        expect("errno", opened.apply(image.encoded(wanted))[0], 0)
        expect("generation", opened.info().generation, model.generation + 1)
        expect("errno", opened.apply(image.encoded(model.image()))[0], 0)
        traffic(opened)
        expect("errno of delete_module", name_of(fire.steps.module.try_unload()), name_of(errno.EAGAIN))
        if not is_there("lan", peer):
            raise Failure("the namespace went, although a file was open")
    gone(fire, peer)


def read_events(opened, told):
    while True:
        os.write(told, os.read(opened.fd, ctypes.sizeof(S["event"]))[16:20])


def exit_with_blocked_reader(fire):
    host, model = fresh(fire)
    child = Child(host.name, read_events)
    wait("a reader to block", child.blocks_in_read)
    with device(host.name) as opened:
        peer = unnamed(fire, host)
        name = model.pools["web"].newest.wish.servers[0].name
        opened.must(IOC["SERVER"], make("set", pool="web", server=name, field=1, value=DRAIN))
        expect("event", int.from_bytes(os.read(child.heard, 4), "little"), C["ONEHOP_EVENT_ADMIN"])
    wait("the reader to block again", child.blocks_in_read)
    expect("errno of delete_module", name_of(fire.steps.module.try_unload()), name_of(errno.EAGAIN))
    child.kill()
    child.wait()
    gone(fire, peer)


def device_removed(fire):
    """One that the configuration names, in each mode, with and without answers."""
    host, model = fresh(fire)
    for number, (mode, shape, method) in enumerate(MODES * 2):
        wish = model.image().wishes[0]
        form = replace(wish.form, mode=mode, shape=shape, method=method, policy=1)
        wanted = replace(model.image(), wishes=(replace(wish, form=form),), devices=("eth0",))
        with device(host.name) as opened:
            begun = uptime()
            expect("errno", opened.apply(image.encoded(wanted), flags=C["ONEHOP_NOW"])[0], 0)
            model.apply(wanted, Stay(now=True), (begun, uptime()))
            model.answer = int(number < len(MODES))
            opened.must(IOC["ANSWER"], make("answer", answer=model.answer))
            traffic(opened)
            host.unplug()
            check(opened, model, host)
            host.plug()
            check(opened, model, host)
            traffic(opened)


def unload_under_traffic(fire):
    """Not while somebody has the device open, and at once when nobody has."""
    for _ in range(5):
        host, _ = fresh(fire)
        child = Child(host.name, read_events)
        wait("a reader to block", child.blocks_in_read)
        with device(host.name) as opened:
            traffic(opened)
            expect("errno of delete_module", name_of(fire.steps.module.try_unload()), name_of(errno.EAGAIN))
            traffic(opened)
        expect("errno of delete_module", name_of(fire.steps.module.try_unload()), name_of(errno.EAGAIN))
        child.kill()
        child.wait()
        fire.steps.unload()
        fire.steps.load()


def applies_at_once(fire):
    """Two processes, each with two images of its own in turn, so that each APPLY is a change: none is
    lost, none is mixed with another."""
    host, model = fresh(fire)
    wish = model.image().wishes[0]
    forms = [replace(wish.form, seed=bytes([n]) * 16) for n in (4, 5, 6, 7)]
    images = [image.encoded(replace(model.image(), wishes=(replace(wish, form=form),))) for form in forms]
    for flags in C["ONEHOP_NOW"], C["ONEHOP_NOW"] | C["ONEHOP_EXPECT"]:
        with device(host.name) as opened:
            before = opened.info().generation
            children = [Child(host.name, applier(mine, flags)) for mine in (images[:2], images[2:])]
            replies = [reply for child in children for reply in heard(child)]
            expect("generations", sorted(generation for generation, _ in replies),
                   list(range(before + 1, before + 1 + 2 * CHANGES)))
            expect("generation", opened.info().generation, before + 2 * CHANGES)
            expect("digest", opened.info().digest, dict(replies)[before + 2 * CHANGES])
            expect("digests", len({digest for _, digest in replies}), len(images))
    fire.steps.unload()
    fire.steps.load()


def applier(mine, flags):
    """Applies its images, with EXPECT until that went well each time."""
    def work(opened, told):
        made = 0
        while made < CHANGES:
            expected = opened.info().generation if flags & C["ONEHOP_EXPECT"] else 0
            error, reply = opened.apply(mine[made % 2], flags=flags, expected=expected)
            if error == errno.ESTALE and expected:
                continue
            expect("errno, changed", (name_of(error), reply.changed), (name_of(0), 1))
            made += 1
            os.write(told, b"%d %d\n" % (reply.generation, reply.digest))
    return work


def heard(child):
    said = b""
    while piece := os.read(child.heard, 65536):
        said += piece
    expect("exit code", child.wait(), 0)
    return [tuple(map(int, line.split())) for line in said.splitlines()]


ALL = {
    "a namespace exits during APPLY": exit_during_apply,
    "a namespace exits in a transition": exit_in_transition,
    "a namespace exits with an open file": exit_with_open_fd,
    "a namespace exits with a blocked reader": exit_with_blocked_reader,
    "a named device goes and comes": device_removed,
    "the module is unloaded, and not while in use": unload_under_traffic,
    "two processes apply at once": applies_at_once,
}
