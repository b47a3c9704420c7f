"""Memory that was given back and cannot be used again."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import (
    LAST_LINE_SEEN,
    MEMORY_FREE_IN_PYTHONS_ALLOCATOR,
    MEMORY_FREE_IN_THE_HEAP,
    MEMORY_IN_USE_IN_THE_HEAP,
    MEMORY_LIMIT,
    PEAK_MEMORY,
    PRIVATE_MEMORY_OF_THE_PROCESS,
)
from outlive.model.findings import Confidence, Fact, Finding, Remedy, size
from outlive.units.unit import BEHIND_MEMORY, cause

#: Of the process's own memory: less than this lies free in any heap.
LARGE_PART = 0.4
#: Without the holes the program would have been this far from its limit, of it: then nothing else can have been the reason.
FAR_FROM_THE_LIMIT = 0.6

IN_THE_HEAP = (
    Remedy(
        "Use fewer heaps, and return large blocks at once.",
        ("MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=100000 outlive run …",),
    ),
    Remedy(
        "Or let Outlive return free memory as memory grows.",
        ("outlive run --heal …",),
        safe=True,
    ),
    Remedy(
        "Or return free memory every few hundred steps.",
        ('ctypes.CDLL("libc.so.6").malloc_trim(0)',),
    ),
    Remedy("Or use another allocator.", ("LD_PRELOAD=libjemalloc.so.2 outlive run …",)),
)
KEEPS_MORE = (
    Remedy(
        "Find what the program keeps more and more of, and bound it: without that, no repair of the heap lasts."
    ),
)
IN_SMALL_PIECES = (
    Remedy(
        "Take the few you keep from a generator, so that the many never exist at the same time."
    ),
    Remedy("Or create and drop the many in a worker process, and send the few back."),
    Remedy("Or keep copies of the few, made after the many are freed."),
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
    """The program had freed memory, but in pieces between blocks that it kept, so the allocator could not return it to Linux.

    ## What happened
    Blocks of changing sizes are made and freed, and small ones among them live on. The C library's heap is then full of holes: too small
    for the next block, too fragmented to be returned to Linux. What the program uses stays the same; what it occupies grows. Many
    threads make it worse, since each has a heap of its own. Python's own allocator of small objects (up to 512 bytes: numbers, short texts,
    tuples) is the same on a smaller scale: one object that lives on keeps a megabyte from being returned.

    ## How we know
    When memory was high, and before a request was refused (a call that fails frees what it held), the
    statistics of the C library (`mallinfo2`) and of Python's allocator (`sys._debugmallocstats`) showed a large part of
    the process's memory as free. The cause is proven if the program without that part would have been far from its
    limit and what it really used did not grow. (A program that keeps more and more reaches any limit; holes only make
    it happen sooner.) The line is the one that keeps the most small blocks, otherwise the one that ran while memory
    grew.

    ## What to do
    Use fewer heaps (`MALLOC_ARENA_MAX=2`), return free pages to Linux from time to time (`malloc_trim`), or use another
    allocator (jemalloc). Better still: do the work in a process that ends, or keep copies of small results instead of
    views or blocks allocated between large ones. For holes in Python's own allocator only this helps: do not create
    millions of small objects of which a few are kept (use a generator instead of a list, an array instead of tuples),
    or copy the few before the many are freed.
    """
    for pid in evidence.memory.exhausted():
        last = evidence.growth.last_ledger(pid)
        if last is None or last.heap_free_bytes is None or last.heap_used_bytes is None:
            continue
        free = last.holes
        if free < LARGE_PART * last.own_bytes:
            continue
        by_python = last.holes_in_arenas > last.holes_in_heap
        keeper = evidence.growth.keeps_small_pieces(pid)
        between = (
            (
                Fact(
                    f"kept in `{keeper.name}`",
                    f"{keeper.counted} small pieces",
                    "in-process heap scan",
                ),
            )
            if keeper
            else ()
        )
        use = evidence.growth.use(pid)
        grows = use is not None and use.grows
        also = (
            f" What it still used grew as well, from {size(use.before)} to {size(use.now)}: the holes only brought the limit nearer."
            if use is not None and grows
            else ""
        )
        alone = use is not None and not grows
        yield Finding(
            f"Of the program's {size(last.own_bytes)} {'Python' if by_python else 'the C library'}'s "
            f"{'allocator of small objects' if by_python else 'heap'} held {size(free)} that the program had already freed.{also}",
            (
                Fact(MEMORY_FREE_IN_THE_HEAP, last.heap_free_bytes, "mallinfo2, fordblks"),
                Fact(
                    MEMORY_FREE_IN_PYTHONS_ALLOCATOR,
                    last.holes_in_arenas,
                    "sys._debugmallocstats",
                ),
                Fact(
                    MEMORY_IN_USE_IN_THE_HEAP,
                    last.heap_used_bytes,
                    "mallinfo2, uordblks + hblkhd",
                ),
                Fact(PRIVATE_MEMORY_OF_THE_PROCESS, last.own_bytes, "/proc/self/statm"),
                *between,
                *evidence.run.because(MEMORY_LIMIT, PEAK_MEMORY, LAST_LINE_SEEN),
            ),
            Confidence.PROVEN
            if alone and last.own_bytes - free <= FAR_FROM_THE_LIMIT * last.limit_bytes
            else Confidence.LIKELY,
            (*(KEEPS_MORE if grows else ()), *(IN_SMALL_PIECES if by_python else IN_THE_HEAP)),
            where=keeper.feeds if keeper else evidence.growth.growing_line(pid),
        )
