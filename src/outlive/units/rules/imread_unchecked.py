"""`cv2.imread` gives None for a file that it cannot read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R611",
    since="0.2",
    needs=("imread",),
    prevents=("missing-file", "corrupt-image", "uncaught-exception"),
)
def imread_unchecked(source: Source) -> Iterator[Finding]:
    """The result of `cv2.imread` is used without a check that it is not `None`.

    ## Why it is bad
    OpenCV raises nothing for a missing or damaged file: it returns `None`, and the program fails on another line with
    an unrelated message, such as "!ssize.empty()" or "'NoneType' object has no attribute 'shape'".

    ## Bad
        picture = cv2.imread("holiday.jpg")
        picture = cv2.resize(picture, (300, 300))

    ## Good
        picture = cv2.imread("holiday.jpg")
        if picture is None:
            raise FileNotFoundError("holiday.jpg")
        picture = cv2.resize(picture, (300, 300))
    """
    for call in source.calls("cv2.imread"):
        statement = source.tree.statement(call)
        if not isinstance(statement, ast.Assign) or statement.value is not call:
            continue
        target = statement.targets[0]
        if (
            isinstance(target, ast.Name)
            and _is_used(source, target)
            and not _is_checked(source, target)
        ):
            yield Finding(
                f"`{target.id}` is None if the file cannot be read, and nothing checks that.",
                confidence=Confidence.POSSIBLE,
                remedies=(
                    Remedy(f"Check it: if {target.id} is None: raise FileNotFoundError(path)."),
                ),
                where=source.place(call),
            )


def _is_used(source: Source, target: ast.Name) -> bool:
    function = source.tree.function(target)
    return any(
        isinstance(name.ctx, ast.Load) and name.id == target.id
        for name in source.every(ast.Name)
        if source.tree.function(name) is function
    )


def _is_checked(source: Source, target: ast.Name) -> bool:
    """Whether a condition anywhere in the same function asks about the name."""
    function = source.tree.function(target)
    for name in source.every(ast.Name):
        if name.id != target.id or source.tree.function(name) is not function:
            continue
        for above in source.tree.ancestors(name):
            if isinstance(above, ast.Compare | ast.Assert | ast.IfExp):
                return True
            if isinstance(above, ast.If | ast.While) and name in ast.walk(above.test):
                return True
            if isinstance(above, ast.stmt):
                break
    return False
