"""A shuffle that is moved before what makes its elements large."""

from __future__ import annotations

import ast

from outlive.model.findings import Edit
from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.unit import fix

#: One element in, one element out, in the same order. A cache is none of them: behind a shuffle it would keep one order for ever.
ONE_TO_ONE = frozenset({"map", "prefetch", "with_options"})


@fix("F103", since="0.2", heals=("shuffle-buffer-too-large",))
def shuffled_before_decoding(case: FixCase) -> Answer:
    """The `shuffle` mixes what is small (names of files, records), before it is decoded.

    ## What it changes
    `.shuffle(…)` moves in front of the `.map(…)` that comes before it in the same chain.

    ## When it is offered
    Only stages that hand on one element for each stand between the two places.

    ## What becomes of the results
    The same elements come in an order that is as random as before; with a fixed seed the order is the same.
    """
    for call in case.calls("shuffle"):
        first = _first_map(call)
        if first is not None:
            return _moved(case, call, first)
    return None


def _first_map(shuffle: ast.Call) -> ast.Call | None:
    """The first of the stages before a shuffle that only map, if one of them decodes."""
    found, stage = None, _before(shuffle)
    while stage is not None and isinstance(stage.func, ast.Attribute):
        if stage.func.attr not in ONE_TO_ONE:
            break
        if stage.func.attr == "map":
            found = stage
        stage = _before(stage)
    return found


def _before(stage: ast.Call) -> ast.Call | None:
    inner = stage.func.value if isinstance(stage.func, ast.Attribute) else None
    return inner if isinstance(inner, ast.Call) else None


def _moved(case: FixCase, shuffle: ast.Call, first: ast.Call) -> Answer:
    if not isinstance(shuffle.func, ast.Attribute) or not isinstance(first.func, ast.Attribute):
        return None
    front = shuffle.func.value
    begin = front.end_lineno or 0, front.end_col_offset or 0
    end = shuffle.end_lineno or 0, shuffle.end_col_offset or 0
    target = first.func.value
    lines = case.source.text.encode().splitlines(keepends=True)
    moved = _between(lines, begin, end)
    return Patch(
        "Shuffle before the elements are decoded, while they are small.",
        (Edit(*begin, *end, ""), case.behind(target, moved)),
    )


def _between(lines: list[bytes], begin: tuple[int, int], end: tuple[int, int]) -> str:
    """The text between two positions."""
    if begin[0] == end[0]:
        return lines[begin[0] - 1][begin[1] : end[1]].decode()
    middle = b"".join(lines[begin[0] : end[0] - 1])
    return (lines[begin[0] - 1][begin[1] :] + middle + lines[end[0] - 1][: end[1]]).decode()
