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
    layers = [*_of_networks(source), *_of_functions(source)]
    pairs = [it for it in layers if all(_is_constant(source, layer) for layer in it)]
    for first, _ in (*pairs, *_of_variables(source)):
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


def _of_variables(source: Source) -> Iterator[tuple[ast.Call, ast.Call]]:
    """`tf.matmul(tf.matmul(x, W1), W2)`, with anything in between, and both weights constant."""
    product = frozenset({"tf.matmul"})
    for call in source.calls("tf.matmul"):
        if len(call.args) != 2 or not _is_constant_variable(source, call.args[1]):
            continue
        for root in source.origins.worked_out_of(call.args[0], stop=product):
            inner = root.node if source.origins.called(root) == "tf.matmul" else None
            if (
                isinstance(inner, ast.Call)
                and len(inner.args) == 2
                and _is_constant_variable(source, inner.args[1])
            ):
                yield inner, call


def _is_constant_variable(source: Source, node: ast.expr) -> bool:
    roots = source.origins.roots(node)
    only = roots[0] if len(roots) == 1 else None
    if (
        only is None
        or not isinstance(only.node, ast.Call)
        or source.origins.called(only) != "tf.Variable"
    ):
        return False
    made = source.origins.made_by(source.argument(only.node, 0, "initial_value"), only.frame)
    return bool(made) and made <= {"tf.zeros", "tf.ones"}
