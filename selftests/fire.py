#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Random steps in the life of two dispatchers, and what ends while something else is going on,
all under traffic from each processor.

	fire.py [--seed N] [--steps N] [--exact N]

Speaks KTAP; each step goes to the standard error. The same seed makes the same steps. --exact: how
often to stop the traffic and add the counters up.
"""

import argparse
import os
import sys
import time

from expect import Failure
from life import killers, lies
from life.fire import Fire

# Steps before memory is looked at first: what the kernel keeps for good, it has by then.
WARM_UP = 100


def make(fire, given):
    """The steps, in words."""
    begun = time.monotonic()
    fire.begin(given.seed)
    number = 0
    try:
        for number in range(1, given.steps + 1):
            fire.step(number)
            if number % given.exact == 0:
                fire.at_rest()
            if number == WARM_UP:
                before = fire.again()
                yield "nothing more: " + fire.again().words(before)
        yield "seed {}: {} steps more: {}".format(given.seed, given.steps - WARM_UP, fire.flat(before))
    except (Failure, OSError) as reason:
        raise Failure(f"step {number} of seed {given.seed}: {reason}") from reason
    took = time.monotonic() - begun
    yield f"{given.steps} steps in {took:.0f} s, up to {fire.functions} functions: {words(fire.kinds)}"
    yield "at rest: " + words(fire.counted)


def words(counter):
    return ", ".join(f"{name} {count}" for name, count in counter.most_common())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=os.environ.get("FIRE_SEED", "1997"))
    parser.add_argument("--steps", type=int, default=os.environ.get("FIRE_STEPS", "300"))
    parser.add_argument("--exact", type=int, default=50)
    given = parser.parse_args()
    if given.steps <= WARM_UP:
        parser.error(f"--steps '{given.steps}' must be more than {WARM_UP}")
    cases = {
        "control: what is wrong is found": lambda fire: [lies.all_found(fire)],
        f"{given.steps} steps of seed {given.seed}": lambda fire: make(fire, given),
        **{name: lambda fire, case=case: case(fire) or [] for name, case in killers.ALL.items()},
    }
    print(f"KTAP version 1\n1..{len(cases)}", flush=True)
    failures = 0
    fire = Fire()
    for number, (name, case) in enumerate(cases.items(), 1):
        begun = time.monotonic()
        try:
            for said in case(fire):
                print(f"# {said}", flush=True)
            fire.at_rest()
            print(f"ok {number} - any any fire: {name}", flush=True)
        except (Failure, OSError) as reason:
            failures += 1
            print(f"not ok {number} - any any fire: {name}\n# | {reason}", flush=True)
        print(f"== fire: {name}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    fire.end()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
