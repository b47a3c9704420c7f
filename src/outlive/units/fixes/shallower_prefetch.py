"""A prefetch that runs one or two elements ahead."""

from __future__ import annotations

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.unit import fix


@fix("F101", since="0.2", heals=("prefetch-too-deep",))
def shallower_prefetch(case: FixCase) -> Answer:
    """The `prefetch` runs one or two elements ahead instead of many.

    ## What it changes
    The `buffer_size` of the `prefetch` that held the memory.

    ## When it is offered
    The number stands in the call itself.

    ## What becomes of the results
    They stay the same: a prefetch changes neither the elements nor their order.
    """
    edits = case.by_remedy()
    if not edits:
        return "the size of this prefetch is not written in the call itself"
    return Patch("Let `prefetch` run one or two elements ahead.", edits)
