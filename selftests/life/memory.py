# SPDX-License-Identifier: GPL-2.0
"""What the kernel holds, cache by cache, when nothing of the test is there any more."""

import glob
import os

# What an idle round, in which all is built up and taken down, was seen to add: 30 objects of a
# cache, 24 kB for processors. One object a change, or one a life of the module in 10,000 steps,
# is more than is allowed.
OBJECTS = 64
KILOBYTES = {"Percpu": 128, "VmallocUsed": 128}
# Kept for the next one who wants as much; VmallocUsed says what is in use. And names and files that
# are known still, as each look into /proc leaves some: 49 of an idle round.
SPARE = {"vmap_area", "dentry", "lsm_inode_cache", "proc_inode_cache"}


def settle():
    """Gives back what is only kept for speed: dead entries, the objects of processors, empty slabs."""
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3")
    for name in glob.glob("/sys/kernel/slab/*/shrink"):
        # Names of merged caches are links.
        if not os.path.islink(os.path.dirname(name)):
            with open(name, "w") as file:
                file.write("1")


class Held:
    """Objects in use by cache, and kilobytes of what is no slab."""

    def __init__(self):
        settle()
        with open("/proc/slabinfo") as file:
            rows = [line.split() for line in file if not line.startswith(("#", "slabinfo"))]
        self.objects = {row[0]: int(row[1]) for row in rows if row[0] not in SPARE}
        with open("/proc/meminfo") as file:
            rows = dict(line.split(":") for line in file)
        self.kilobytes = {name: int(rows[name].split()[0]) for name in ("SUnreclaim", *KILOBYTES)}

    def more(self, before):
        """How much more than before, by name; the greatest first."""
        grown = {name: count - before.objects.get(name, 0) for name, count in self.objects.items()}
        return dict(sorted(grown.items(), key=lambda it: -it[1]))

    def too_much(self, before):
        """What has grown beyond what is allowed; empty if nothing."""
        found = {name: more for name, more in self.more(before).items() if more > OBJECTS}
        for name, allowed in KILOBYTES.items():
            if self.kilobytes[name] > before.kilobytes[name] + allowed:
                found[name] = self.kilobytes[name] - before.kilobytes[name]
        return found

    def words(self, before):
        most = [f"{name} {more:+}" for name, more in list(self.more(before).items())[:3]]
        return ", ".join([f"{name} {count - before.kilobytes[name]:+} kB" for name, count in self.kilobytes.items()]
                         + most) + " objects"
