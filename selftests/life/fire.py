# SPDX-License-Identifier: GPL-2.0
"""The bed under traffic, the steps made in it, and what is looked at besides them."""

import collections
import sys
import time

from expect import Failure
from life import module
from life.bed import Bed, exact
from life.memory import Held
from life.steps import Steps


class Fire:
    def __init__(self):
        self.bed = Bed()
        self.steps = Steps(self.bed.hosts)
        self.packets = processed()
        self.begin(0)

    def begin(self, seed):
        """Anew, with other steps."""
        self.kinds = collections.Counter()
        self.counted = collections.Counter()
        self.functions = 0  # the most that a pool had
        self.steps.chance.seed(seed)
        self.steps.end()
        self.steps.begin()

    def step(self, number):
        said = self.steps.step()
        print(f"{number}: {said}", file=sys.stderr, flush=True)
        self.kinds[said.split(": ")[0].split(" ", 1)[-1].split(" ")[0]] += 1
        self.steps.check()
        for model in self.steps.models.values():
            self.functions = max([self.functions, *(1 + len(pool.older) for pool in model.pools.values())])

    def at_rest(self):
        """Each processor has had its part, and the counters are exact."""
        module.wait("a packet on each processor",
                    lambda: all(now > before for before, now in zip(self.packets, processed())))
        self.bed.pause()
        try:
            for host in self.bed.hosts:
                if host.name in self.steps.models:
                    self.counted.update({name: count for name, count in exact(host.name).items() if count})
        finally:
            self.bed.go_on()
        self.packets = processed()

    def again(self):
        """All is taken down, and built up anew; what is held in between."""
        self.bed.pause()
        self.steps.end()
        held = Held()
        self.steps.begin()
        self.bed.go_on()
        return held

    def flat(self, before):
        """Holds no more than then; what is only on its way out is given time. In words."""
        deadline = time.monotonic() + module.PATIENCE
        while (held := self.again()).too_much(before):
            if time.monotonic() > deadline:
                raise Failure(f"memory grows: {held.too_much(before)}")
        return held.words(before)

    def end(self):
        self.bed.pause()
        self.steps.end()
        self.bed.end()


def processed():
    """Packets that each processor has taken in."""
    with open("/proc/net/softnet_stat") as file:
        return [int(line.split()[0], 16) for line in file]
