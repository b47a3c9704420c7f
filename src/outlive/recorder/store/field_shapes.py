"""Shapes of plain data: what a value of a record must look like before anybody reads it.

A shape is a function that gives a value back in a form that its readers can rely on, or raises ``Unfit``. Fields that no shape
declares are left out, ``null`` is the same as a field that is missing, and a list or a text that is longer than any that Outlive
writes is cut: what a stranger's record makes us do is bounded by the shapes alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Shape = Callable[[Any], Any]

#: What the shapes are made of: (combinator, its arguments). For those who make values of a shape.
MADE_OF: dict[Shape, tuple[str, Any]] = {}


def _made(fit: Shape, of: str, parts: Any) -> Shape:
    MADE_OF[fit] = (of, parts)
    return fit


#: Addresses have 64 bits; nothing that is counted has more.
LARGEST_WHOLE = 1 << 64
#: Seconds, shares, sizes of buffers: safe to multiply.
LARGEST_NUMBER = 2.0**64
#: The last second of the year 9999: later ones no calendar can show.
LAST_MOMENT = 253_402_300_799.0
#: Sixteen sides of this length still have a product that can be shown.
LONGEST_SIDE = 1 << 48
MOST_SIDES = 16

#: An exception's message may have 6,000 characters, the tail of stderr and the text of a source file more.
LONGEST_TEXT = 4096
MOST_ITEMS = 1000


class Unfit(ValueError):
    """A value that does not have its declared shape."""


def text(most: int = LONGEST_TEXT) -> Shape:
    """A text, cut where it is longer than any that is written."""

    def fit(value: Any) -> str:
        if not isinstance(value, str):
            raise Unfit("no text")
        return value if len(value) <= most else value[:most]

    return _made(fit, "text", most)


def path(value: Any) -> str:
    """The name of a file: without a zero byte, which no file has in its name."""
    if not isinstance(value, str) or "\0" in value:
        raise Unfit("no path")
    return value[:LONGEST_TEXT]


def whole(value: Any) -> int:
    """A whole number of at most 64 bits."""
    if not isinstance(value, int) or not -LARGEST_WHOLE < value < LARGEST_WHOLE:
        raise Unfit("not an integer")
    return value


def positive(value: Any) -> int:
    """How many there are of something that is there."""
    found = whole(value)
    if found < 1:
        raise Unfit("none")
    return found


def side(value: Any) -> int:
    """One side of an array."""
    if not isinstance(value, int) or not -1 <= value <= LONGEST_SIDE:
        raise Unfit("not the side of an array")
    return value


def number(value: Any) -> float:
    """A finite number of a size that can be calculated with."""
    if not isinstance(value, int | float) or not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
        raise Unfit("no number")  # NaN is in no range
    return value


def moment(value: Any) -> float:
    """Seconds since 1970 that a calendar can show."""
    if not isinstance(value, int | float) or not 0 <= value <= LAST_MOMENT:
        raise Unfit("no moment")
    return value


def flag(value: Any) -> bool:
    """Read a yes or no; ``Unfit`` for anything else."""
    if not isinstance(value, bool | int):
        raise Unfit("not true or false")
    return bool(value)


def plain(value: Any) -> str | int | float | None:
    """A value of the program's own, of any kind and size; one that cannot be shown is missing."""
    if isinstance(value, str):
        return value[:LONGEST_TEXT]
    if isinstance(value, int):
        return value if -LARGEST_WHOLE < value < LARGEST_WHOLE else None
    return value if isinstance(value, float) and math.isfinite(value) else None


def maybe(shape: Shape) -> Shape:
    """The same, or nothing. As a field it is kept when it is nothing: that it was written says something."""

    def fit(value: Any) -> Any:
        return None if value is None else shape(value)

    return _made(fit, "maybe", shape)


def listed(shape: Shape, most: int = MOST_ITEMS) -> Shape:
    """A list of one kind of items, cut where it is longer than any that is written."""

    def fit(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise Unfit("no list")
        return [shape(item) for item in value[:most]]

    return _made(fit, "listed", (shape, most))


def filled(shape: Shape) -> Shape:
    """Refuse what the shape lets pass when nothing is in it."""

    def fit(value: Any) -> Any:
        found = shape(value)
        if not found:
            raise Unfit("empty")
        return found

    return _made(fit, "filled", shape)


def one_of(*words: str) -> Shape:
    """One of these words."""

    def fit(value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            raise Unfit("another word")
        return value

    return _made(fit, "one_of", words)


def row(*shapes: Shape, least: int | None = None) -> Shape:
    """A list in which every place has a meaning; those after the ``least`` may be missing."""
    fewest = len(shapes) if least is None else least

    def fit(value: Any) -> list[Any]:
        if not isinstance(value, list) or not fewest <= len(value) <= len(shapes):
            raise Unfit("no row")
        return [shape(item) for shape, item in zip(shapes, value, strict=False)]

    return _made(fit, "row", (shapes, fewest))


def table(shape: Shape, most: int = MOST_ITEMS) -> Shape:
    """An object whose names are the program's own and whose values are of one kind."""
    name = text()

    def fit(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise Unfit("no table")
        return {name(key): shape(item) for key, item in list(value.items())[:most]}

    return _made(fit, "table", (shape, most))


def fields(shapes: Mapping[str, Shape], needs: tuple[str, ...] = ()) -> Shape:
    """An object of which these fields are read, and those of ``needs`` must be there."""
    kept = frozenset(name for name, shape in shapes.items() if _is_maybe(shape))

    def fit(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise Unfit("no object")
        found = {}
        for name, item in value.items():
            shape = shapes.get(name)
            fitting = None if shape is None or item is None else shape(item)
            if fitting is not None or (item is None and name in kept):
                found[name] = fitting
        if any(found.get(name) is None for name in needs):
            raise Unfit("a field is missing")
        return found

    return _made(fit, "fields", (shapes, needs))


def _is_maybe(shape: Shape) -> bool:
    return MADE_OF.get(shape, ("",))[0] == "maybe"


def nested(shape: Shape, field: str, most: int) -> Shape:
    """Accept an object that holds another of its kind in a field, to a limited depth; what is deeper is left out."""

    def fit(value: Any) -> dict[str, Any]:
        first: dict[str, Any] = shape(value)
        last, inner = first, value.get(field)
        for _ in range(most):
            if inner is None:
                break
            last[field] = shape(inner)
            last, inner = last[field], inner.get(field)
        return first

    return _made(fit, "nested", (shape, field))
