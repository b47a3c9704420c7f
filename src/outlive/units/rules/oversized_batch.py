"""A batch that is the whole data set, or nearly."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: Of 224 × 224 pixels in float32 a batch of 1024 is 0.6 GB, and the first layer of a network makes twenty times as much of it.
MOST_PICTURES = 1024


@rule(
    "R106", since="0.1", needs=("batch_size", "batch("), prevents=("allocation-refused", "memory-limit-reached", "gpu-memory-exhausted")
)  # fmt: skip
def oversized_batch(source: Source) -> Iterator[Finding]:
    """A batch holds the whole data set, or thousands of pictures.

    ## Why it is bad
    What a layer computes for a batch is kept until the step is over: memory grows with the batch times all layers. A
    batch of everything is requested as one block: it is refused, or the program is killed.

    ## Bad
        model = keras.Sequential([keras.layers.Dense(10)])
        model.fit(x_train, y_train, batch_size=len(x_train))

    ## Good
        model = keras.Sequential([keras.layers.Dense(10)])
        model.fit(x_train, y_train, batch_size=64)
    """
    for call in source.methods("fit", "predict", "evaluate"):
        size = source.argument(call, None, "batch_size")
        if size is not None and call.args and _counts(source, size, call.args[0]):
            yield Finding(
                f"`{source.segment(size)}` makes one batch of the whole data set.",
                remedies=(
                    Remedy(
                        "Start with a small number, e.g. batch_size=64, and double it while it fits."
                    ),
                ),
                where=source.place(call),
            )
    for call in source.methods("batch"):
        count = source.number(source.argument(call, 0, "batch_size"))
        if count is None or count <= MOST_PICTURES:
            continue
        if any(source.values.decodes(stage) for stage in source.values.stages(call)[:-1]):
            yield Finding(
                f"A batch holds {count:.0f} decoded pictures.",
                remedies=(Remedy("Use batches of 16 to 256 pictures."),),
                where=source.place(call),
            )


def _counts(source: Source, size: ast.expr, data: ast.expr) -> bool:
    """`len(x)` or `x.shape[0]` of the very data that is given."""
    if isinstance(size, ast.Call) and source.called(size.func) == "builtins.len" and size.args:
        return ast.dump(size.args[0]) == ast.dump(data)
    if isinstance(size, ast.Subscript) and isinstance(size.value, ast.Attribute):
        return size.value.attr == "shape" and ast.dump(size.value.value) == ast.dump(data)
    return False
