"""Batches that are shuffled instead of examples."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R671",
    since="0.2",
    needs=("shuffle",),
    prevents=("shuffle-buffer-too-large",),
)
def shuffle_after_batch(source: Source) -> Iterator[Finding]:
    """A pipeline shuffles after it has made batches.

    ## Why it is bad
    The order of the batches changes and the examples within each stay together; and the buffer holds that many batches instead of examples, which is as many
    times the memory.

    ## Bad
        dataset = tf.data.Dataset.range(10_000).batch(32).shuffle(100)

    ## Good
        dataset = tf.data.Dataset.range(10_000).shuffle(100).batch(32)
    """
    for call in source.methods("shuffle"):
        assert isinstance(call.func, ast.Attribute)
        stages = source.values.stages(call.func.value)
        if source.values.is_pipeline(stages) and source.values.in_batches(stages):
            yield Finding(
                "This shuffles whole batches: the examples in each stay together, and the buffer holds batches.",
                confidence=Confidence.POSSIBLE,
                remedies=(Remedy("Put shuffle before batch."),),
                where=source.place(call),
            )
