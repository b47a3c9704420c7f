"""Native code keeps memory that Python does not know of."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy, size
from outlive.unit import BEHIND_MEMORY, cause

#: Of the growth: the rest is error of samples and the noise of any program.
MOST_OF_THE_GROWTH = 0.6
#: Of the growth malloc must have handed out as much: pages that are touched for the first time were asked for long before.
HANDED_OUT = 0.5
#: Of the limit: blocks as large as this are arrays in the making, which no Python object owns yet. A leak is many small ones.
LARGE_BLOCK = 0.04


@cause(
    "D115",
    since="0.2",
    behind=BEHIND_MEMORY,
    searched=(
        "RSS grows but tracemalloc shows nothing",
        "memory leak in C extension python",
        "ctypes memory never freed",
        "tensorflow memory leak",
    ),
)
def native_leak(evidence: Evidence) -> Iterator[Finding]:
    """Memory grew outside Python's objects and outside TensorFlow's allocator: native code keeps it.

    ## What happened
    A library written in C or C++ (called through an extension or ctypes) asked for memory and did not give it back: it leaks, or it
    keeps what it was told to keep (a database in memory, a decoder, a handle that nobody closed). `del` and `gc.collect()` do not help,
    since no Python object owns it.

    ## How we know
    When memory was in danger, all of Python's objects, texts and arrays were counted more than once, together with the bytes that
    TensorFlow's allocator had handed out and those that malloc held free. They account for little of the growth, and new addresses were
    taken as it grew: one large array that is being filled is no leak. The line is the one
    that ran while memory grew; what it calls is named when it can be told.

    ## What to do
    Close or free what that line opens (`close()`, `release()`, a `with` block). If the library leaks, update it, or run it in a worker
    process that is replaced from time to time (`multiprocessing.Pool(maxtasksperchild=…)`).
    """
    for pid in evidence.exhausted():
        looks = evidence.looks.get(pid)
        split = looks.split() if looks else None
        if looks is None or split is None:
            continue
        if split.outside < MOST_OF_THE_GROWTH * split.grown_bytes:
            continue
        if evidence.fills_one_block(pid, split.outside):
            continue
        if split.heap_used is not None and split.heap_used < HANDED_OUT * split.outside:
            continue
        if split.large_block_bytes > LARGE_BLOCK * looks.ledgers[-1].limit_bytes:
            continue
        where = evidence.growing_line(pid)
        called = [f"`{name}` ({told})" for name, told in looks.callees.items()]
        by = f", while {' and '.join(called[:2])} was being called" if called else ""
        counted = "census in the program, first to last"
        yield Finding(
            f"Memory grew by {size(split.outside)} outside Python and TensorFlow's allocator{by}.",
            (
                Fact("memory grown between two counts", split.grown_bytes, counted),
                Fact("memory of it in Python's objects", split.python, counted),
                Fact("memory of it in TensorFlow's tensors", split.tensors, counted),
                Fact("memory of it free in malloc", split.heap_free, "mallinfo2"),
                *evidence.because("memory limit", "peak memory", "last line seen"),
            ),
            Confidence.LIKELY,
            (
                Remedy("Close or free what this line opens; use it in a `with` block."),
                Remedy(
                    "If the library leaks, run it in workers that are replaced.",
                    ("multiprocessing.Pool(maxtasksperchild=100)",),
                ),
                Remedy(
                    "To find the native function, record with a memory profiler.",
                    ("python -m memray run --native …",),
                ),
            ),
            where=where,
        )
