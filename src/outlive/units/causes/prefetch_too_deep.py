"""A prefetch that runs too far ahead."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.findings import Change, Finding, Remedy
from outlive.units.unit import BEHIND_A_PIPELINE, cause


@cause(
    "D122",
    since="0.1",
    behind=BEHIND_A_PIPELINE,
    searched=(
        "tf.data prefetch out of memory",
        "prefetch buffer_size memory usage",
    ),
)
def prefetch_too_deep(evidence: Evidence) -> Iterator[Finding]:
    """A `prefetch` of tf.data runs so far ahead that its elements do not fit.

    ## What happened
    `prefetch(n)` keeps up to n finished elements; after `batch` an element is a whole batch. When the model is slower than the pipeline, the
    buffer fills up.

    ## How we know
    Near the limit TensorFlow was asked what each stage of the running pipeline held: this one held a large part of the
    program's memory. Where TensorFlow cannot be asked (a loop inside a `tf.function`, a pipeline with autotuning
    disabled), the cause is only likely: the stage's parameters and the size of an element, recorded when it was built,
    add up to a large part of the limit.

    ## What to do
    `prefetch(1)` or `prefetch(2)` is enough to overlap work; more only helps against uneven readers.
    """
    stage = evidence.pipelines.overfull("prefetch")
    if stage is None:
        return
    fits = "2" if evidence.pipelines.modest(stage) >= 2 else "1"
    yield Finding(
        f"`prefetch` {stage.told}.",
        evidence.pipelines.facts_of(stage),
        evidence.pipelines.confidence_in(stage),
        (
            Remedy(
                "Use prefetch(1) or prefetch(2).",
                changes=(Change("prefetch", "buffer_size", fits, 0),),
            ),
            Remedy("Or let Outlive size it.", ("outlive run --bound …",), safe=True),
        ),
        where=stage.place,
    )
