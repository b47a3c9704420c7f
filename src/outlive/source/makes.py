"""What a line makes, as far as its source and the arrays that were there tell surely: shape, type and bytes of what it is about to make. Pure.

Nothing is guessed: an expression of which one part is not known makes nothing that could be told.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from outlive.model.quick_dataclass import dataclass
from outlive.source.parsed import Source
from outlive.source.specs import (
    CLASSES,
    JOINING,
    SAME_METHODS,
    SHAPED,
    STACKING,
    Array,
    Specs,
)
from outlive.source.syntax import last_name

__all__ = ["Array", "Made", "made_at"]


@dataclass(frozen=True, slots=True)
class Made:
    """What a line makes, and what would make less."""

    array: Array
    text: str  #: the expression
    change: str  #: what to write instead, as a sentence


def made_at(source: Source, line: int, known: Mapping[str, Array]) -> Made | None:
    """Give the largest array that the statement on a line is known to make; ``known`` are the arrays that had names then."""
    statement = source.tree.statement_at(line)
    if statement is None:
        return None
    specs = source.specs.knowing(known)
    found: list[Made] = []
    for node in ast.walk(statement):
        if isinstance(node, ast.Call | ast.BinOp):
            array = specs.of(node)
            if array is not None and array.bytes:
                text = source.segment(node)
                found.append(Made(array, text, change_for(source, specs, node, array)))
    filled = _filled(source, specs, statement)
    return max([*found, *filled], key=lambda made: made.array.bytes, default=None)


def _filled(source: Source, specs: Specs, statement: ast.stmt) -> list[Made]:
    """The array that a statement writes into: Linux gives its pages only then."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    targets = [statement.target] if isinstance(statement, ast.AugAssign) else targets
    found = []
    for target in targets:
        inner = target.value if isinstance(target, ast.Subscript) else target
        if isinstance(target, ast.Name | ast.Attribute) and not isinstance(
            statement, ast.AugAssign
        ):
            continue
        value = specs.value_of(inner) if isinstance(inner, ast.Name | ast.Attribute) else None
        array = specs.of(value)
        if value is not None and array is not None and array.bytes:
            change = change_for(source, specs, value, array)
            found.append(Made(array, source.segment(value), change))
    return found


def change_for(source: Source, specs: Specs, node: ast.expr, array: Array) -> str:
    """Say what to write instead of an expression that makes too much."""
    called = source.called(node.func) if isinstance(node, ast.Call) else ""
    if called in CLASSES:
        return "keep the class numbers and use sparse_categorical_crossentropy, which needs no one-hot rows"
    if called.startswith("tf.") and called.rpartition(".")[2] in (
        "constant",
        "convert_to_tensor",
        "Variable",
    ):
        return "feed the array in batches (tf.data.Dataset.from_generator, or model.fit with the array itself) instead of making one tensor of it"
    if called in JOINING or called in STACKING:
        return "fill one array that is made once (np.empty(shape, dtype), or np.lib.format.open_memmap for a file) instead of joining parts that are all still alive"
    if isinstance(node, ast.BinOp) and _is_outer(specs, node, array):
        return "work in blocks of rows (for i in range(0, n, 1000): …) instead of all pairs at once"
    if array.dtype == "float64":
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "astype"
        ):
            return 'write .astype("float32"), which takes half, or convert one batch at a time'
        if called in SHAPED and SHAPED[called][1] is not None:
            return 'give it dtype="float32", which takes half, or write to a file with np.lib.format.open_memmap'
        if called.startswith("numpy.random."):
            return 'draw it as float32, which takes half (np.random.default_rng().standard_normal(shape, dtype="float32")), or in parts'
        if isinstance(node, ast.BinOp):
            return 'convert one batch at a time, or write .astype("float32") on what is divided: half as large'
    if isinstance(node, ast.Call) and last_name(node.func) in SAME_METHODS - {"copy", "numpy"}:
        return f"write the result into the array itself (out=…: np.{last_name(node.func)}(x, …, out=x)), or work on a part of the rows at a time"
    if isinstance(node, ast.BinOp):
        return "work in place (x *= …, np.multiply(a, b, out=a)) or one batch at a time"
    return "make a smaller one, or work on one part of it after the other"


def _is_outer(specs: Specs, node: ast.BinOp, array: Array) -> bool:
    """Whether two small arrays are spread over each other."""
    left, right = specs.of(node.left), specs.of(node.right)
    return left is not None and right is not None and array.bytes > 4 * (left.bytes + right.bytes)
