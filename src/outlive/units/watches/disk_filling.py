"""A disk that will be full."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from outlive.model.findings import Confidence, Fact, Finding, Remedy, size
from outlive.model.outlook.forecast import about, filling
from outlive.model.outlook.window import Window
from outlive.units.unit import watch

#: A write like the last ones: no less than half of the largest of so many, each at least this share of what is free.
WRITES = 3
ALIKE = 0.5
WORTH = 0.2


@watch("W201", since="0.3", prevents=("disk-full",))
def disk_filling(window: Window) -> Iterator[Finding]:
    """A disk that the program writes to will be full, perhaps before the next checkpoint.

    ## What it sees
    Free space of the file systems of the working folder and of the files that the program has open for writing (network file systems are not asked).

    ## When it speaks
    When free space falls steadily and at least four times as much was used up as is left; or when three writes of about the same size have each taken a large part of it, nothing
    was given back in between, and there is no room for another two.

    ## What to do
    Delete old checkpoints, keep fewer of them (`max_to_keep`, `save_best_only`), or write to another disk.
    """
    points = window.readings[-1].disks if window.readings else {}
    for point in sorted(points):
        free = [(it.at, float(it.disks[point][0])) for it in window.readings if point in it.disks]
        left = free[-1][1]
        rise = filling([(at, -room) for at, room in free], 0.0)
        if rise is not None:
            yield _said(point, left, f"will be full in {about(rise.seconds_to(left))} at this rate")
            continue
        write = _repeated_write([room for _, room in free])
        if write and left < 2 * write:
            more = "one more write" if left >= write else "not one more write"
            yield _said(
                point, left, f"has room for {more} like the last {WRITES} ({size(write)} each)"
            )


def _said(point: str, left: float, what: str) -> Finding:
    return Finding(
        f"The disk at {point} {what}: {size(left)} free.",
        (Fact("free", size(left), f"statvfs {point}", private=True),),
        Confidence.LIKELY,
        (Remedy("Delete old checkpoints or keep fewer of them, or write to another disk."),),
    )


def _repeated_write(free: Sequence[float]) -> float | None:
    """The size of the last writes, if they are alike and nothing was freed in between."""
    steps = [earlier - later for earlier, later in itertools.pairwise(free)]
    writes: list[float] = []
    before = 0.0
    for step in steps:
        if step > 0 and before > 0:
            writes[-1] += step  # one write, seen by two readings
        elif step > 0:
            writes.append(step)
        elif step < 0 and writes and -step > ALIKE * max(writes):
            writes = []
        before = step
    large = [write for write in writes if write >= WORTH * free[-1]][-WRITES:]
    return max(large) if len(large) == WRITES and min(large) >= ALIKE * max(large) else None
