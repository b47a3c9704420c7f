"""Memory that is handed out two megabytes at a time."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model import Finding, Remedy, size
from outlive.surroundings import Surroundings
from outlive.unit import check

#: Below this the rounding up of every heap and stack is felt.
SMALL_LIMIT_BYTES = 2_000_000_000


@check("H205", since="0.2", prevents=("memory-limit-reached",))
def huge_pages_always(here: Surroundings) -> Iterator[Finding]:
    """The kernel hands out huge pages unasked, and the memory limit is small.

    ## Why it matters
    With transparent huge pages set to `always`, a touched byte can cost two megabytes. Each thread's heap and stack rounds up; in a small
    container a program with many threads uses a good part of its limit for nothing. On large machines it makes programs faster.

    ## What to do
    Set it to `madvise`: those that profit ask for it.
    """
    mode, limit = here.text("huge pages"), here.number("memory limit")
    if mode is None:
        yield here.unknown("huge pages")
    elif mode == "always" and limit is not None and limit < SMALL_LIMIT_BYTES:
        yield here.warning(
            f"Huge pages are handed out unasked, and the memory limit is {size(limit)}.",
            "huge pages",
            "memory limit",
            remedies=(
                Remedy(
                    "Hand them out when asked.",
                    ("echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",),
                ),
            ),
        )
    else:
        yield here.fine(f"Huge pages: {mode}.", "huge pages")
