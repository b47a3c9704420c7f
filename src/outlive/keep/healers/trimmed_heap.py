"""A heap full of holes is given back to the kernel piece by piece."""

from __future__ import annotations

from outlive.keep.healing import Case, Change
from outlive.record import runs

SLUGS = ("fragmented-heap",)


def heal(case: Case) -> Change | None:
    """Few heaps, large blocks with pages of their own, and free pages handed back whenever memory has grown.

    Python's own allocator cannot be trimmed: where the holes are there, nothing is tried.
    """
    looks = case.evidence.looks.get(case.evidence.program.pid)
    for last in looks.ledgers[-1:] if looks else ():
        if (last.arena_free_bytes or 0) > (last.heap_free_bytes or 0):
            return None
    return Change(
        "trimmed heap",
        "free pages of the heap are handed back to the kernel as memory grows (malloc_trim), and few heaps are used.",
        variables={"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "131072"},
        links={runs.TRIM_NAME: "on"},
    )
