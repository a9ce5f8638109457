#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""What the kernel holds, against what it held before.

	held.py save FILE
	held.py compare FILE	exit code 1 and the reason if it is too much more
"""

import pickle
import sys

from life.memory import Held


def main():
    verb, name = sys.argv[1:]
    held = Held()
    if verb == "save":
        with open(name, "wb") as file:
            pickle.dump(held, file)
        return 0
    with open(name, "rb") as file:
        before = pickle.load(file)
    print(held.words(before))
    if more := held.too_much(before):
        print(f"memory grows: {more}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
