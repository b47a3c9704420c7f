"""A program that can save under pressure is stopped near the limit, after it has saved, instead of being killed."""

from __future__ import annotations

from outlive.model.heal_case import Case, Change
from outlive.units.unit import remedy


@remedy(
    "T102",
    since="0.2",
    heals=(
        "memory-limit-reached",
        "machine-out-of-memory",
        "kept-in-container",
        "function-retraced",
        "graph-grows",
        "tape-kept-open",
        "native-leak",
    ),
    searched=("brake with checkpoint",),
)
def brake_with_checkpoint(case: Case) -> Change | str | None:
    """A program that can save is stopped near the memory limit, after it has saved, instead of being killed.

    ## What changes
    The next attempt runs with `--brake`: near the limit the callbacks of `outlive.on_pressure` and `outlive.PressureCallback` save, then
    an exception (`outlive.MemoryBrake`) stops the program.

    ## When it is tried
    After an out-of-memory death of a program that has a callback for low memory (`outlive.on_pressure` or
    `outlive.PressureCallback`).

    ## When it is not
    The brake was on already; a step of `outlive.adaptive` was trying a batch, which has a remedy of its own; the program has no way to
    save; or its callback was called and saved nothing that could be seen.
    """
    saving = case.evidence.saving
    if case.brake_on or case.batches_tried:
        return None  # a step of outlive.adaptive is healed otherwise, and the brake would end it
    if not saving.asks and not saving.saved:
        return "it cannot save near the limit (outlive.on_pressure, outlive.PressureCallback)"
    if not saving.asks:
        return None
    if saving.handled and not saving.saved:
        return "its callback of outlive.on_pressure was called but saved nothing visible (return the path it saved to)"
    return Change(
        "brake with checkpoint",
        f"near the limit, the program saves ({', '.join(saving.asks)}) and is then stopped by an exception (--brake).",
        switches=("--brake",),
    )
