"""A gradient tape that records for ever."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import (
    LAST_LINE_SEEN,
    MEMORY_LIMIT,
    PEAK_MEMORY,
    SAMPLES_IN_WHICH_IT_WAS_RECORDING,
    TAPES_FIRST_SAMPLE,
)
from outlive.model.findings import Confidence, Fact, Finding, Remedy, size
from outlive.units.unit import BEHIND_GROWTH, cause

#: One step of a large model may be seen twice by the looks; a tape that was open at all of so many spans more than a step.
FEWEST_LOOKS = 3
#: Fewer tapes than this are not "all of them".
FEWEST_TAPES = 8
#: Of what the process grew by.
GOOD_PART = 0.3


@cause(
    "D114",
    since="0.2",
    behind=BEHIND_GROWTH,
    searched=(
        "GradientTape memory leak",
        "GradientTape persistent=True out of memory",
        "tensorflow memory leak",
    ),
)
def tape_kept_open(evidence: Evidence) -> Iterator[Finding]:
    """A `tf.GradientTape` recorded step after step (or was kept), and with it every intermediate result.

    ## What happened
    A tape keeps all results between the variables and the loss alive until it is closed and deleted. When the training
    loop runs inside `with tf.GradientTape()`, or tapes are collected in a list, the memory of no step is ever freed.

    ## How we know
    When memory was high, the same tape was recording in sample after sample, around a loop, while TensorFlow's own
    memory grew; or a container held more tapes in each sample.

    ## What to do
    Open the tape inside the loop, around one step's forward pass alone; call `tape.gradient` after the block; `del tape` when it
    is persistent. Where one tape must span many steps, cut it (`tape.reset()`), or leave out what needs no gradient
    (`with tape.stop_recording()`).
    """
    for pid in evidence.memory.exhausted():
        looks = evidence.growth.looks.get(pid)
        if looks is None:
            continue
        for tape in looks.tapes:
            grown = looks.ledgers[-1].own_bytes - looks.ledgers[0].own_bytes
            held = tape.tensors_grown_bytes
            kept = tape.kept >= FEWEST_TAPES and tape.kept > tape.first_kept
            opened = tape.around_a_loop and tape.looks >= FEWEST_LOOKS
            if not (kept or opened) or (held is not None and held < GOOD_PART * grown):
                continue
            more = f" while TensorFlow's tensors grew by {size(held)}" if held else ""
            says = (
                f"`{tape.name}` holds {tape.kept} gradient tapes, each with everything its step computed"
                if kept
                else f"The gradient tape `{tape.name}` was recording in {tape.looks} of {tape.of_looks} samples"
            )
            yield Finding(
                f"{says}{more}.",
                (
                    *(
                        (Fact(TAPES_FIRST_SAMPLE, tape.first_kept, "in-process heap scan"),)
                        if kept
                        else (
                            Fact(
                                SAMPLES_IN_WHICH_IT_WAS_RECORDING,
                                tape.looks,
                                "in-process heap scan",
                            ),
                            Fact("persistent", tape.persistent, "in-process heap scan"),
                        )
                    ),
                    *evidence.run.because(MEMORY_LIMIT, PEAK_MEMORY, LAST_LINE_SEEN),
                ),
                Confidence.LIKELY,
                (
                    Remedy(
                        "Keep the gradients, not the tapes."
                        if kept
                        else "Open the tape inside the loop, around the forward pass of one step."
                    ),
                    Remedy("Delete a persistent tape after taking its gradients.", ("del tape",)),
                ),
                where=tape.place or evidence.growth.growing_line(pid),
            )
            break
