"""A program that can save under pressure is stopped near the limit, after it has saved, instead of being killed."""

from __future__ import annotations

from outlive.keep.healing import Case, Change

SLUGS = (
    "memory-limit-reached",
    "machine-out-of-memory",
    "kept-in-container",
    "function-retraced",
    "graph-grows",
    "tape-kept-open",
    "native-leak",
)


def heal(case: Case) -> Change | str | None:
    """Only a program that asked to be told, and of which it is not known that it then saves nothing."""
    saving = case.evidence.saving
    if case.brake_on or case.batches_tried:
        return None  # a step of outlive.adaptive is healed otherwise, and the brake would end it
    if not saving.asks and not saving.saved:
        return (
            "it has no way to save near the limit (outlive.on_pressure, outlive.PressureCallback)"
        )
    if not saving.asks:
        return None
    if saving.handled and not saving.saved:
        return (
            "its callback of outlive.on_pressure was called and saved nothing that could be seen "
            "(let it return the path of what it saved)"
        )
    return Change(
        "brake with checkpoint",
        f"near the limit the program saves ({', '.join(saving.asks)}) and is then stopped by an exception (--brake).",
        switches=("--brake",),
    )
