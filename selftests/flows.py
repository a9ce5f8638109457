#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Many downloads at once, each held against the file it should be.

	flows.py ADDRESS PATH FILE PER_SOURCE PROGRESS SOURCE...

PROGRESS is rewritten as downloads go on: flows begun, per cent of all bytes.
The last line printed is "N whole, M broken"; exit code 1 if any is broken.
Connections stay open until PROGRESS is removed after that: what is counted up
to then is about the flows, not about their end.
"""

import asyncio
import collections
import os
import sys
import time

LIMIT = 100  # seconds: a flow that hangs is broken


class Flows:
    def __init__(self, address, path, content, progress):
        self.address, self.path, self.content, self.progress = address, path, content, progress
        self.begun = self.bytes = self.whole = 0
        self.total = 0
        self.broken = collections.Counter()
        self.open = []

    def report(self):
        with open(self.progress + ".new", "w") as file:
            print(self.begun, 100 * self.bytes // (self.total * len(self.content)), file=file)
        os.rename(self.progress + ".new", self.progress)

    async def one(self, source):
        reader, writer = await asyncio.open_connection(self.address, 80, local_addr=(source, 0))
        self.open.append(writer)
        writer.write(f"GET {self.path} HTTP/1.0\r\nHost: ghost\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head.split(b"\r\n")[0]:
            raise ConnectionError(head.split(b"\r\n")[0].decode())
        self.begun += 1
        body = bytearray()
        while chunk := await reader.read(65536):
            body += chunk
            self.bytes += len(chunk)
        if body != self.content:
            raise ConnectionError(f"{len(body)} bytes of {len(self.content)}, or other bytes")

    async def judged(self, source):
        try:
            async with asyncio.timeout(LIMIT):
                await self.one(source)
            self.whole += 1
        except (OSError, EOFError) as error:
            self.broken[f"{type(error).__name__}: {error}"] += 1

    async def all(self, sources):
        self.total = len(sources)

        async def reporting():
            while True:
                self.report()
                await asyncio.sleep(0.1)

        reporter = asyncio.create_task(reporting())
        await asyncio.gather(*(self.judged(source) for source in sources))
        reporter.cancel()
        self.report()
        for reason, count in self.broken.items():
            print(f"{count} times {reason}")
        print(f"{self.whole} whole, {self.broken.total()} broken", flush=True)
        deadline = time.monotonic() + LIMIT
        while os.path.exists(self.progress) and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        for writer in self.open:
            writer.close()


def main():
    address, path, file, per_source, progress = sys.argv[1:6]
    with open(file, "rb") as content:
        flows = Flows(address, path, content.read(), progress)
    asyncio.run(flows.all(sys.argv[6:] * int(per_source)))
    return 1 if flows.broken or not flows.whole else 0


if __name__ == "__main__":
    sys.exit(main())
