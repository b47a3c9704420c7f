"""A cache of decoded data."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Change, Confidence, Fact, Finding, Remedy, size
from outlive.unit import BEHIND_A_PIPELINE, cause


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
    When the stage was built, its parameters and the size of an element were written down; together they make a large part of the limit
    that was reached. Where nobody knows how many elements there are (a generator), memory was taken in pieces of the size of one element.

    ## What to do
    Cache before decoding, cache to a file (`cache('/path/of/a/file')`), or do without.
    """
    stage, filling = evidence.overfull_stage("cache"), evidence.filling_cache()
    if stage is not None:
        says = f"`cache` keeps all {stage.holds} elements of {size(stage.element_bytes or 0)}: {size(stage.bytes or 0)}."
        facts = evidence.facts_of_stage(stage)
    elif filling is not None:
        stage, count, each = filling
        says = f"`cache` keeps every element: {count} pieces of {size(each)}, the size of one, were kept, and there was no end of them."
        facts = (
            Fact("pieces of memory between two looks", count, "mallinfo2"),
            Fact("size of one piece, bytes", each, "mallinfo2"),
            Fact("size of one element, bytes", stage.element_bytes, "the pipeline as it was built"),
            *evidence.because("memory limit", "peak memory", "last line seen"),
        )
    else:
        return
    yield Finding(
        says,
        facts,
        Confidence.LIKELY,
        (
            Remedy(
                "Move cache() before the decoding, or give it a file name.",
                changes=(Change("cache", "filename", '"dataset.cache"', 0),),
            ),
        ),
        where=stage.place,
    )
