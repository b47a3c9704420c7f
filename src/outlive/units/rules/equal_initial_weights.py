"""Weights that begin all equal, in two layers that follow each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

CONSTANT = frozenset({"zeros", "ones", "constant", "Zeros", "Ones", "Constant", "zeros_initializer", "ones_initializer", "constant_initializer", "zero", "one"})  # fmt: skip
WITH_WEIGHTS = frozenset({"Dense", "Conv1D", "Conv2D", "Conv3D"})
FUNCTIONS = ("tf.layers.dense", "tf.layers.conv1d", "tf.layers.conv2d", "tf.layers.conv3d")


@rule(
    "R662",
    since="0.2",
    needs=("initializer",),
    prevents=("uncaught-exception",),
)
def equal_initial_weights(source: Source) -> Iterator[Finding]:
    """Two layers that follow each other begin with all their weights equal.

    ## Why it is bad
    All units of the first layer then give the same, get the same gradient, and stay the same forever: however many there are, they are one. No error
    says so.

    ## Bad
        model = keras.Sequential([
            keras.layers.Dense(64, activation="relu", kernel_initializer="zeros"),
            keras.layers.Dense(10, activation="softmax", kernel_initializer="zeros"),
        ])

    ## Good
        model = keras.Sequential([
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dense(10, activation="softmax", kernel_initializer="zeros"),
        ])
    """
    for first, second in (*_of_networks(source), *_of_functions(source)):
        if _is_constant(source, first) and _is_constant(source, second):
            yield Finding(
                "The weights of this layer and of the next begin all equal: its units can never become different.",
                remedies=(Remedy("Leave kernel_initializer out: the default is random."),),
                where=source.place(first),
            )


def _of_networks(source: Source) -> Iterator[tuple[ast.Call, ast.Call]]:
    for network in source.networks:
        layers = [layer.call for layer in network.layers if layer.kind in WITH_WEIGHTS]
        yield from ((layers[n - 1], layers[n]) for n in range(1, len(layers)))


def _of_functions(source: Source) -> Iterator[tuple[ast.Call, ast.Call]]:
    """`tf.layers.dense(inputs=…)`: the layer whose result is the input."""
    for call in source.calls(*FUNCTIONS):
        for root in source.origins.worked_out_of(
            source.argument(call, 0, "inputs"), stop=frozenset(FUNCTIONS)
        ):
            if isinstance(root.node, ast.Call) and source.origins.called(root) in FUNCTIONS:
                yield root.node, call


def _is_constant(source: Source, layer: ast.Call) -> bool:
    given = source.argument(layer, None, "kernel_initializer")
    roots = source.origins.roots(given)
    only = roots[0].node if len(roots) == 1 else None
    if isinstance(only, ast.Constant):
        return only.value in CONSTANT
    if isinstance(only, ast.Call):
        only = only.func
    return source.called(only).rpartition(".")[2] in CONSTANT
