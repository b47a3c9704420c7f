"""A ragged tensor whose parts nobody has checked."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

MAKERS = tuple(
    f"tf.RaggedTensor.from_{name}"
    for name in (
        "row_splits", "row_lengths", "row_starts", "row_limits", "value_rowids", "uniform_row_length", "nested_row_splits",
        "nested_row_lengths", "nested_value_rowids",
    )
)  # fmt: skip


@rule(
    "R306",
    since="0.1",
    needs=("validate",),
    prevents=("native-op-crashed", "heap-corrupted", "tf-check-failed"),
)
def unvalidated_ragged(source: Source) -> Iterator[Finding]:
    """A ragged tensor is built from splits that are not checked.

    ## Why it is bad
    `validate=False` accepts splits that point outside the values. The operations that use them do not check them
    either: they read and write past the end of the buffer. The program crashes there, or later, or continues with wrong
    numbers.

    ## Bad
        rows = tf.RaggedTensor.from_row_splits(values, splits, validate=False)

    ## Good
        rows = tf.RaggedTensor.from_row_splits(values, splits)
    """
    for call in source.calls(*MAKERS):
        wanted = source.argument(call, None, "validate")
        unchecked = isinstance(wanted, ast.Constant) and wanted.value is False
        if wanted is not None and unchecked and not _is_sound(source, source.argument(call, 1)):
            yield Finding(
                "The parts of this ragged tensor are not checked against its values.",
                remedies=(
                    Remedy(
                        "Keep the check: it costs one pass over the splits.",
                        edits=(source.replacement(wanted, "True"),),
                    ),
                ),
                where=source.place(call),
            )


def _is_sound(source: Source, parts: ast.expr | None) -> bool:
    """Taken from another ragged tensor, written down, or not there yet: nothing that comes from outside."""
    if isinstance(parts, ast.Call) and isinstance(parts.func, ast.Attribute):
        parts = parts.func if not source.called(parts.func) else parts
    if isinstance(parts, ast.Attribute) and parts.attr.startswith(
        ("row_", "nested_row_", "value_rowids")
    ):
        return True
    return source.values.made_by(parts) in ("tf.placeholder", "tf.constant")
