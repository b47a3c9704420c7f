"""A dense layer on pictures that were never flattened."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

POOLING = frozenset({"MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "AveragePooling1D", "AveragePooling2D", "MaxPool2D", "AvgPool2D"})  # fmt: skip
#: What leaves every place of a picture apart.
LOCAL = POOLING | {
    "Dense",
    "Dropout",
    "Activation",
    "BatchNormalization",
    "Conv1D",
    "Conv2D",
    "Conv3D",
    "ReLU",
    "Softmax",
}
GROWING = frozenset(
    {
        "UpSampling1D",
        "UpSampling2D",
        "Conv2DTranspose",
        "Conv1DTranspose",
        "Reshape",
        "TimeDistributed",
    }
)
POOLS = frozenset(
    {"tf.layers.max_pooling2d", "tf.layers.average_pooling2d", "tf.layers.max_pooling1d"}
)
STOPPING = POOLS | {
    "tf.layers.flatten",
    "tf.reshape",
    "tf.reduce_mean",
    "tf.layers.dense",
    "tf.layers.conv2d",
}


@rule(
    "R663",
    since="0.2",
    needs=("ool",),
    prevents=("shape-mismatch",),
)
def dense_without_flatten(source: Source) -> Iterator[Finding]:
    """A classifier's dense layer gets the planes of a pooling layer, which were never flattened.

    ## Why it is bad
    A dense layer works on the last axis alone: it gives a result for every place of the picture instead of one for the picture. The loss then ends with
    "Shapes … are incompatible", or compares every place with the label.

    ## Bad
        model = keras.Sequential([
            keras.layers.Conv2D(32, 3, activation="relu", input_shape=(28, 28, 1)),
            keras.layers.MaxPooling2D(),
            keras.layers.Dense(10, activation="softmax"),
        ])
        model.compile(loss="categorical_crossentropy")

    ## Good
        model = keras.Sequential([
            keras.layers.Conv2D(32, 3, activation="relu", input_shape=(28, 28, 1)),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dense(10, activation="softmax"),
        ])
        model.compile(loss="categorical_crossentropy")
    """
    for network in source.networks:
        kinds = [layer.kind for layer in network.layers]
        last = network.last
        if (
            last is None
            or last.kind != "Dense"
            or not network.compiled
            or not network.whole
            or GROWING & set(kinds)
        ):
            continue
        pooled = [n for n, kind in enumerate(kinds) if kind in POOLING]
        after = kinds[pooled[-1] :] if pooled else []
        if after and set(after) <= LOCAL:
            first = next(layer for layer in network.layers[pooled[-1] :] if layer.kind == "Dense")
            yield _finding(source, first.call)
    for call in source.calls("tf.layers.dense"):
        found = list(
            source.origins.worked_out_of(source.argument(call, 0, "inputs"), stop=STOPPING)
        )
        made = {source.origins.called(root) for root in found} - {""}
        if made & POOLS and made <= POOLS | {"tf.layers.dropout", "tf.layers.batch_normalization"}:
            yield _finding(source, call)


def _finding(source: Source, layer: ast.Call) -> Finding:
    return Finding(
        "The pictures were never flattened: this layer gives a result for every place of them, not one for each picture.",
        remedies=(Remedy("Put Flatten() or GlobalAveragePooling2D() before it."),),
        where=source.place(layer),
    )
