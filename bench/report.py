#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""report.py ROWS JSON SVG: the guest's rows as a table, for machines, and as a picture.

d is what a row costs more than `drop`, the same packets thrown away where the
host first sees them; a family's generator and links cost the same in all its
rows. The ratio is d against d of onehop in router mode.
"""

import json
import sys

import chart

FAMILIES = ("v4", "v6")


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


def by_name(rows):
    """{name: {family: row}}, in the order measured."""
    names = {}
    for row in rows:
        names.setdefault(row["name"], {})[row["family"]] = row
    return names


def table(names):
    onehop = {family: row["d"] for family, row in names["onehop"].items()}
    yield "    ratio            d         total     instructions per packet"
    yield "   v4    v6     v4    v6     v4    v6"
    for name, rows in names.items():
        cells = [f"{rows[it]['d'] / onehop[it]:5.2f}" if it in rows else 5 * " " for it in FAMILIES]
        for key in ("d", "total"):
            cells += [f"{rows[it][key]:5}" if it in rows else 5 * " " for it in FAMILIES]
        yield "{} {}  {} {}  {} {}  {}".format(*cells, name)


def main():
    _, source, target, picture = sys.argv
    with open(source) as lines:
        bench = read(lines)
    names = by_name(bench["rows"])
    print(f"kernel {bench['kernel']}")
    print(*table(names), sep="\n")
    with open(picture, "w") as file:
        file.write(chart.svg(names, bench["kernel"]))
    # Last: whoever finds it finds all.
    with open(target, "w") as file:
        json.dump(bench, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
