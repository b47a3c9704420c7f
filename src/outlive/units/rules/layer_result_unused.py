"""A layer whose result nothing uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

FUNCTIONS = (
    "tf.layers.dense",
    "tf.layers.conv2d",
    "tf.layers.max_pooling2d",
    "tf.layers.dropout",
    "tf.layers.flatten",
    "tf.layers.batch_normalization",
    "tf.nn.max_pool",
    "tf.nn.dropout",
)
KINDS = frozenset(
    {
        "Dense",
        "Conv1D",
        "Conv2D",
        "MaxPooling2D",
        "AveragePooling2D",
        "Dropout",
        "Flatten",
        "BatchNormalization",
        "LSTM",
        "GRU",
        "Activation",
    }
)


@rule(
    "R681",
    since="0.2",
    needs=(
        "layers",
        "Dense",
        "Conv",
    ),
    prevents=("uncaught-exception",),
)
def layer_result_unused(source: Source) -> Iterator[Finding]:
    """A layer is called, and its result gets a name that nothing reads.

    ## Why it is bad
    The next layer was given an older name: this one is not part of the model, though the author believes so.

    ## Bad
        pixels = keras.Input([28, 28, 1])
        first = keras.layers.Conv2D(32, 3, activation="relu")(pixels)
        pooled = keras.layers.MaxPooling2D()(first)
        model = keras.Model(pixels, keras.layers.Dense(10)(keras.layers.Flatten()(first)))

    ## Good
        pixels = keras.Input([28, 28, 1])
        first = keras.layers.Conv2D(32, 3, activation="relu")(pixels)
        pooled = keras.layers.MaxPooling2D()(first)
        model = keras.Model(pixels, keras.layers.Dense(10)(keras.layers.Flatten()(pooled)))
    """
    if "locals()" in source.text or source.cells is not None:
        return  # a cell shows what its last line gives
    read = {name.id for name in source.every(ast.Name) if isinstance(name.ctx, ast.Load)}
    for statement in source.every(ast.Assign):
        target = statement.targets[0]
        if (
            len(statement.targets) != 1
            or not isinstance(target, ast.Name)
            or target.id in read
            or target.id.startswith("_")
        ):
            continue
        if _is_layer(source, statement.value):
            yield Finding(
                f"Nothing uses `{target.id}`: this layer is not part of the model.",
                remedies=(Remedy("Give it to the next layer, or remove it."),),
                where=source.place(statement),
            )


def _is_layer(source: Source, node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or len(node.args) > 1:
        return False
    if source.called(node.func) in FUNCTIONS:
        return True
    made = source.called(node.func.func) if isinstance(node.func, ast.Call) else ""
    return (
        made.startswith("keras.layers.")
        and made.rpartition(".")[2] in KINDS
        and len(node.args) == 1
    )
