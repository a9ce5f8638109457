# SPDX-License-Identifier: GPL-2.0
"""What streams.py compares after a change: who is to serve whom, by `lookup`, now and
before; and what stacks and module had counted."""

import json


class Account:
    def __init__(self):
        self.owners, self.older = {}, {}  # by client: the newest's owner, and those of older functions
        self.before, self.earlier = {}, {}  # owners before this change, and before the one before
        self.ended = self.previous = 0.0  # when this change had settled, and the one before
        self.resets, self.newest, self.olds = {}, 0, 0

    def know(self, file):
        with open(file) as lookup:
            known = json.load(lookup)
        self.owners = {one["client"]: one["owner"] for one in known}
        self.older = {one["client"]: one["older"] for one in known}

    def lines(self):
        """In words: client, owner, those by older functions with commas."""
        for client, owner in self.owners.items():
            yield client, owner or "-", ",".join(self.older[client])

    def change(self):
        """What is known now is what was before the change that begins."""
        self.earlier, self.before, self.previous = self.before, self.owners, self.ended

    def moved(self):
        """Clients whose connections have several owners."""
        return {client for client, older in self.older.items() if older}

    def start(self, report):
        self.resets = report["resets"]
        self.newest, self.olds = self.packets(report)

    @staticmethod
    def packets(report):
        """Of clients that move: by the newest function, and by older ones."""
        return report["counters"].get("newest", 0), report["counters"].get("older", 0)

    def harm(self, report):
        """What has broken, and who has sent or got a reset, in words."""
        seen = {name: report[name] for name in ("broken", "broken_clients", "failed") if report[name]}
        if report["resets"] != self.resets:
            seen |= {"resets": report["resets"], "before": self.resets, "repeated": report["repeated"]}
        return json.dumps(seen) if seen else None

    def misplaced(self, known, begun, ended, allowed):
        """The first new connection that is not on the owner that was the newest then.
        Those of the time of the change may be on either; where packets are lost, one can
        be older than the change before. Allowed "chain": on any owner at all."""
        self.ended = ended
        for one in known:
            now = self.owners[one.client]
            if (
                (one.known_at >= begun and one.server == now)
                or (one.begun <= ended and one.server == self.before[one.client])
                or (one.begun <= self.previous and one.server == self.earlier.get(one.client))
                or (allowed == "chain" and one.server in (now, *self.older[one.client]))
            ):
                continue
            return (
                f"{one.client} began {one.begun - begun:.2f} s after the change, is on {one.server}, "
                f"not on {now}, before {self.before[one.client]}"
            )
        return None if known else "no new connection"

    def moves(self, streams, report):
        """Were both functions used, by enough streams? In words, and what was not so."""
        moved = self.moved()
        moving = sum(one.client in moved for one in streams)
        elsewhere = sum(one.server != self.owners[one.client] for one in streams)
        newest, olds = self.packets(report)
        words = (
            f"{len(streams)} streams, {moving} on moved keys, {elsewhere} on older owners; "
            f"packets by older {olds - self.olds}, newest {newest - self.newest}; "
            f"{report['answers']} answers a second each, longest pause {report['pause']} s, "
            f"{sum(report['repeated'].values())} segments repeated so far"
        )
        wrong = None
        if moving * 4 < len(streams):
            wrong = "too few streams are on keys that move"
        elif not elsewhere:
            wrong = "no stream is on an older owner"
        elif newest <= self.newest:
            wrong = "no packet went by the newest function"
        elif olds <= self.olds:
            wrong = "no packet went by an older function"
        self.newest, self.olds = newest, olds
        return words, wrong
