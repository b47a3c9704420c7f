"""Native code keeps memory that Python does not know of."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import (
    LAST_LINE_SEEN,
    MEMORY_GROWTH_BETWEEN_TWO_SAMPLES,
    MEMORY_LIMIT,
    OF_THAT_FREE_IN_MALLOC,
    OF_THAT_IN_PYTHON_OBJECTS,
    OF_THAT_IN_TENSORFLOW_TENSORS,
    PEAK_MEMORY,
)
from outlive.model.findings import Confidence, Fact, Finding, Remedy, size
from outlive.units.unit import BEHIND_MEMORY, cause

#: What they keep outside Python has an owner in it: a model its functions and optimizer, a session its graph and pipelines.
OWNED_BY_PYTHON = ("tensorflow", "keras", "tf_keras")

MEASURED_TWICE = 2

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
    A library written in C or C++ (called through an extension or ctypes) allocated memory and did not free it: it
    leaks, or it keeps what it was told to keep (a database in memory, a decoder, a handle that nobody closed). `del`
    and `gc.collect()` do not help, since no Python object owns it.

    ## How we know
    When memory was high, all of Python's objects, texts and arrays were counted more than once, together with the bytes that
    TensorFlow's allocator had handed out and those that malloc held free. They account for little of the growth, and new addresses were
    taken as it grew: filling one large array is not a leak, and what grows inside TensorFlow and Keras belongs to models, functions and
    pipelines. The line is the one
    that ran while memory grew; what it calls is named when known.

    ## What to do
    Close or free what that line opens (`close()`, `release()`, a `with` block). If the library leaks, update it, or run it in a worker
    process that is replaced from time to time (`multiprocessing.Pool(maxtasksperchild=…)`).
    """
    for pid in evidence.memory.exhausted():
        looks = evidence.growth.looks.get(pid)
        split = looks.split() if looks else None
        if looks is None or split is None:
            continue
        if split.outside < MOST_OF_THE_GROWTH * split.grown_bytes:
            continue
        if evidence.growth.fills_one_block(pid, split.outside) or _has_an_owner(evidence, pid):
            continue
        if split.heap_used is not None and split.heap_used < HANDED_OUT * split.outside:
            continue
        if split.large_block_bytes > LARGE_BLOCK * looks.ledgers[-1].limit_bytes:
            continue
        lost = looks.unfreed
        where = lost.place if lost is not None else evidence.growth.growing_line(pid)
        called = [f"`{name}` ({told})" for name, told in looks.callees.items()]
        by = f", while {' and '.join(called[:2])} was being called" if called else ""
        if lost is not None:
            by = f"; `{lost.call}` is called at {lost.place}, and nothing in the file calls its `{lost.closer}`"
        counted = "in-process heap scan, first to last sample"
        yield Finding(
            f"Memory grew by {size(split.outside)} outside Python and TensorFlow's allocator{by}.",
            (
                Fact(MEMORY_GROWTH_BETWEEN_TWO_SAMPLES, split.grown_bytes, counted),
                Fact(OF_THAT_IN_PYTHON_OBJECTS, split.python, counted),
                Fact(OF_THAT_IN_TENSORFLOW_TENSORS, split.tensors, counted),
                Fact(OF_THAT_FREE_IN_MALLOC, split.heap_free, "mallinfo2"),
                *evidence.run.because(MEMORY_LIMIT, PEAK_MEMORY, LAST_LINE_SEEN),
            ),
            Confidence.LIKELY,
            (
                Remedy(
                    f"Give back what `{lost.call}` took on this line, each time: call the library's `{lost.closer}` for it when it is done (try … finally)."
                    if lost is not None
                    else "Close or free what this line opens, e.g. with a `with` block."
                ),
                Remedy(
                    "If the library leaks, run it in workers that are restarted.",
                    ("multiprocessing.Pool(maxtasksperchild=100)",),
                ),
                Remedy(
                    "To find the native function, record with a memory profiler.",
                    ("python -m memray run --native …",),
                ),
            ),
            where=where,
        )


def _has_an_owner(evidence: Evidence, pid: int) -> bool:
    """Whether what grew may well be owned by Python objects: it grew inside TensorFlow, or Python's part was not measured twice where it is hard to tell.

    The brake stops a program before it has grown for long, and a notebook keeps what its cells have shown.
    """
    growth, looks = evidence.growth.lines.get(pid), evidence.growth.looks.get(pid)
    if growth is not None and growth.inside in OWNED_BY_PYTHON:
        return True
    counted = [one for one in looks.ledgers if one.python_bytes is not None] if looks else []
    hard = evidence.memory.braked() is not None or bool(evidence.notebook.cells)
    return hard and len(counted) < MEASURED_TWICE
