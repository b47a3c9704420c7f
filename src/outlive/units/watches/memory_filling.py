"""Memory that will be full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from outlive.model.findings import Confidence, Fact, Finding, Remedy, size
from outlive.model.outlook.forecast import about, filling
from outlive.model.outlook.window import Level, Window
from outlive.units.unit import watch

#: Below this share of the limit, what is cache was not told from what is not.
FROM = 0.6

#: Of what became resident, so much must also be newly reserved: who only touches what it reserved long ago fills an array that is there.
NEWLY_RESERVED = 0.5


@watch(
    "W101",
    since="0.3",
    prevents=("memory-limit-reached", "machine-out-of-memory", "kept-in-container"),
)
def memory_filling(window: Window) -> Iterator[Finding]:
    """Memory grows steadily, and will reach its limit.

    ## What it sees
    The memory of the program and of all processes that it started, and the cgroup or machine limit that is nearest to being full, without the file
    cache, which Linux gives up by itself.

    ## When it speaks
    When memory has risen steadily, in every quarter of the rise, to a height that it never had before, more than 60 % of the limit is in use, and at least
    four times as much was added as is left. A program that allocates once, fills an array that it has reserved, frees and refills, or levels off is silent.
    At the first rise, growth that is about to stop cannot be told from growth that is not: the sentence says "at this rate".

    ## What to do
    `outlive top` shows what holds the memory. Save a checkpoint now; then keep less, or run with `--brake` or `--bound`.
    """
    levels = window.levels
    if not levels:
        return
    last = levels[-1]
    if not last.limit_bytes or last.used_bytes is None or last.used_bytes < FROM * last.limit_bytes:
        return
    left = last.limit_bytes - last.used_bytes
    points = [(level.at, float(_own(level))) for level in levels]
    rise = filling(points, _own(last) + left)
    if rise is None or _only_touches(levels, rise.seconds):
        return
    yield Finding(
        f"Memory will be full in {about(rise.seconds_to(left))} at this rate: {size(last.used_bytes)} of {size(last.limit_bytes)} in use, "
        f"growing by {size(60 * rise.rate)} a minute.",
        (
            Fact(
                "added since the rise began",
                size(rise.grown),
                "memory of the program and its processes",
            ),
            Fact(
                "limit that is nearest", size(last.limit_bytes), "the nearest cgroup or the machine"
            ),
        ),
        Confidence.LIKELY,
        (
            Remedy("See what holds the memory.", ("outlive top",)),
            Remedy(
                "Save a checkpoint now, and run with the brake next time.",
                ("outlive run --brake …",),
            ),
        ),
    )


def _own(level: Level) -> int:
    """What the program's processes use: no more than what all use together, since pages that they share are in each one's resident memory."""
    return level.tree_bytes if level.used_bytes is None else min(level.tree_bytes, level.used_bytes)


def _only_touches(levels: Sequence[Level], seconds: float) -> bool:
    """Whether the program itself, in the second half of the rise, grew into memory that it had already reserved."""
    last = levels[-1]
    first = next(level for level in levels if level.at >= last.at - seconds / 2)
    resident = last.own_bytes - first.own_bytes
    others = (last.tree_bytes - first.tree_bytes) - resident
    return (
        resident > others and last.reserved_bytes - first.reserved_bytes < NEWLY_RESERVED * resident
    )
