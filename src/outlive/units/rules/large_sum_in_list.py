"""A list whose arrays are together large, as the text itself says."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from outlive.model.fact_names import MEMORY_LIMIT
from outlive.model.findings import Fact, Finding, Remedy, size
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: Less fits nearly everywhere; where the memory is known, half of it.
MOST_BYTES = 500_000_000
SHARE = 0.5


@rule(
    "R605",
    since="0.2",
    needs=("append",),
    prevents=("kept-in-container", "memory-limit-reached"),
)
def large_sum_in_list(source: Source) -> Iterator[Finding]:
    """A loop puts arrays or tensors into a list, and together they are large.

    ## Why it is bad
    Each one is small. The size of one and the number of iterations are written in the code, so their sum is known
    before the program runs.

    ## Bad
        kept = []
        for step in range(10000):
            kept.append(tf.random.normal([200, 200]))

    ## Good
        total = tf.zeros([200, 200])
        for step in range(10000):
            total += tf.random.normal([200, 200])
    """
    memory = source.machine.memory_bytes
    for call in source.methods("append"):
        turns = source.turns(call)
        spec = source.specs.of(call.args[0]) if len(call.args) == 1 else None
        each = spec.bytes if spec is not None else 0
        if not each or not 1 < turns < math.inf or source.traced(call):
            continue
        assert isinstance(call.func, ast.Attribute)
        made = source.names.latest(call.func.value, through_branches=True)
        if made is None or any(made.node in set(ast.walk(loop)) for loop in source.loops(call)):
            continue  # a new list in each turn
        total = each * int(turns)
        if total < (min(MOST_BYTES, memory * SHARE) if memory else MOST_BYTES):
            continue
        against = f"; there are {size(memory)}" if memory and total > memory else ""
        yield Finding(
            f"`{source.segment(call.func.value)}` keeps {int(turns)} arrays of {size(each)}: {size(total)}{against}.",
            (Fact(MEMORY_LIMIT, memory, "outlive lint"),) if against else (),
            remedies=(
                Remedy("Keep only the numbers you need, or write each result to disk as you go."),
            ),
            where=source.place(call),
        )
