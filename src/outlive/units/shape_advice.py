"""What to write instead where two shapes do not fit, by the figures in them. Pure."""

from __future__ import annotations

import math
import re

from outlive.model.patterns import bounded

LABEL_VALUES = bounded(r"Label values: ((?:-?\d{1,20} ?){1,2000})")
ONE_HOT = bounded(r"`target\.ndim - 1`")
ROUNDED_DOWN = bounded(r"([A-Za-z_][\w.]{0,60}|\d{1,9}) ?// ?([A-Za-z_][\w.]{0,60}|\d{1,9})")

Sides = list[int | None]


def reshaped(name: str, came: Sides, wanted: Sides) -> str:
    """Say how to bring values to the sides that are wanted, where they are as many: (1, 784) to (None, 28, 28, 1)."""
    known = [side for side in wanted[1:] if side is not None]
    if not came or None in came[1:] or len(known) < 2 or len(known) != len(wanted) - 1:
        return ""
    inner = math.prod(side or 1 for side in came[1:])
    every = inner * (came[0] or 1)
    if came[1:] == wanted[1:] or math.prod(known) not in (inner, every):
        return ""
    sides = ", ".join(map(str, known))
    return f"Give it the shape that the model takes: {name}.reshape(-1, {sides})."


def flattened(first: Sides, second: Sides) -> str:
    """Say which of two loses its sides of 1, where the other has none: (None, 1, 1, 16) and (None, 8)."""
    longer, shorter = sorted((first, second), key=len, reverse=True)
    if len(longer) == len(shorter) or not shorter:
        return ""
    if sum(side != 1 for side in longer[1:]) != len(shorter) - 1:
        return ""
    shape = f"({', '.join('None' if side is None else str(side) for side in longer)})"
    return f"Take the sides of 1 from the one of shape {shape}: layers.Flatten(), tf.squeeze, or keepdims=False where it is made."


def divided(code: str, came: str, wanted: str) -> str:
    """Say that a division drops a remainder, where a shape is made by one and comes out too small."""
    found = ROUNDED_DOWN.search(code)
    if found is None or not (came.isdigit() and wanted.isdigit() and int(wanted) < int(came)):
        return ""
    return f"`{found[1]} // {found[2]}` drops a remainder here ({wanted} of {came} values are left): choose `{found[1]}` as a multiple of `{found[2]}`."


def shifted(message: str, classes: str) -> str:
    """Say that labels begin at 1, where they are as many as the classes."""
    values, limits = LABEL_VALUES.search(message), re.findall(r"\d{1,9}", classes)
    if values is None or len(limits) != 2:
        return ""
    seen = [int(word) for word in values[1].split()]
    if min(seen) < 1 or max(seen) != int(limits[1]):
        return ""
    return f"The labels run from {min(seen)} to {max(seen)}, the classes from 0 to {int(limits[1]) - 1}: subtract 1 from the labels."


def is_one_hot(message: str) -> bool:
    """Whether the labels have an axis that a loss for class numbers does not take."""
    return ONE_HOT.search(message) is not None
