"""Memory that is handed out two megabytes at a time."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import HUGE_PAGES, MEMORY_LIMIT
from outlive.model.findings import Finding, Remedy, size
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: Below this the rounding up of every heap and stack is felt.
SMALL_LIMIT_BYTES = 2_000_000_000


@check("H205", since="0.2", prevents=("memory-limit-reached",))
def huge_pages_always(here: Surroundings) -> Iterator[Finding]:
    """Linux uses huge pages everywhere, and the memory limit is small.

    ## Why it matters
    With transparent huge pages set to `always`, a touched byte can cost two megabytes. Each thread's heap and stack
    rounds up; in a small container a program with many threads wastes a large part of its limit. On large machines huge
    pages make programs faster.

    ## What to do
    Set it to `madvise`: programs that benefit ask for huge pages.
    """
    mode, limit = here.text(HUGE_PAGES), here.number(MEMORY_LIMIT)
    if mode is None:
        yield here.unknown(HUGE_PAGES)
    elif mode == "always" and limit is not None and limit < SMALL_LIMIT_BYTES:
        yield here.warning(
            f"Transparent huge pages are always on, and the memory limit is {size(limit)}.",
            HUGE_PAGES,
            MEMORY_LIMIT,
            remedies=(
                Remedy(
                    "Use them only on request.",
                    ("echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",),
                ),
            ),
        )
    else:
        yield here.fine(f"Huge pages: {mode}.", HUGE_PAGES)
