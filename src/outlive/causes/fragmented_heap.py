"""Memory that was given back and cannot be used again."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy, size
from outlive.unit import BEHIND_MEMORY, cause

#: Of the process's own memory: less than this lies free in any heap.
LARGE_PART = 0.4
#: Without the holes the program would have been this far from its limit, of it: then nothing else can have been the reason.
FAR_FROM_THE_LIMIT = 0.6

IN_THE_HEAP = (
    Remedy(
        "Use fewer heaps, and hand large blocks back at once.",
        ("MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=100000 outlive run …",),
    ),
    Remedy(
        "Or let Outlive hand back what is free as memory grows.",
        ("outlive run --heal …",),
        safe=True,
    ),
    Remedy(
        "Or hand back what is free every few hundred steps.",
        ('ctypes.CDLL("libc.so.6").malloc_trim(0)',),
    ),
    Remedy("Or use another allocator.", ("LD_PRELOAD=libjemalloc.so.2 outlive run …",)),
)
IN_SMALL_PIECES = (
    Remedy("Take the few that are kept from a generator, so that the many never live at once."),
    Remedy("Or make and drop the many in a worker process, and send the few back."),
    Remedy("Or keep copies of the few, made after the many are gone."),
)


@cause(
    "D116",
    since="0.2",
    behind=(*BEHIND_MEMORY, "native-leak"),
    searched=(
        "python memory not released after del",
        "gc.collect does not free memory",
        "MALLOC_ARENA_MAX malloc_trim python",
        "tensorflow memory leak",
    ),
)
def fragmented_heap(evidence: Evidence) -> Iterator[Finding]:
    """The program had given memory back, but in pieces between things that it kept: the allocator could not return it.

    ## What happened
    Blocks of changing sizes are made and freed, and small ones among them live on. The C library's heap is then full of holes: too small
    for the next block, too broken up to be returned to the kernel. What the program uses stays the same; what it occupies grows. Many
    threads make it worse, since each has a heap of its own. Python's own allocator of small objects (up to 512 bytes: numbers, short texts,
    tuples) is the same on a smaller scale: one object that lives on keeps a megabyte from being returned.

    ## How we know
    When memory was in danger, and before a request was refused (a call that fails gives back what it held), the accounts of the C library (`mallinfo2`) and of Python's allocator (`sys._debugmallocstats`) showed a large
    part of the process's memory as free. It is proven when the program without that part would have been far from its limit. The line is the one that keeps the most small
    pieces, else the one that ran while memory grew.

    ## What to do
    Use fewer heaps (`MALLOC_ARENA_MAX=2`), hand back what is free from time to time (`malloc_trim`), or use another allocator (jemalloc).
    Better still: work in a worker process that ends, or keep copies of small results instead of views or pieces made between large ones.
    Holes in Python's own allocator only that avoids: do not make millions of small objects at once of which a few are kept (a generator
    instead of a list, an array instead of tuples), or make copies of the few before the many are dropped.
    """
    for pid in evidence.exhausted():
        last = evidence.last_ledger(pid)
        if last is None or last.heap_free_bytes is None or last.heap_used_bytes is None:
            continue
        free = last.holes
        if free < LARGE_PART * last.own_bytes:
            continue
        by_python = last.holes_in_arenas > last.holes_in_heap
        keeper = evidence.keeps_small_pieces(pid)
        between = (
            (Fact(f"kept in `{keeper.name}`", f"{keeper.counted} small pieces", "census"),)
            if keeper
            else ()
        )
        yield Finding(
            f"Of the program's {size(last.own_bytes)} {'Python' if by_python else 'the C library'}'s "
            f"{'allocator of small objects' if by_python else 'heap'} held {size(free)} that the program had given back already.",
            (
                Fact("memory free in the heap", last.heap_free_bytes, "mallinfo2, fordblks"),
                Fact(
                    "memory free in Python's allocator",
                    last.holes_in_arenas,
                    "sys._debugmallocstats",
                ),
                Fact(
                    "memory in use in the heap",
                    last.heap_used_bytes,
                    "mallinfo2, uordblks + hblkhd",
                ),
                Fact("memory of the process alone", last.own_bytes, "/proc/self/statm"),
                *between,
                *evidence.because("memory limit", "peak memory", "last line seen"),
            ),
            Confidence.PROVEN
            if last.own_bytes - free <= FAR_FROM_THE_LIMIT * last.limit_bytes
            else Confidence.LIKELY,
            IN_SMALL_PIECES if by_python else IN_THE_HEAP,
            where=keeper.feeds if keeper else evidence.growing_line(pid),
        )
