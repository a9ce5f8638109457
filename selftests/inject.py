# SPDX-License-Identifier: GPL-2.0
"""Allocations that fail, one after another: the kernel's own fault injection (fail-nth of a task,
Documentation/fault-injection), confined to what the module asks for, with what tracing says of each.

Of a sanitised kernel only (kit/sanitised): no other has FAILSLAB. The module is the only one there.
"""

import importlib.machinery
import os
import re
import threading
from collections import Counter

DEBUG = "/sys/kernel/debug"
TRACING = "/sys/kernel/tracing"
# Where x86-64 has modules, at an address that is not random.
MODULES = 0xFFFFFFFFA0000000, 0xFFFFFFFFFF000000
# Objects; and pages, for large ones, or when a slab has no object left, which is not every time.
KINDS = SLABS, PAGES = "failslab", "fail_page_alloc"
# Of objects, and of large ones, too; of pages that are refused tracing says nothing.
EVENTS = "kmalloc", "kmem_cache_alloc"
LARGEST_OBJECT = 8192  # whoever asks for more, gets pages
EVENT = re.compile(r"^.*: (" + "|".join(EVENTS) + r"): (.*)$")
NOTHING = re.compile(r"\bptr=(0+|\(null\))\s")
OURS = re.compile(r"(control|state|hooks|ffi)::")
# The validators' own notes of an allocation are not the module's; they have reserves of their own.
OTHERS = re.compile(r"kmemleak|__alloc_object|__create_object|debug_object|fill_pool|stack_depot|kasan_save")


def put(path, text):
    with open(path, "w") as file:
        file.write(str(text))


def readable(symbol):
    """Of a mangled Rust name (v0) the path, without crates' hashes and types."""
    name = symbol.split("+")[0].split(" ")[0]
    if not name.startswith("_R"):
        return name
    name, found, at = re.sub(r"Cs\w*?_(?=\d)", "", name), [], 0
    while at < len(name):
        number = re.match(r"(\d+)_?", name[at:])
        if number:
            at += number.end()
            found.append(name[at:at + int(number[1])])
            at += int(number[1])
        else:
            at += 1
    return "::".join(it for it in found if it != "onehop")


class Allocation:
    """One that the module asked for, by what tracing says."""

    def __init__(self, said, stack):
        self.stack = stack
        self.is_object = int(re.search(r"bytes_req=(\d+)", said)[1]) <= LARGEST_OBJECT
        self.failed = bool(NOTHING.search(said))
        ours = [at for at, frame in enumerate(stack) if "[onehop]" in frame or is_module(frame)]
        self.is_ours = bool(ours) and not any(OTHERS.search(frame) for frame in stack[:ours[0]])
        # Code of an insmod that failed is gone when the trace is read, and so are its names.
        self.site, self.is_nameless = "", any(map(is_module, stack))
        if ours:
            # Rather who wants a vector than the code of vectors.
            by = next((at for at in ours if OURS.match(readable(stack[at]))), ours[0])
            name = "the module" if is_module(stack[by]) else readable(stack[by])
            asked = readable(stack[ours[0] - 1]) if ours[0] else "?"
            self.site = f"{name}+{stack[by].partition('+')[2].partition('/')[0]} > {asked}"


def is_module(frame):
    return re.match(r"^0x[0-9a-f]+$", frame) is not None and MODULES[0] <= int(frame, 16) < MODULES[1]


def allocations(trace):
    """The module's, in order."""
    found = []
    for line in trace.splitlines():
        begins = EVENT.match(line)
        if begins:
            found.append((begins[2], []))
        elif found and line.lstrip().startswith("=> "):
            found[-1][1].append(line.lstrip()[3:].strip())
    return [it for it in (Allocation(*event) for event in found) if it.is_ours]


class Injection:
    """The faults of this task. One for the whole process, which has one thread."""

    def __init__(self):
        begin, end = kmemleak()
        for kind in KINDS:
            folder = f"{DEBUG}/{kind}"
            put(f"{folder}/ignore-gfp-wait", "N")
            put(f"{folder}/verbose", 0)
            put(f"{folder}/stacktrace-depth", 32)
            put(f"{folder}/reject-start", hex(begin))
            put(f"{folder}/reject-end", hex(end))
        put(f"{DEBUG}/fail_page_alloc/ignore-gfp-highmem", "N")
        put(f"{DEBUG}/fail_page_alloc/min-order", 0)
        put(f"{TRACING}/tracing_on", 0)
        put(f"{TRACING}/set_event_pid", os.getpid())
        put(f"{TRACING}/options/stacktrace", 1)
        put(f"{TRACING}/options/sym-offset", 1)
        put(f"{TRACING}/buffer_size_kb", 8192)
        for event in EVENTS:
            put(f"{TRACING}/events/kmem/{event}/enable", 1)
        self.nth = os.open(f"/proc/self/task/{threading.get_native_id()}/fail-nth", os.O_RDWR)
        self.trace = os.open(f"{TRACING}/tracing_on", os.O_WRONLY)
        self.log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        here = os.path.dirname(os.path.abspath(__file__))
        loader = importlib.machinery.SourceFileLoader("verdict", f"{here}/vm/verdict")
        self.complaint = loader.load_module().COMPLAINTS
        self.complaints()

    def only(self, kind):
        """From now on no other fails, nor is it counted."""
        for it in KINDS:
            put(f"{DEBUG}/{it}/require-start", hex(MODULES[0] if it == kind else 1))
            put(f"{DEBUG}/{it}/require-end", hex(MODULES[1] if it == kind else 1))

    def traced(self, call, nth=0):
        """The call's result, the module's allocations in it, and how many of them could have failed
        before the nth; None if that did fail."""
        put(f"{TRACING}/trace", "")
        os.pwrite(self.trace, b"1", 0)
        os.pwrite(self.nth, str(nth).encode(), 0)
        try:
            result = call()
        finally:
            left = int(os.pread(self.nth, 32, 0))
            os.pwrite(self.nth, b"0", 0)
            os.pwrite(self.trace, b"0", 0)
        with open(f"{TRACING}/trace", errors="replace") as file:
            return result, allocations(file.read()), nth - left if left or not nth else None

    def complaints(self):
        """What the kernel has said since, but that memory was short: it shows a stack then, too."""
        found = []
        while True:
            try:
                said = os.read(self.log, 8192).decode(errors="replace").split("\n")[0].partition(";")[2]
            except BlockingIOError:
                return found
            if self.complaint.search(said) and "Call Trace" not in said:
                found.append(said)


def kmemleak():
    """From where to where the code lies that keeps kmemleak's notes."""
    with open("/proc/kallsyms") as file:
        lines = [line.split() for line in file]
    lines = sorted((int(at, 16), name) for at, kind, name, *module in lines if kind in "tT" and not module)
    ours = [at for at, (_, name) in enumerate(lines) if name in ("__alloc_object", "mem_pool_alloc", "__link_object")]
    if not ours:
        raise SystemExit("inject.py: kmemleak's functions are not in /proc/kallsyms")
    return lines[ours[0]][0], lines[ours[-1] + 1][0]


def counted(sites):
    return Counter(it.site for it in sites)
