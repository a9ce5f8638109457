# SPDX-License-Identifier: GPL-2.0
"""What a namespace must be in after each call: the pools with their functions, the older ones
and their deadlines, generation and digest. The law, the queue and the digests are the
oracle's, which never saw the module; what the calls do to them is from uapi/onehop.h and
Documentation/transitions.md."""

import copy
import errno
import os
import sys
from dataclasses import dataclass, field, replace

from uapi import C

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "dispatch", "oracle"))

import digest  # noqa: E402
import law  # noqa: E402
import transition  # noqa: E402

UP, DRAIN, DOWN = C["ONEHOP_ADMIN_UP"], C["ONEHOP_ADMIN_DRAIN"], C["ONEHOP_ADMIN_DOWN"]
FINE, DEAD = C["ONEHOP_HEALTH_UP"], C["ONEHOP_HEALTH_DOWN"]
KINDS = {C["ONEHOP_KIND_MOD"]: "mod", C["ONEHOP_KIND_HASH"]: "hash", C["ONEHOP_KIND_TABLE"]: "table"}
TRACK = C["ONEHOP_METHOD_TRACK"]
NOBODY = C["ONEHOP_NO_SERVER"]
FOREVER = float("inf")
# Most functions have had their rows ranked before: by what decides on them.
RANKED = {}


@dataclass(frozen=True)
class Form:
    """A pool's own fields, as in struct onehop_pool."""

    name: str
    mode: int
    kind: int
    policy: int
    prefix4: int
    prefix6: int
    shape: int
    method: int
    rows: int
    seed: bytes


@dataclass(frozen=True)
class Server:
    """As in struct onehop_server; overrides and the table name it by its id."""

    name: str
    id: int
    weight: int
    admin: int
    flags: int
    address: bytes
    address6: bytes


@dataclass(frozen=True)
class Wish:
    """A pool as an image has it."""

    form: Form
    servers: tuple
    overrides: tuple = ()  # (address, bits, id)
    table: tuple = ()


@dataclass(frozen=True)
class Image:
    wishes: tuple = ()  # by name
    ghosts: tuple = ()  # (address, name of the pool), by address, IPv4 first
    devices: tuple = ()  # by name


@dataclass(frozen=True)
class Stay:
    """How long connections stay: `seconds` of the call, or none for the sysctl's."""

    now: bool = False
    seconds: float | None = None


@dataclass(frozen=True)
class Deadline:
    """In ms of the uptime: not before `earliest`, not after `latest`, as a call takes time."""

    earliest: float
    latest: float


class Function(transition.Function):
    """Immutable, but for the servers that are gone from it."""

    def __init__(self, wish, health):
        self.wish, self.health = wish, health  # health by name
        form = wish.form
        pool = law.Pool(form.name, KINDS[form.kind], form.seed, form.rows, {4: form.prefix4, 16: form.prefix6})
        pool.by_id = {it.id: law.Server(it.id, it.weight, self.state(it), it.address, it.address6)
                      for it in wish.servers}
        pool.overrides = {(address, bits): number for address, bits, number in wish.overrides}
        pool.table = [None if number == NOBODY else number for number in wish.table]
        super().__init__(0, pool)
        key = (form.kind, form.seed, form.rows, wish.table, tuple((it.id, it.weight) for it in self.owners.live))
        self.owners.by_row = RANKED.setdefault(key, {})
        self.digest = digest.pool_digest(pool)
        self.deadline = None

    def state(self, server):
        if server.admin == DOWN or self.health[server.name] == DEAD:
            return "down"
        return "drain" if server.admin == DRAIN else "up"

    def server(self, name):
        return next((it for it in self.wish.servers if it.name == name), None)

    def by_id(self, number):
        return next((it for it in self.wish.servers if it.id == number), None)

    def without(self, gone):
        clone = copy.copy(self)
        clone.gone = self.gone | gone
        return clone

    def down(self):
        return {it.id for it in self.wish.servers if self.state(it) == "down"}


class Pool:
    """The newest function, and those before it, the newer first."""

    def __init__(self, newest, older=()):
        self.newest, self.older = newest, list(older)

    def leaving(self):
        """Servers that only older functions have, with their health there, by id."""
        found = {}
        for older in self.older:
            for number in older.with_a_say():
                if not self.newest.by_id(number):
                    server = older.by_id(number)
                    found.setdefault(number, (server, older.health[server.name]))
        return [found[number] for number in sorted(found)]

    def named(self, number):
        """A server that has connections by an older function, with its health there."""
        for older in self.older:
            if number in older.with_a_say():
                server = older.by_id(number)
                return server, older.health[server.name]
        return None

    def health_of(self, server):
        """What is kept of a server of this name and address; none if it is a new one."""
        known = [(it, self.newest.health[it.name]) for it in self.newest.wish.servers] + self.leaving()
        past = next(((it, health) for it, health in known if it.name == server.name), None)
        if past and (past[0].address, past[0].address6) == (server.address, server.address6):
            return past[1]
        return None

    def succeeded(self, newest, stay):
        """The pool with this function as the newest; none if there is no room."""
        if stay == "now":
            return Pool(newest)
        older = [it.without(newest.down()) for it in self.older]
        if stay != "no":
            first = self.newest.without(newest.down())
            first.deadline = stay
            older.insert(0, first)
        pool = Pool(newest, needed(newest, older))
        begins_to_track = newest.wish.form.method == TRACK and self.newest.wish.form.method != TRACK
        if len(pool.older) >= C["ONEHOP_MAX_FUNCTIONS"] or (begins_to_track and self.older and pool.older):
            return None
        return pool


def needed(newest, older):
    """Those that add something, and those that do not but outlast what would speak for them."""
    queue = transition.Queue()
    queue.functions = [newest]
    for function in older:
        queue.functions.append(function)
        newer = queue.functions[1:-1]
        at = len(queue.functions) - 1
        if all(it.deadline.earliest >= function.deadline.earliest for it in newer) and queue.adds_nothing(at):
            queue.functions.pop()
    return queue.functions[1:]


@dataclass
class Model:
    """A namespace. Calls return the errno and whether anything changed."""

    pools: dict = field(default_factory=dict)
    ghosts: tuple = ()
    devices: tuple = ()
    generation: int = 0
    enabled: int = 1
    answer: int = 0
    seconds: int = 300

    def digest(self):
        for name, pool in self.pools.items():
            pool.newest.pool.ghosts = {address for address, owner in self.ghosts if owner == name}
        return digest.namespace_digest([pool.newest.pool for pool in self.pools.values()])

    def stays(self, stay, began, ended):
        """`now`, `no`, or until when."""
        if stay.now:
            return "now"
        seconds = self.seconds if stay.seconds is None else stay.seconds
        if not seconds:
            return "no"
        return Deadline(began + 1000 * seconds, ended + 1000 * seconds)

    def image(self):
        wishes = tuple(self.pools[name].newest.wish for name in sorted(self.pools))
        return Image(wishes, self.ghosts, self.devices)

    def apply(self, image, stay, times, dry=False):
        pools = {}
        for wish in image.wishes:
            old = self.pools.get(wish.form.name)
            if old and old.newest.wish == wish:
                pools[wish.form.name] = old
                continue
            health = {it.name: (old and old.health_of(it)) or (DEAD if it.flags & 1 else FINE) for it in wish.servers}
            newest = Function(wish, health)
            pool = old.succeeded(newest, self.stays(stay, *times)) if old else Pool(newest)
            if not pool:
                return errno.EBUSY, 0
            pools[wish.form.name] = pool
        if image == self.image():
            return 0, 0
        if not dry:
            self.pools, self.ghosts, self.devices = pools, image.ghosts, image.devices
            self.generation += 1
        return 0, 1

    def set_server(self, pool, name, stay, times, dry=False, **state):
        """State: `admin` or `health`."""
        if pool not in self.pools:
            return errno.ENOENT, 0
        old = self.pools[pool]
        server = old.newest.server(name)
        if not server:
            return self.drop_leaving(pool, name, dry, state)
        health = dict(old.newest.health)
        if state.get("admin", server.admin) == server.admin and state.get("health", health[name]) == health[name]:
            return 0, 0
        wish = old.newest.wish
        if "admin" in state:
            servers = tuple(replace(it, **state) if it == server else it for it in wish.servers)
            wish = replace(wish, servers=servers)
        else:
            health[name] = state["health"]
        new = old.succeeded(Function(wish, health), self.stays(stay, *times))
        return self.put(pool, new, dry) if new else (errno.EBUSY, 0)

    def drop_leaving(self, pool, name, dry, state):
        old = self.pools[pool]
        server = next((it for it, _ in old.leaving() if it.name == name), None)
        if not server:
            return errno.ENOENT, 0
        if state != {"health": DEAD}:
            return errno.EBUSY, 0
        older = [it.without({server.id}) for it in old.older]
        return self.put(pool, Pool(old.newest, needed(old.newest, older)), dry)

    def put(self, name, pool, dry=False):
        if not dry:
            self.pools[name] = pool
            self.generation += 1
        return 0, 1

    def transition(self, verb, pool, times, seconds=0):
        if pool not in self.pools:
            return errno.ENOENT, 0
        old = self.pools[pool]
        if not old.older:
            return 0, 0
        if verb == "commit":
            return self.put(pool, Pool(old.newest))
        if verb == "extend":
            until = Deadline(*(it + 1000 * seconds for it in times))
            older = [it.without(set()) for it in old.older]
            for it in older:
                it.deadline = max(it.deadline, until, key=lambda deadline: deadline.earliest)
            return self.put(pool, Pool(old.newest, older))
        new = old.succeeded(again(old), self.stays(Stay(), *times))
        return self.put(pool, new) if new else (errno.EBUSY, 0)

    def retired(self, pool):
        """The deadlines of all older functions have passed."""
        self.pools[pool] = Pool(self.pools[pool].newest)


def again(pool):
    """A function that decides as the oldest did, in today's mode and with today's health."""
    past, today = pool.older[-1].wish, pool.newest.wish.form
    kept = {name: getattr(past.form, name) for name in ("kind", "prefix4", "prefix6", "rows", "seed")}
    servers, health = [], {}
    for it in past.servers:
        now = pool.newest.by_id(it.id)
        now = (now, pool.newest.health[now.name]) if now else pool.named(it.id)
        server, health[it.name] = now or (it, DEAD)
        servers.append(replace(server, weight=it.weight, admin=it.admin))
    return Function(replace(past, form=replace(today, **kept), servers=tuple(servers)), health)
