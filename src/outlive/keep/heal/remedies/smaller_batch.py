"""A step of `outlive.adaptive` begins below the batch that it died with."""

from __future__ import annotations

from outlive.model.heal_case import Case, Change
from outlive.units.unit import remedy


@remedy(
    "T107",
    since="0.2",
    heals=(
        "memory-limit-reached",
        "machine-out-of-memory",
        "address-space-limit",
        "allocation-refused",
        "kept-in-container",
    ),
    searched=("batch below",),
)
def smaller_batch(case: Case) -> Change | str | None:
    """A step of `outlive.adaptive` begins below the batch that it died with.

    ## What changes
    Nothing but the restart: the step itself remembers which batch it died with, and never tries one as large again.

    ## When it is tried
    After an out-of-memory death while a step of `outlive.adaptive` was trying a batch.

    ## When it is not
    No step was trying a batch, or not even a batch of 1 fits.
    """
    if not case.batches_tried:
        return None
    size = max(case.batches_tried)
    if size == 1:
        return "not even a batch of 1 fits"
    return Change(
        f"batch below {size}",
        f"batches of {size}, with which it died, are not tried again.",
    )
