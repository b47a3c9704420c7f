"""One heap for each thread."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import (
    ALLOCATOR,
    CPUS_ALLOWED,
    MALLOC_ARENA_MAX,
    MAXIMUM_NUMBER_OF_HEAPS,
    MEMORY_LIMIT,
)
from outlive.model.findings import Fact, Finding, Remedy, size
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: glibc makes up to eight arenas a processor, and each grows in heaps of 64 MB.
ARENAS_PER_CPU = 8
HEAP_BYTES = 64 << 20
MANY_CPUS = 8


@check("H207", since="0.2", prevents=("fragmented-heap",))
def malloc_arenas_many(here: Surroundings) -> Iterator[Finding]:
    """The C library may keep more heaps than the memory limit has room for.

    ## Why it matters
    glibc gives threads heaps of their own, up to eight per CPU, whatever the limit of the container is. Memory that one
    thread frees is not given to another: on a machine with many CPUs, a pipeline that passes pictures between threads
    keeps growing although nothing leaks.

    ## What to do
    Set `MALLOC_ARENA_MAX=2`, or preload jemalloc or tcmalloc.
    """
    cpus, limit = here.number(CPUS_ALLOWED), here.number(MEMORY_LIMIT)
    if here.text(MALLOC_ARENA_MAX) or here.text(ALLOCATOR) != "the C library's":
        yield here.fine("The allocator is configured for it.", MALLOC_ARENA_MAX, ALLOCATOR)
    elif cpus is None or limit is None:
        yield here.unknown(CPUS_ALLOWED, MEMORY_LIMIT)
    elif cpus >= MANY_CPUS and ARENAS_PER_CPU * cpus * HEAP_BYTES > limit:
        arenas = round(ARENAS_PER_CPU * cpus)
        yield here.warning(
            f"The C library may use {arenas} heaps of {size(HEAP_BYTES)}; the memory limit is {size(limit)}.",
            Fact(MAXIMUM_NUMBER_OF_HEAPS, arenas, "8 × CPUs (glibc)"), MEMORY_LIMIT, CPUS_ALLOWED,
            remedies=(Remedy("Limit them.", ("export MALLOC_ARENA_MAX=2",)),),
        )  # fmt: skip
    else:
        yield here.fine(
            "Few enough heaps for the memory limit.", CPUS_ALLOWED, MEMORY_LIMIT, ALLOCATOR
        )
