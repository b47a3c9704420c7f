"""A parallel map that works on as many elements as fit."""

from __future__ import annotations

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.unit import fix


@fix("F102", since="0.2", heals=("parallel-map-too-wide",))
def fewer_parallel_calls(case: FixCase) -> Answer:
    """The parallel `map` works on as many elements at once as fit in a quarter of the limit.

    ## What it changes
    `num_parallel_calls` of the `map` that held the memory.

    ## When it is offered
    The number, or `tf.data.AUTOTUNE`, stands in the call itself.

    ## What becomes of the results
    They stay the same. Where the pipeline was allowed to give its elements in any order (`deterministic=False`), the order may
    differ, as it does from run to run.
    """
    edits = case.by_remedy()
    if not edits:
        return "the number of parallel calls is not written in the call itself"
    return Patch("Let `map` work on fewer elements at once.", edits)
