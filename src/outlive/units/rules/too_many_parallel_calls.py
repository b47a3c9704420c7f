"""A map that runs on more threads than there are cores."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: Above this the elements in work cost memory, and there are hardly cores to work on them.
MOST = 64


@rule(
    "R107", since="0.1", needs=("num_parallel_calls",), prevents=("parallel-map-too-wide", "too-many-threads")
)  # fmt: skip
def too_many_parallel_calls(source: Source) -> Iterator[Finding]:
    """A stage of tf.data works on very many elements at the same time.

    ## Why it is bad
    Each of the `num_parallel_calls` has an element in work and one finished in a buffer: 200 pictures of 4000 × 3000 pixels in float32 are 29 GB.
    More calls than cores make nothing faster.

    ## Bad
        photos = tf.data.Dataset.list_files("photos/*.jpg").map(load, num_parallel_calls=200)

    ## Good
        photos = tf.data.Dataset.list_files("photos/*.jpg").map(load, num_parallel_calls=tf.data.AUTOTUNE)
    """
    for call in source.methods("map", "interleave", "batch", "map_and_batch"):
        wanted = source.argument(call, None, "num_parallel_calls")
        count = source.number(wanted)
        if wanted is None or count is None or count <= MOST:
            continue
        better = source.names.alias("tf.data.AUTOTUNE") or "-1"
        yield Finding(
            f"This stage works on {count:.0f} elements at the same time.",
            remedies=(
                Remedy(
                    f"Write num_parallel_calls={better}: tf.data uses at most as many as there are cores.",
                    safe=True,
                    edits=(source.replacement(wanted, better),),
                ),
            ),
            where=source.place(call),
        )
