# SPDX-License-Identifier: GPL-2.0
"""A pool's queue of functions, by Documentation/dispatch.md. Its deadlines are all without end."""

import law
from many import Owners


class Function:
    def __init__(self, number, pool):
        self.number = number
        self.pool = pool
        self.owners = Owners(pool)
        self.live = {s.id for s in self.owners.live}
        self.gone = set()

    def say(self, server):
        return None if server is None or server.id in self.gone else server.id

    def of(self, client):
        return self.say(law.owner(self.pool, client))

    def of_row(self, row, named):
        """About the clients of a row that are overridden to the server named, or to None."""
        if named in self.live:
            return None if named in self.gone else named
        return self.say(self.owners.by_row.get(row))

    def shares_rows(self, other):
        a, b = self.pool, other.pool
        return "mod" not in (a.kind, b.kind) and (a.seed, a.rows, a.prefixes, a.overrides) == (
            b.seed, b.rows, b.prefixes, b.overrides)

    def with_a_say(self):
        return self.live - self.gone


class Queue:
    """The newest function first."""

    def __init__(self):
        self.functions = []
        self.pushed = 0

    def push(self, pool):
        down = {s.id for s in pool.servers() if s.state == "down"}
        for older in self.functions:
            older.gone |= down
        self.functions.insert(0, Function(self.pushed, pool))
        self.pushed += 1
        at = 1
        while at < len(self.functions):
            if self.adds_nothing(at):
                del self.functions[at]
            else:
                at += 1

    def adds_nothing(self, at):
        past, newer = self.functions[at], self.functions[at - 1::-1]
        if not past.with_a_say():
            return True
        if past.pool.kind == "mod":
            return self.succeeds(past, newer[0])
        for function in [past] + newer:
            if function.owners.live and function.shares_rows(past):
                function.owners.rank([r for r in range(past.pool.rows)
                                      if r not in function.owners.by_row])
        return all(self.repeated(past, newer, row, named)
                   for named in {None, *past.pool.overrides.values()}
                   for row in range(past.pool.rows))

    @staticmethod
    def repeated(past, newer, row, named):
        said = past.of_row(row, named)
        if said is None:
            return True
        for function in newer:
            if not function.shares_rows(past):
                return False
            if function.of_row(row, named) is not None:
                return function.of_row(row, named) == said
        return False

    @staticmethod
    def succeeds(past, following):
        a, b = past.pool, following.pool
        return (a.kind == b.kind and a.prefixes == b.prefixes and a.overrides == b.overrides
                and a.by_id.keys() == b.by_id.keys()
                and following.live <= past.live
                and past.with_a_say() <= following.with_a_say())

    def chain(self, client):
        """The owners with their ages, and the oldest one."""
        chain, oldest = {}, None
        for age, function in enumerate(self.functions):
            owner = function.of(client)
            if owner is not None:
                chain.setdefault(owner, age)
                oldest = owner
        return chain, oldest
