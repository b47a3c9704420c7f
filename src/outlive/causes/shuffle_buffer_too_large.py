"""A shuffle buffer that holds everything."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Change, Confidence, Finding, Remedy, size
from outlive.unit import BEHIND_A_PIPELINE, cause


@cause(
    "D121",
    since="0.1",
    behind=BEHIND_A_PIPELINE,
    searched=(
        "Filling up shuffle buffer (this may take a while)",
        "dataset.shuffle buffer_size out of memory",
    ),
)
def shuffle_buffer_too_large(evidence: Evidence) -> Iterator[Finding]:
    """A `shuffle` of tf.data keeps more elements in memory than fit.

    ## What happened
    `shuffle(buffer_size)` fills its buffer before it gives out the first element. After a decode or a resize each element is a whole
    picture: a buffer of some thousand is some gigabytes.

    ## How we know
    When the stage was built, its parameters and the size of an element were written down; together they make a large part of the limit
    that was reached. It is proven when the buffer alone, which must be full before the first element comes out, is larger than that limit,
    and the kernel killed the program while it waited for an element.

    ## What to do
    Shuffle what is small (file names, record numbers) before it is decoded, or use a smaller buffer.
    """
    stage = evidence.overfull_stage("shuffle")
    if stage is None:
        return
    fits = evidence.modest(stage)
    smaller = (Change("shuffle", "buffer_size", str(fits), 0),) if fits > 1 else ()
    yield Finding(
        f"`shuffle` may hold {stage.holds} elements of {size(stage.element_bytes or 0)}: {size(stage.bytes or 0)}.",
        evidence.facts_of_stage(stage),
        Confidence.PROVEN if evidence.cannot_be_filled(stage) else Confidence.LIKELY,
        (
            Remedy(
                "Shuffle the file names before they are decoded, or make buffer_size smaller.",
                changes=smaller,
            ),
            Remedy("Or let Outlive fit it.", ("outlive run --bound …",), safe=True),
        ),
        where=stage.place,
    )
