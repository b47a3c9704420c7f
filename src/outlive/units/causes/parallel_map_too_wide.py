"""Too many elements in the making."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.findings import Change, Finding, Remedy
from outlive.units.unit import BEHIND_A_PIPELINE, cause


@cause(
    "D124",
    since="0.1",
    behind=BEHIND_A_PIPELINE,
    searched=(
        "num_parallel_calls memory usage",
        "tf.data AUTOTUNE uses too much RAM",
        "dataset.map out of memory",
    ),
)
def parallel_map_too_wide(evidence: Evidence) -> Iterator[Finding]:
    """A parallel `map` of tf.data works on too many elements at once to fit in memory.

    ## What happened
    `map(..., num_parallel_calls=n)` works on n elements at a time and keeps up to n finished ones; large elements times a large n fill the
    memory.

    ## How we know
    Near the limit TensorFlow was asked what each stage of the running pipeline held: this one held a large part of the
    program's memory. Where TensorFlow cannot be asked (a loop inside a `tf.function`, a pipeline with autotuning
    disabled), the cause is only likely: the stage's parameters and the size of an element, recorded when it was built,
    add up to a large part of the limit.

    ## What to do
    Use fewer parallel calls: the number of cores is enough. In a container, `tf.data.AUTOTUNE` plans with the memory of
    the whole machine.
    """
    stage = evidence.pipelines.overfull("map")
    if stage is None:
        return
    fits = str(max(1, evidence.pipelines.modest(stage)))
    yield Finding(
        f"A parallel `map` {stage.told}.",
        evidence.pipelines.facts_of(stage),
        evidence.pipelines.confidence_in(stage),
        (
            Remedy(
                "Reduce num_parallel_calls: the number of cores is enough.",
                changes=(Change("map", "num_parallel_calls", fits, 1),),
            ),
            Remedy("Or let Outlive size it.", ("outlive run --bound …",), safe=True),
        ),
        where=stage.place,
    )
