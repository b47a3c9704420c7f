"""A cache of decoded data."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.findings import Change, Finding, Remedy
from outlive.units.unit import BEHIND_A_PIPELINE, cause


@cause(
    "D123",
    since="0.1",
    behind=BEHIND_A_PIPELINE,
    searched=(
        "tf.data cache out of memory",
        "dataset.cache() fills RAM",
        "The calling iterator did not fully read the dataset being cached",
    ),
)
def cache_in_memory(evidence: Evidence) -> Iterator[Finding]:
    """A `cache()` of tf.data keeps the whole data set in memory.

    ## What happened
    Without a file name `cache()` keeps every element that passes, as it is at that point: decoded and resized pictures are many times larger
    than their files.

    ## How we know
    Near the limit TensorFlow was asked what each stage of the running pipeline held: this one held a large part of the
    program's memory. Where TensorFlow cannot be asked (a loop inside a `tf.function`, a pipeline with autotuning
    disabled), the cause is only likely: the stage's parameters and the size of an element, recorded when it was built,
    add up to a large part of the limit.

    ## What to do
    Cache before decoding, cache to a file (`cache('/path/of/a/file')`), or remove the cache.
    """
    stage = evidence.pipelines.overfull("cache")
    if stage is None:
        return
    yield Finding(
        f"`cache` keeps every element; it {stage.told}.",
        evidence.pipelines.facts_of(stage),
        evidence.pipelines.confidence_in(stage),
        (
            Remedy(
                "Move cache() before the decoding, or give it a file name.",
                changes=(Change("cache", "filename", '"dataset.cache"', 0),),
            ),
            Remedy("Or let Outlive size it.", ("outlive run --bound …",), safe=True),
        ),
        where=stage.place,
    )
