"""A prediction that is made in batches of the usual size."""

from __future__ import annotations

import ast

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.syntax import last_name
from outlive.units.unit import fix

#: Keras' own; and what fits where all at once did not, whatever an example is.
USUAL = 32
FEW = 8
METHODS = ("predict", "evaluate")


@fix(
    "F127",
    since="0.2",
    heals=(
        "memory-limit-reached",
        "machine-out-of-memory",
        "allocation-refused",
        "address-space-limit",
        "gpu-memory-exhausted",
    ),
)
def prediction_in_batches(case: FixCase) -> Answer:
    """The model predicts 32 examples at a time, or 8.

    ## What it changes
    `batch_size` of `predict` or `evaluate` becomes 32; where it was all examples at once, 8.

    ## When it is offered
    The line asks for larger batches, by a number, or for all examples at once (`batch_size=len(x)`).

    ## What becomes of the results
    They stay the same except for the last digits of a float32, because sums are computed in another order.
    """
    for call in case.calls(*METHODS):
        place = 1 if last_name(call.func) == "predict" else 2
        size = case.argument(call, "batch_size", place)
        number = case.source.number(size)
        at_once = isinstance(size, ast.Call) and last_name(size.func) == "len"
        if size is not None and (at_once or (number is not None and number > USUAL)):
            many = FEW if at_once else USUAL
            return Patch(
                f"Predict {many} examples at a time.",
                (case.replaced(size, str(many)),),
            )
    return None
