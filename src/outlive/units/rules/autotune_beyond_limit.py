"""AUTOTUNE in a container that may use less memory than the machine has."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.fact_names import FREE_MEMORY_ON_THE_HOST, MEMORY_LIMIT
from outlive.model.findings import Fact, Finding, Remedy, size
from outlive.source.parsed import Source
from outlive.units.unit import rule

AUTOTUNE = ("tf.data.AUTOTUNE", "tf.data.experimental.AUTOTUNE")

#: tf.data gives itself half of what the host has free.
SHARE = 0.5


@rule(
    "R108", since="0.1", needs=("AUTOTUNE",),
    prevents=("prefetch-too-deep", "parallel-map-too-wide", "memory-limit-reached"),
)  # fmt: skip
def autotune_beyond_limit(source: Source) -> Iterator[Finding]:
    """`AUTOTUNE` plans with the memory of the machine, and this container may use less.

    ## Why it is bad
    The buffers that `AUTOTUNE` grows may take half of the host's free memory. tf.data reads that from the machine, not
    from the limit of the container: on a host with 64 GB free it plans with 32 GB, and the container is killed at its 4
    GB. The rule reads the limit of the machine that `outlive lint` runs on, and reports only a limit below that half.

    ## Bad
        photos = tf.data.Dataset.list_files("photos/*.jpg").map(load).prefetch(tf.data.AUTOTUNE)

    ## Good
        options = tf.data.Options()
        options.autotune.ram_budget = 1_000_000_000
        photos = tf.data.Dataset.list_files("photos/*.jpg").map(load).prefetch(tf.data.AUTOTUNE)
        photos = photos.with_options(options)
    """
    limit, free = source.machine.limit_bytes, source.machine.free_bytes
    if limit is None or free is None or limit >= free * SHARE or "ram_budget" in source.text:
        return
    for node in (*source.every(ast.Attribute), *source.every(ast.Name)):
        above = source.tree.parent(node)
        as_argument = isinstance(above, ast.keyword) or (
            isinstance(above, ast.Call) and node in above.args
        )
        if as_argument and source.called(node) in AUTOTUNE:
            yield Finding(
                f"`AUTOTUNE` plans with {size(free * SHARE)}, but this container may use only {size(limit)}.",
                (
                    Fact(FREE_MEMORY_ON_THE_HOST, free, "/proc/meminfo"),
                    Fact(MEMORY_LIMIT, limit, "cgroup"),
                ),
                remedies=(
                    Remedy(
                        "Tell tf.data its limit with these dataset options: "
                        f"options.autotune.ram_budget = {int(limit * SHARE)}."
                    ),
                ),
                where=source.place(node),
            )
            return
