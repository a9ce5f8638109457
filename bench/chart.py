# SPDX-License-Identifier: GPL-2.0
"""The rows' d as bars, least first: what dispatches, and what a member in mode
broadcast does. A page of code, against a library that the kit would have to hold."""

# Blue and orange tell apart for the colour-blind, too; ours are darker.
COLOURS = {"v4": ("#77aadd", "#225588"), "v6": ("#eecc88", "#cc6622")}
LEFT, WIDTH, BAR, GAP, TOP = 230, 560, 9, 8, 56


def svg(names, kernel):
    # What drops at once is 0, and other sizes have other floors.
    shown = {name: rows for name, rows in names.items() if not name.startswith("drop")}
    groups = [
        ("to another host", {n: r for n, r in shown.items() if not n.startswith(("bcast", "other"))}),
        ("packets that are not for the ghost", {n: r for n, r in shown.items() if n.startswith("other")}),
        ("broadcast: kept or dropped", {n: r for n, r in shown.items() if n.startswith("bcast")}),
    ]
    most = max(row["d"] for rows in shown.values() for row in rows.values())
    marks, y = [], TOP
    for title, rows in groups:
        marks.append(f'<text x="{LEFT}" y="{y + 12}" font-weight="bold">{title}</text>')
        y += 24
        for name, row in sorted(rows.items(), key=lambda it: min(r["d"] for r in it[1].values())):
            y = bars(marks, y, name, row, most)
        y += 16
    legend = "".join(
        f'<rect x="{LEFT + 70 * i}" y="32" width="10" height="10" fill="{COLOURS[family][1]}"/>'
        f'<text x="{LEFT + 70 * i + 15}" y="41">IP{family}</text>' for i, family in enumerate(COLOURS))
    legend += f'<text x="{LEFT + 140}" y="41">dark: onehop</text>'
    return "\n".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 60} {y}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="14">Instructions per packet more than a drop at once, '
        f'{kernel}</text>',
        legend, *marks, "</svg>", ""))


def bars(marks, y, name, rows, most):
    """One row's, from y on; returns where the next begins."""
    height = len(rows) * BAR
    marks.append(f'<text x="{LEFT - 8}" y="{y + height / 2 + 4:.0f}" text-anchor="end">{name}</text>')
    for family, row in rows.items():
        length = max(row["d"], 0) / most * WIDTH
        colour = COLOURS[family]["onehop" in name]
        marks.append(f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR - 1}" fill="{colour}"/>'
                     f'<text x="{LEFT + length + 4:.1f}" y="{y + BAR - 1}" font-size="9">{row["d"]}</text>')
        y += BAR
    return y + GAP
