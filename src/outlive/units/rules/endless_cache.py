"""A cache of an endless data set."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule("R105", since="0.1", needs=("cache",), prevents=("cache-in-memory", "disk-full"))
def endless_cache(source: Source) -> Iterator[Finding]:
    """A `cache` comes after an endless `repeat` and never stops growing.

    ## Why it is bad
    `cache` keeps each element that passes, and after `repeat()` the elements never end: it keeps the same data again and again until the memory,
    or the disk, is full.

    ## Bad
        numbers = tf.data.Dataset.range(10).repeat().cache().batch(2)

    ## Good
        numbers = tf.data.Dataset.range(10).cache().repeat().batch(2)
    """
    for call in source.methods("cache"):
        before = source.values.stages(call)[:-1]
        endless = False
        for stage in before if source.values.is_pipeline(before) else ():
            if stage.name == "repeat":
                count = source.argument(stage.call, 0, "count")
                never_ends = count is None or source.number(count) == -1
                endless = endless or never_ends
            elif stage.name in ("take", "take_while"):
                endless = False
        if endless:
            yield Finding(
                "`cache` comes after an endless `repeat`: it keeps the same data again and again.",
                remedies=(Remedy("Put cache() before repeat()."),),
                where=source.place(call),
            )
