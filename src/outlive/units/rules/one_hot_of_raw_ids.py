"""One column for every number up to the largest."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: 50,000 columns of float32 are 200 kB for each row.
MOST_COLUMNS = 50_000
#: `np.eye(n)` is a square.
MOST_OF_A_SQUARE = 10_000


@rule(
    "R305", since="0.1", needs=("eye", "one_hot", "to_categorical"),
    prevents=("allocation-refused", "memory-limit-reached", "widened-dtype"),
)  # fmt: skip
def one_hot_of_raw_ids(source: Source) -> Iterator[Finding]:
    """A one-hot code has one column for every number up to the largest id.

    ## Why it is bad
    With ids as they come from a database, `max(ids) + 1` is in the millions: one row of float32 takes megabytes, and
    `np.eye` makes as many rows as columns, in float64. One large id in the data is enough.

    ## Bad
        rows = np.eye(max(user_ids) + 1)[user_ids]

    ## Good
        rows = keras.layers.Embedding(100_000, 32)(keras.layers.Hashing(100_000)(user_ids))
    """
    for call in source.calls(
        "numpy.eye", "tf.one_hot", "keras.utils.to_categorical", "numpy.identity"
    ):
        square = source.called(call.func) in ("numpy.eye", "numpy.identity")
        if square and not isinstance(source.tree.parent(call), ast.Subscript):
            continue
        columns = source.argument(call, 0 if square else 1, "N", "n", "depth", "num_classes")
        count = source.number(columns)
        if columns is None:
            continue
        too_many = count is not None and count > (MOST_OF_A_SQUARE if square else MOST_COLUMNS)
        if too_many or _is_largest(source, columns):
            width = f"{count:.0f}" if count is not None else f"`{source.segment(columns)}`"
            yield Finding(
                f"Every row gets {width} columns, one for each id up to the largest.",
                remedies=(
                    Remedy(
                        "Use an Embedding, after a StringLookup, IntegerLookup or Hashing layer."
                    ),
                    Remedy("Or keep the ids and use sparse_categorical_crossentropy."),
                ),
                where=source.place(call),
            )


def _is_largest(source: Source, columns: ast.expr) -> bool:
    """`max(ids) + 1`, `ids.max() + 1`, also through a name."""
    if isinstance(columns, ast.Name):
        bound = source.names.latest(columns)
        columns = bound.value if bound and bound.how == "assign" and bound.value else columns
    columns = _without_int(source, columns)
    if not isinstance(columns, ast.BinOp) or not isinstance(columns.op, ast.Add):
        return False
    largest = _without_int(source, columns.left)
    if not isinstance(largest, ast.Call):
        return False
    method = largest.func.attr if isinstance(largest.func, ast.Attribute) else ""
    return (
        source.called(largest.func) in ("builtins.max", "numpy.max", "numpy.amax")
        or method == "max"
    )


def _without_int(source: Source, value: ast.expr) -> ast.expr:
    converted = isinstance(value, ast.Call) and source.called(value.func) == "builtins.int"
    return value.args[0] if converted and isinstance(value, ast.Call) and value.args else value
