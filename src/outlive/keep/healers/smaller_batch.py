"""A step of `outlive.adaptive` begins below the batch that it died with."""

from __future__ import annotations

from outlive.keep.healing import Case, Change

SLUGS = (
    "memory-limit-reached",
    "machine-out-of-memory",
    "address-space-limit",
    "allocation-refused",
)


def heal(case: Case) -> Change | str | None:
    """The step itself remembers what it died with."""
    if not case.batches_tried:
        return None
    size = max(case.batches_tried)
    if size == 1:
        return "not even a batch of 1 fitted"
    return Change(
        f"batch below {size}",
        f"the batch of {size} that it died with is not tried again.",
    )
