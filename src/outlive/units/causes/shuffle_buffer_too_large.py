"""A shuffle buffer that holds everything."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.findings import Change, Finding, Remedy
from outlive.model.memory import BESIDE_AN_ELEMENT, SMALL_ELEMENT, Stage
from outlive.units.unit import BEHIND_A_PIPELINE, cause

#: Larger buffers of small elements make no order better that is read more than once.
ENOUGH_SHUFFLED = 100_000


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
    `shuffle(buffer_size)` fills its buffer before it gives out the first element. After a decode or a resize each
    element is a whole picture: a buffer of a few thousand elements takes several gigabytes.

    ## How we know
    Near the limit TensorFlow was asked what each stage of the running pipeline held: this one held a large part of the
    program's memory. Or the whole buffer, which must be full before the first element comes out, is larger than the
    limit. Where TensorFlow cannot be asked (a loop inside a `tf.function`, a pipeline with autotuning disabled), the
    cause is only likely: the stage's parameters and the size of an element, recorded when it was built, add up to a
    large part of the limit.

    ## What to do
    Shuffle what is small (file names, record numbers) before it is decoded, or use a smaller buffer.
    """
    stage = evidence.pipelines.overfull("shuffle")
    if stage is None:
        return
    fits = evidence.pipelines.modest(stage)
    smaller = (Change("shuffle", "buffer_size", str(fits), 0),) if fits > 1 else ()
    yield Finding(
        f"`shuffle` {stage.told}.",
        evidence.pipelines.facts_of(stage),
        evidence.pipelines.confidence_in(stage),
        (Remedy(_advice(stage, fits), changes=smaller),),
        where=stage.place,
    )


def _advice(stage: Stage, fits: int) -> str:
    """Say what to shuffle instead of large elements; small ones are already what would be shuffled instead."""
    if (stage.each or 0) < SMALL_ELEMENT and fits > 1:
        return f"Reduce buffer_size: shuffle({min(fits, ENOUGH_SHUFFLED)}) mixes well enough, and each small element takes about {BESIDE_AN_ELEMENT} bytes beside its own."
    return "Shuffle the file names before decoding, or reduce buffer_size."
