"""A gradient tape that records for ever."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy, size
from outlive.unit import BEHIND_GROWTH, cause

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
    A tape keeps all results between the variables and the loss alive until it is closed and gone. When the training loop runs inside
    `with tf.GradientTape()`, or tapes are collected in a list, nothing of any step is ever given back.

    ## How we know
    When memory was in danger, the same tape was recording at look after look, around a loop, while TensorFlow's own memory grew; or
    a container held more tapes at each look.

    ## What to do
    Open the tape inside the loop, around one step's forward pass alone; call `tape.gradient` after the block; `del tape` when it
    is persistent. Where one tape must span many steps, cut it (`tape.reset()`), or leave out what needs no gradient
    (`with tape.stop_recording()`).
    """
    for pid in evidence.exhausted():
        looks = evidence.looks.get(pid)
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
                f"`{tape.name}` kept {tape.kept} gradient tapes, each with all that its step computed"
                if kept
                else f"The gradient tape `{tape.name}` recorded at {tape.looks} of {tape.of_looks} looks"
            )
            yield Finding(
                f"{says}{more}.",
                (
                    *(
                        (Fact("tapes at the first look", tape.first_kept, "census in the program"),)
                        if kept
                        else (
                            Fact("looks at which it recorded", tape.looks, "census in the program"),
                            Fact("persistent", tape.persistent, "census in the program"),
                        )
                    ),
                    *evidence.because("memory limit", "peak memory", "last line seen"),
                ),
                Confidence.LIKELY,
                (
                    Remedy(
                        "Keep the gradients, not the tapes."
                        if kept
                        else "Open the tape inside the loop, around the forward pass of one step."
                    ),
                    Remedy("Delete a persistent tape when its gradients are taken.", ("del tape",)),
                ),
                where=tape.place or evidence.growing_line(pid),
            )
            break
