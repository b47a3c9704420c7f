"""A heap full of holes is given back to the kernel piece by piece."""

from __future__ import annotations

from outlive.inside.notes import links
from outlive.model.heal_case import Case, Change
from outlive.units.unit import remedy


@remedy("T109", since="0.2", heals=("fragmented-heap",), searched=("trimmed heap",))
def trimmed_heap(case: Case) -> Change | None:
    """The free pages of a fragmented heap are returned to Linux.

    ## What changes
    In the next attempt the C library uses few heaps and gives large blocks pages of their own, and free pages are
    returned to Linux whenever memory has grown (`malloc_trim`).

    ## When it is tried
    After a death that is proven to come from a fragmented heap.

    ## When it is not
    The holes are in the heap of Python's own allocator, which cannot be trimmed.
    """
    looks = case.evidence.growth.looks.get(case.evidence.run.program.pid)
    for last in looks.ledgers[-1:] if looks else ():
        if (last.arena_free_bytes or 0) > (last.heap_free_bytes or 0):
            return None
    return Change(
        "trimmed heap",
        "free heap pages are returned to Linux as memory grows (malloc_trim), and fewer heaps are used.",
        variables={"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "131072"},
        links={links.TRIM: "on"},
    )
