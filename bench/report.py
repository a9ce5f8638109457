#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""report.py ROWS JSON: the guest's rows as a table, and as a file for machines.

d is what a row costs more than `drop`, the same packets thrown away where the
host first sees them; a family's generator and links cost the same in all its
rows. The ratio is d against d of onehop in router mode.
"""

import json
import sys


def read(lines):
    kernel, rows = None, []
    for words in map(str.split, lines):
        if words[:1] == ["kernel"]:
            kernel = words[1]
        elif words[:1] == ["row"]:
            rows.append({"name": words[1], "family": words[2], "total": int(words[3])})
    floor = {row["family"]: row["total"] for row in rows if row["name"] == "drop"}
    for row in rows:
        row["d"] = row["total"] - floor[row["family"]]
    return {"kernel": kernel, "rows": rows}


def table(rows):
    onehop = {row["family"]: row["d"] for row in rows if row["name"] == "onehop"}
    yield f"{'ratio':>6} {'d':>6} {'total':>6}  instructions per packet"
    for row in rows:
        ratio = row["d"] / onehop[row["family"]]
        yield f"{ratio:6.2f} {row['d']:6} {row['total']:6}  {row['family']} {row['name']}"


def main():
    _, source, target = sys.argv
    with open(source) as lines:
        bench = read(lines)
    with open(target, "w") as file:
        json.dump(bench, file, indent=1)
        file.write("\n")
    print(f"kernel {bench['kernel']}")
    print(*table(bench["rows"]), sep="\n")


if __name__ == "__main__":
    main()
