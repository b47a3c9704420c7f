"""A shuffle whose buffer fits."""

from __future__ import annotations

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.unit import fix


@fix("F104", since="0.2", heals=("shuffle-buffer-too-large",))
def smaller_shuffle(case: FixCase) -> Answer:
    """The buffer of the `shuffle` is as large as fits in a quarter of the limit.

    ## What it changes
    The `buffer_size` of the `shuffle` that held the memory.

    ## When it is offered
    The size of an element is known, and the buffer's stands in the call itself.

    ## What becomes of the results
    The elements are the same, but they are mixed within a smaller window: the order differs. The patch says so.
    """
    edits = case.by_remedy()
    if not edits:
        return "the size of this shuffle is not written in the call itself, or the size of an element is not known"
    return Patch(
        "Shuffle within a buffer that fits.",
        edits,
        results="The order of the elements differs: they are mixed within a smaller window.",
    )
