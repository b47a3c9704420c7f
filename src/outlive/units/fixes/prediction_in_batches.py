"""A prediction that is made in batches of the usual size."""

from __future__ import annotations

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.source.syntax import last_name
from outlive.units.unit import fix

#: Keras' own.
USUAL = 32
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
    """The model predicts 32 examples at a time.

    ## What it changes
    `batch_size` of `predict` or `evaluate` becomes 32.

    ## When it is offered
    The line asks for larger batches, by a number.

    ## What becomes of the results
    They stay the same except for the last digits of a float32, because sums are computed in another order.
    """
    for call in case.calls(*METHODS):
        place = 1 if last_name(call.func) == "predict" else 2
        size = case.argument(call, "batch_size", place)
        number = case.source.number(size)
        if size is not None and number is not None and number > USUAL:
            return Patch(
                f"Predict {USUAL} examples at a time.",
                (case.replaced(size, str(USUAL)),),
            )
    return None
