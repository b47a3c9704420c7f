"""Sizes as people write them: ``800MB``, ``2 GB``."""

from __future__ import annotations

from outlive.errors import UsageError

STEPS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def bytes_in(written: int | str) -> int:
    """The bytes that a size means."""
    text = str(written).strip().upper().removesuffix("B").removesuffix("I")
    digits = text.rstrip("KMGT")
    try:
        found = int(float(digits) * STEPS[text[len(digits) :].strip()])
    except (ValueError, KeyError, OverflowError):
        found = 0
    if found <= 0:
        raise UsageError(f"{written!r} is no size.", "Write it as 800MB or 2GB.")
    return found
